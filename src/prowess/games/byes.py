"""Opponents who are none: a bye, in the languages that tables are written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.names import normal_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.roster import Roster

BYES = frozenset({
    "-", "--", "–", "—", "bye", "byes", "bye-bye", "no opponent", "walkover", "walk over", "w.o.",
    "w/o", "unpaired",  # English
    "freilos", "spielfrei", "kampflos",  # German
    "exempt", "exempte", "exempté", "exemptée",  # French
    "descansa", "descanso",  # Spanish
    "riposo", "riposa", "turno di riposo",  # Italian
    "folga", "isento", "isenta",  # Portuguese
    "vrij", "vrijloting", "vrijgeloot",  # Dutch
    "pauza", "pauzuje", "wolny los",  # Polish
})  # fmt: skip


WORDS = frozenset(word for word in BYES if word.isalpha())
STEMS = tuple(word.encode() for word in sorted(WORDS) if word.isascii())
MARKS = "0123456789 .,:#*()[]-_"  # that may stand round a word, as in `Bye 2` and `(bye)`


def is_bye(cell: Any) -> bool:
    """Whether the whole of a cell is a word for a bye, with a number or marks round it or not."""
    if not isinstance(cell, str):
        return False
    name = normal_name(cell).casefold()
    return name in BYES or name.strip(MARKS) in WORDS


def byes_in(roster: Roster) -> NDArray[np.int64]:
    """The ids of names that are words for a bye."""
    if not len(roster):
        return np.empty(0, np.int64)
    start = np.concatenate(([0], roster.ends[:-1]))
    length = np.minimum(roster.ends - start, len(_LOOKS) - 1)
    data = np.frombuffer(roster.buffer, np.uint8)
    near = set(np.flatnonzero(_LOOKS[length, data[start], data[roster.ends - 1]]).tolist())
    near |= set(np.searchsorted(roster.ends, _stems_in(roster.buffer), side="right").tolist())
    return np.array(sorted(index for index in near if is_bye(roster[index])), np.int64)


def _stems_in(buffer: bytes) -> list[int]:
    """Where one of the words begins, in letters of any case."""
    lower, places = bytes(buffer).lower(), []
    for word in STEMS:
        at = lower.find(word)
        while at >= 0:
            places.append(at)
            at = lower.find(word, at + 1)
    return places


def _looks() -> NDArray[np.bool_]:
    """By length, first and last byte, whether a name may be a word for a bye."""
    spelled = [word.encode() for each in BYES for word in (each, each.upper(), each.title())]
    looks = np.zeros((max(map(len, spelled)) + 2, 256, 256), np.bool_)
    for word in spelled:
        looks[len(word), word[0], word[-1]] = True
    return looks


_LOOKS = _looks()
