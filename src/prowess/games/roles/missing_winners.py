"""Games without a winner whose status says why: `draw`, `remis`, `error`, `no result`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from prowess.games.cells.not_played import has_no_winner, is_score_so_far, reason_not_played
from prowess.games.cells.outcome_words import DRAWN
from prowess.games.errors import InvalidValue, NoGame, quote
from prowess.games.patterns import lazy_pattern
from prowess.games.values import fold_text, plain_word
from prowess.games.words import alternatives, words_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.cells.validation import RowValidation
    from prowess.games.layout import Layout
    from prowess.games.roles.evidence import TableEvidence

LEAST_LETTERS = 3  # of a word for a draw: `D` may say much else
FAILED = words_for("failed")
ENDS_DRAWN = lazy_pattern(  # how games of chess and its like end without a winner
    rf"\b(?:{alternatives('drawn_ending')})\b|50.?move"
)


def find_reasons(names: Sequence[str], evidence: TableEvidence, layout: Layout) -> str | None:
    """The column that says of each game without a winner whether it was drawn or is none."""
    if layout.form != "winner" or layout.draw or layout.points_a:
        return None
    cells = evidence.rows[layout.result]
    without = [row for row, cell in enumerate(cells) if has_no_winner(cell)]
    if not without:
        return None
    found = [
        name for name in names
        if all(_explains(evidence.rows[name][row]) for row in without)
        and not all(map(_explains, evidence.rows[name]))
        and name not in {layout.a, layout.b, layout.result}
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def explain_missing(
    rows: RowValidation,
    layout: Layout,
    values: NDArray[Any],
    wrong: Mapping[int, InvalidValue],
) -> Mapping[int, InvalidValue]:
    """Give drawn games without a winner their score, and take note of what is no game; returns
    what stays wrong with the winners.
    """
    assert layout.reasons
    winner, reasons = rows.columns[layout.result], rows.columns[layout.reasons]
    kept, none = {}, {}
    for row, refusal in wrong.items():
        cell = reasons.cell(row)
        if not has_no_winner(winner.cell(row)) or not _explains(cell):
            kept[row] = refusal
        elif _is_drawn(cell):
            values[row] = 0.5
        else:
            why = reason_not_played(str(cell)) or "not played"
            none[row] = NoGame(f"{quote(cell)}: the game was not played", why)
    rows.refuse_cells(layout.reasons, none)
    return kept


def _is_drawn(cell: Any) -> bool:
    text = fold_text(str(cell)).replace("_", " ")
    return DRAWN.get(plain_word(text)) is not None or ENDS_DRAWN.search(text) is not None


def _explains(cell: Any) -> bool:
    """Whether a cell says that a game was drawn or is none."""
    if not isinstance(cell, str) or sum(map(str.isalpha, cell)) < LEAST_LETTERS:
        return False
    word = plain_word(cell.strip(" .!"))
    none = reason_not_played(cell) is not None or is_score_so_far(cell)
    return none or word in FAILED or _is_drawn(cell)
