"""What a refusal says, in an order that tests can match: the place, what is wrong, the remedy."""

from __future__ import annotations

from prowess.games import BadData


def place_first(bad: BadData) -> str:
    """The parts of a message as `file, line 3, column "x": what is wrong; the remedy`."""
    places = [bad.file] if bad.file else []
    places += [f"line {bad.line}"] * (bad.line is not None)
    places += [f"row {bad.row}"] * (bad.row is not None)
    places += [f'column "{bad.column}"'] * (bad.column is not None)
    where = ", ".join(places) + ": " if places else ""
    return f"{where}{bad.what}" + (f"; {bad.remedy}" if bad.remedy else "")
