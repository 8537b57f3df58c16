"""Rows in which a player has no opponent: a word for a bye stands there, or a name for nobody.

`None` and `nan` of programs, `nobody` and `keiner` of people may be names: as the opponent in few
rows, always in one column and never a winner, such a word says that there was no opponent. Where
it stands on both sides with results of its own, it is a player.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.errors import BadData, Suspicion, quote
from prowess.games.names import ASKED_ABOUT, EMPTY_NAMES, NAMES_OF_SOME, Roster, is_bye
from prowess.games.patterns import lazy_pattern
from prowess.games.values import fold_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.cells.validation import RowValidation
    from prowess.games.layout import Layout
    from prowess.games.roles.lineups import CellReader, Lineup

    Mask = NDArray[np.bool_]


def finder_of_byes(
    rows: RowValidation,
    layout: Layout,
    sides: Sequence[Sequence[Lineup]],
    cells: CellReader,
    with_nobody: bool,
) -> Callable[[int, bool], bool]:
    """A test for byes: whether a side of a row is nothing else, or (where that is asked) its
    result is one.
    """
    named = [] if sides else [rows.columns[layout.a], rows.columns[layout.b]]
    results = [rows.columns[layout.result]] if layout.result else []
    names: list[frozenset[str]] = []  # for nobody, in one of the columns of players only

    def words(row: int) -> Iterator[Any]:
        """A dash is no word: it may be a draw."""
        found = (column.cell(row) for column in results)
        return (cell for cell in found if any(map(str.isalpha, str(cell))))

    def is_nobody(cell: Any) -> bool:
        if not with_nobody or not isinstance(cell, str) or cell.strip() not in EMPTY_NAMES:
            return False
        if not names:
            held = [
                Counter(str(column.cell(row)).strip() for row in range(rows.chunk.count))
                for column in named
            ]
            alone = EMPTY_NAMES & (held[0].keys() ^ held[1].keys())
            most = rows.chunk.count // 2  # of the rows, for what may be the name of a player
            names.append(frozenset(
                word for word in alone
                if word.casefold() not in NAMES_OF_SOME or held[0][word] + held[1][word] <= most
            ))  # fmt: skip
        return cell.strip() in names[0]

    return lambda row, by_result: (
        any(is_bye(cell) or is_nobody(cell) for cell in (each.cell(row) for each in named))
        or (by_result and any(map(is_bye, words(row))))
        or any(cells.is_bye(side[row]) for side in sides)
    )


def find_nobody(
    players: Roster, columns: Mapping[str, Any], names: Sequence[str], file: str
) -> tuple[list[int], list[Suspicion]]:
    """The ids of names that stand for nobody, and the notes on them.

    `names` are the headings of both players. Raises BadData where that is open.
    """
    found, notes = [], []
    for word, who in _empty_names_among(players):
        stands = [columns["a"] == who, columns["b"] == who]
        score = columns["score"]
        own = np.concatenate((score[stands[0]], 1.0 - score[stands[1]]))
        of_column = [name for name, rows in zip(names, stands, strict=True) if rows.any()]
        plain = word.casefold()
        if plain == "x" and any(len(name) == 1 for name in players if name != word):
            continue  # players are letters
        lost = len(of_column) == 1 and 2 * len(own) <= len(score) and not np.any(own > 0.0)
        if plain in NAMES_OF_SOME and not lost:
            continue
        if plain in ASKED_ABOUT:
            raise _ask(word, of_column, file)
        if len(of_column) == 2 and np.any(own > 0.0):
            continue
        if len(of_column) == 2 or 2 * len(own) > len(score) or np.any(own == 1.0):
            raise _ask(word, of_column, file)
        found.append(who)
        notes.append(_say(word))
    return found, notes


_WHO = (
    "winners?|losers?|sieger|verlierer|gewinner|vainqueur|perdant|ganador|perdedor|vincente|"
    "vincitore|perdente|vencedor|winnaar|verliezer|zwyciezca|przegrany|runner-?up|[12]\\.|1st|2nd"
)
_OF = "of|von|de|del|della|du|da|do|van|the|aus"
_WHAT = (
    "match|game|spiel|partie|partido|partita|jogo|wedstrijd|mecz|group|gruppe|groupe|grupo|gruppo|"
    "groep|semi-?finals?|quarter-?finals?|halbfinale|viertelfinale|q|qf|sf|hf|vf|af|r|m|g"
)
TO_COME = lazy_pattern(  # the winner of a game that was not played
    rf"(?:{_WHO}) (?:(?:{_OF}) )*(?:(?:{_WHAT})\.?[ #]*[a-h0-9]{{0,3}}|[0-9]{{1,3}}|final)|"
    r"[wl][0-9]{1,3}"
)
STEMS_TO_COME = lazy_pattern(  # one of them stands in the names of a table with games to come
    rb"winner|loser|sieger|verlierer|gewinner|vainqueur|perdant|ganador|perdedor|vincente|perdente|"
    rb"vencedor|winnaar|verliezer|przegrany|zwyci|runner|1st|2nd|[12]\. |[wl][0-9]"
)


def find_games_to_come(players: Roster, columns: Mapping[str, Any]) -> Mask | None:
    """The games without a result between places to come, such as `Winner of QF1`; None for none.

    A name such as W41 is one beside another of its kind only.
    """
    if not STEMS_TO_COME.search(players.buffer.lower()):
        return None
    level = columns["score"] == 0.5
    if "points_a" in columns:
        level = level & ~(columns["points_a"] > 0.0)  # 1-1 was played
    kinds = {}
    for who in np.unique(np.concatenate((columns["a"][level], columns["b"][level]))).tolist():
        name = fold_text(players[who])
        if TO_COME.fullmatch(name):
            kinds[who] = 2 if " " in name else 1
    if not kinds:
        return None
    weight = np.zeros(len(players), np.int64)
    weight[list(kinds)] = list(kinds.values())
    found: Mask = level & (weight[columns["a"]] + weight[columns["b"]] >= 2)
    return found if found.any() else None


def find_nobody_in_contests(
    players: Roster, rows: Mapping[str, Any], contest: NDArray[np.int64], name: str, file: str
) -> tuple[list[int], list[Suspicion]]:
    """The ids of names that stand for nobody, and the notes on them: they are always last.

    `name` is the heading of the players. Raises BadData where that is open.
    """
    found, notes = [], []
    for word, who in _empty_names_among(players):
        stands = rows["player"] == who
        if "place" not in rows or not _is_last(stands, rows["place"], contest):
            if word.casefold() in NAMES_OF_SOME:
                continue
            raise _ask(word, [name], file)
        found.append(who)
        notes.append(_say(word))
    return found, notes


def _empty_names_among(players: Roster) -> Iterator[tuple[str, int]]:
    """The names of a roster that may stand for no player, and their ids."""
    return ((word, players.index(word)) for word in sorted(EMPTY_NAMES) if word in players)


def _is_last(stands: Mask, place: NDArray[Any], contest: NDArray[np.int64]) -> bool:
    """Whether those rows are behind all others of their contests."""
    last = np.zeros(int(contest.max()) + 1)
    np.maximum.at(last, contest, np.where(stands, 0.0, place))
    return not np.any(place[stands] <= last[contest[stands]])


def _say(word: str) -> Suspicion:
    return Suspicion(
        f'{quote(word)} is read as nobody (byes="names", --byes names, as a player)',
        f"{quote(word)} is nobody",
    )


def _ask(word: str, names: Sequence[str], file: str) -> BadData:
    python = ", ".join(f"{quote(name)}: {quote(word)}" for name in names)
    shell = " ".join(f'--exclude "{name}={word}"' for name in names)
    return BadData(
        f"{quote(word)} may be a player, or say that there was no opponent",
        file=file or None,
        remedy=f'say byes="names" (--byes names) if it is a player, or leave the rows out with '
        f"exclude={{{python}}} ({shell})",
    )
