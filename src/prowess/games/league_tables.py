"""League tables and crosstables, by their headings: they sum up games that they do not tell."""

from __future__ import annotations

from prowess.games import headings
from prowess.games.chosen_columns import Chosen

FEWEST_ROUNDS = 3  # numbered columns that make a crosstable
GAMES_WANTED = (
    'give the table of games, or take it as one contest with kind="contests" and place= '
    "(--kind contests --place COLUMN)"
)


def refuse_standings(chosen: Chosen) -> None:
    """Refuse a league table, which sums up games that it does not tell."""
    known = set(chosen.plain)
    sums = next((set(pair) for pair in headings.STANDINGS if known.issuperset(pair)), set())
    if not sums and chosen.guess(headings.PLAYER):
        sums = set(headings.PLAYED & known)
        if known.isdisjoint({*headings.CONTEST, *headings.TIME}):
            sums |= headings.GAMES & known
    beside = (headings.SUMS & known) - sums
    if sums and beside:
        columns = ", ".join(chosen.plain[name] for name in [*sorted(sums), *sorted(beside)][:4])
        raise chosen.bad(f"these are standings, not games (columns {columns})", GAMES_WANTED)
    if (
        numbered(chosen)
        and chosen.guess(headings.PLAYER)
        and not chosen.guess(headings.PLACE + headings.POINTS)
    ):
        raise chosen.bad("this is a crosstable, not a table of games", GAMES_WANTED)


def numbered(chosen: Chosen) -> tuple[str, ...]:
    """Columns 1, 2, 3, ... or R1, R2, R3, ..., empty where there are fewer than three."""
    for word in headings.ROUNDS:
        found: list[str] = []
        while (name := f"{word}{len(found) + 1}") in chosen.plain:
            found.append(chosen.plain[name])
        if len(found) >= FEWEST_ROUNDS:
            return tuple(found)
    return ()
