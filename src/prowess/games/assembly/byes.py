"""Rows in which a player has no opponent: a word for a bye stands there, or a name for nobody.

They are left out, or (`byes="wins"`) kept as points for who has the bye: the name for nobody then
has a role of its own, so that it is no player, and the fact `unplayed` is 1 of such games.

`None` and `nan` of programs, `nobody` and `keiner` of people may be names: as the opponent in few
rows, always in one column and never a winner, such a word says that there was no opponent. Where
it stands on both sides with results of its own, it is a player.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.games.cells.outcome_words import parse_walkover, reason_not_played
from prowess.games.columns import CellParser, Mask
from prowess.games.errors import BadData, Suspicion, quote
from prowess.games.games import BYE, PLAYER, UNPLAYED, Games
from prowess.games.names import ASKED_ABOUT, EMPTY_NAMES, NAMES_OF_SOME, Roster, WordFinder, is_bye
from prowess.games.values import fold_text, lazy_pattern
from prowess.games.vocabulary import alternatives, words_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.assembly.lineups import CellReader, Lineup
    from prowess.games.cells.validation import RowValidation
    from prowess.games.layout import Layout


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
        """A dash is no word: it may be a draw. A word for a game that was not played is no bye."""
        found = (column.cell(row) for column in results)
        texts = (str(cell) for cell in found if any(map(str.isalpha, str(cell))))
        return (text for text in texts if not reason_not_played(text))

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


def award_bye(
    rows: RowValidation, layout: Layout, columns: Mapping[str, NDArray[Any]], row: int
) -> bool:
    """Give the point of a bye without a result to who has it; whether there is such a player."""
    a, b = (is_bye(rows.columns[name].cell(row)) for name in (layout.a, layout.b))
    whole = all(np.isfinite(values[row]) for name, values in columns.items() if name != "score")
    if a == b or not whole:
        return False
    columns["score"][row] = float(b)
    return True


def find_walkovers(rows: RowValidation, layout: Layout) -> Floats:
    """1 for rows whose result, or a column beside it, says that one side did not play, else 0."""
    found = np.zeros(rows.chunk.count)
    found[list(rows.walkovers)] = 1.0
    for name in filter(None, (layout.result, layout.line, layout.marks)):
        found = np.maximum(
            found, rows.columns[name].parse(CellParser(parse_walkover, "word")).values
        )
    return found


def with_byes(table: Games, names: Collection[str]) -> Games:
    """The table in which these names are no players: who meets one has a bye."""
    byes = np.array([name in names for name in table.players], np.uint8)
    unplayed = table.facts.get(UNPLAYED, 0.0)
    facts = {**table.facts, UNPLAYED: np.maximum(unplayed, 1.0 * (byes[table.a] | byes[table.b]))}
    return table.replace(facts=facts, role=byes, roles=(PLAYER, BYE), role_kinds=None)


def find_nobody(
    players: Roster, columns: Mapping[str, Any], names: Sequence[str], file: str
) -> tuple[list[int], list[Suspicion]]:
    """The ids of names that stand for nobody, and the notes on them.

    `names` are the headings of both players. Raises BadData where that is open.
    """
    found, notes = [], []
    for word, who in players.find_words(EMPTY_NAMES):
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


_WHO = rf"{alternatives('winner', 'loser')}|runner-?up|[12]\.|1st|2nd"
TO_COME = lazy_pattern(  # the winner of a game that was not played
    rf"(?:{_WHO}) (?:(?:{alternatives('article')}) )*"
    rf"(?:(?:{alternatives('match', 'to_come_from')})\.?[ #]*[a-h0-9]{{0,3}}|[0-9]{{1,3}}|final)|"
    r"[wl][0-9]{1,3}"
)
SHORTEST_STEM = 3  # letters; shorter words stand in many names
PLAIN_BYTES = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ123456789", b"abcdefghijklmnopqrstuvwxyz000000000"
)
STEMS_TO_COME = WordFinder((  # one stands, in plain bytes, in names of a table with games to come
    *(word.encode() for word in sorted(words_for("winner", "loser")) if len(word) > SHORTEST_STEM),
    b"zwyci", b"runner", b"0st", b"0nd", b"0. ", b"w0", b"l0",
))  # fmt: skip


@dataclass(eq=False)
class GamesToCome:
    """Finds games without a result between places to come, such as `Winner of QF1`.

    A name such as W41 is one beside another of its kind only.
    """

    stems: bool = False  # whether a name has been met that may be such a place
    met: bool = False  # whether one is such a place
    weight: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))  # -1: not known

    def find(
        self, fresh: Roster, count: int, name_of: Callable[[int], str], columns: Mapping[str, Any]
    ) -> Mask | None:
        """Those among further games, None for none; `fresh` are the new ones of `count` names."""
        if not self.stems:
            plain = fresh.buffer.translate(PLAIN_BYTES)
            self.stems = bool(STEMS_TO_COME.find_places(plain))
        if not self.stems:
            return None
        level = columns["score"] == 0.5
        if "points_a" in columns:
            level = level & ~(columns["points_a"] > 0.0)  # 1-1 was played
        if count > len(self.weight):
            grown = np.full(max(count, 2 * len(self.weight)), -1, np.int8)
            grown[: len(self.weight)] = self.weight
            self.weight = grown
        who = np.concatenate((columns["a"][level], columns["b"][level]))
        for index in np.unique(who[self.weight[who] < 0]).tolist():
            self.weight[index] = weigh_place(name_of(index))
            self.met = self.met or self.weight[index] > 0
        if not self.met:
            return None
        a, b = (np.maximum(self.weight[columns[side]], 0) for side in ("a", "b"))
        to_come: Mask = level & (a + b >= 2)
        return to_come if to_come.any() else None


def weigh_place(name: str) -> int:
    """2 for the name of a place to come, 1 where it needs one beside it, 0 for a player's."""
    name = fold_text(name)
    return 0 if TO_COME.fullmatch(name) is None else 2 if " " in name else 1


TO_BE_NAMED = frozenset({"tba", "tbd"})  # also codes of teams, such as those of Tampa Bay


def find_played(
    byes: Sequence[int], name_of: Callable[[int], str], columns: Mapping[str, Any]
) -> frozenset[int]:
    """Those of words for byes that are players: they won games by points, or are a code of letters
    that won games, or with points of both sides. A bye of 13:7, as in petanque, is still one.
    """
    found = []
    for who in {*byes}:
        code = fold_text(name_of(who)) in TO_BE_NAMED
        sides = [columns["a"] == who, columns["b"] == who]
        score = columns["score"]
        played = code and 1.0 in np.concatenate((score[sides[0]], 1.0 - score[sides[1]]))
        if "points_a" in columns:
            own, other = (
                np.concatenate([columns[one][sides[0]], columns[two][sides[1]]])
                for one, two in (("points_a", "points_b"), ("points_b", "points_a"))
            )
            scored = code and np.any((own > 0.0) & (other > 0.0))
            played = played or bool(np.any(own > other) or scored)
        if played:
            found.append(who)
    return frozenset(found)


def ask_about_nobody(
    players: Roster, known: int, columns: Mapping[str, Any], names: Sequence[str],
    place: Callable[[int], Mapping[str, Any]],
) -> None:  # fmt: skip
    """Raise BadData for a name that may stand for nobody, where not all games are known.

    `players` are new, their numbers follow the `known` ones; `place` says where a game stands.
    """
    for word, who in players.find_words(EMPTY_NAMES):
        stands = (columns["a"] == known + who) | (columns["b"] == known + who)
        raise _ask(word, names, **(place(int(np.argmax(stands))) if stands.any() else {}))


def find_nobody_in_contests(
    players: Roster, rows: Mapping[str, Any], contest: NDArray[np.int64], name: str, file: str
) -> tuple[list[int], list[Suspicion]]:
    """The ids of names that stand for nobody, and the notes on them: they are always last.

    `name` is the heading of the players. Raises BadData where that is open.
    """
    found, notes = [], []
    for word, who in players.find_words(EMPTY_NAMES):
        stands = rows["player"] == who
        if "place" not in rows or not _is_last(stands, rows["place"], contest):
            if word.casefold() in NAMES_OF_SOME:
                continue
            raise _ask(word, [name], file)
        found.append(who)
        notes.append(_say(word))
    return found, notes


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


def _ask(
    word: str, names: Sequence[str], file: str = "", line: int | None = None, row: int | None = None
) -> BadData:
    python = ", ".join(f"{quote(name)}: {quote(word)}" for name in names)
    shell = " ".join(f'--exclude "{name}={word}"' for name in names)
    return BadData.of(
        "bye_or_player", file=file, line=line, row=row, word=word, python=python, shell=shell
    )
