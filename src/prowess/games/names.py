"""Names: their normal form, the roster that numbers them, byes, guards, words in many of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from prowess.games.runs import repeat_rows
from prowess.games.vocabulary import words_for

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Search for any of several words in the names of many players.


BYTE_PAIRS = 3  # pairs of bytes at the beginning of words that tell where they may stand


@dataclass(eq=False)
class WordFinder:
    """Finds words, which are bytes, in a text: in one pass for all of them."""

    words: tuple[bytes, ...]

    def find_places(self, text: bytes) -> list[int]:
        """Where words begin in a text, each place once."""
        data = np.frombuffer(text + bytes(BYTE_PAIRS), np.uint8)
        pairs = data[:-1].astype(np.uint16) << 8 | data[1:]
        places = np.flatnonzero(self._pairs[0][pairs[: len(text)]])
        for at in range(1, BYTE_PAIRS):
            places = places[self._pairs[at][pairs[places + at]]]
        return [at for at in places.tolist() if text.startswith(self.words, at)]

    @cached_property
    def _pairs(self) -> NDArray[np.bool_]:
        """Whether two bytes stand in a word, by the place in it and their numbers together."""
        found = np.zeros((BYTE_PAIRS, 256, 256), np.bool_)
        for word in self.words:
            for at in range(BYTE_PAIRS):
                found[at][(*word[at : at + 2], slice(None), slice(None))[:2]] = True
        return found.reshape(BYTE_PAIRS, -1)


_BLANKS = r"[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"  # all but line ends
RUN_OF_BLANKS = re.compile(f"{_BLANKS}+")
ODD_BLANKS = re.compile(f"{_BLANKS}{{2}}|(?! ){_BLANKS}")


def normal_name(name: str) -> str:
    """A name in Unicode's composed form (NFC), with one plain blank between its parts."""
    if name.isascii():
        name = name.strip(" \t")
        return RUN_OF_BLANKS.sub(" ", name) if "  " in name or "\t" in name else name
    return unicodedata.normalize("NFC", RUN_OF_BLANKS.sub(" ", name).strip(" "))


# The names of the players, in order of their ids.


NAMES_SEARCHED = 200_000  # names; a search for similar ones takes seconds above it
TAKEN = 1 << 17  # names that are gathered at a time: some ten MB of numbers
MOST_TEXT = (1 << 31) - 1  # bytes of an Arrow column of the type string


class Roster(Sequence[str]):
    """Names in one UTF-8 buffer, decoded on access: a million take 20 MB.

    `ends[i]` is where name i ends in the buffer and name i + 1 begins.
    """

    __slots__ = ("buffer", "ends")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, names: Iterable[str] = ()) -> None:
        encoded = [name.encode() for name in names]
        self.buffer = b"".join(encoded)
        self.ends: NDArray[np.int64] = np.cumsum(
            np.fromiter(map(len, encoded), np.int64, len(encoded)), dtype=np.int64
        )

    @classmethod
    def from_buffer(cls, buffer: bytes, ends: NDArray[np.int64]) -> Roster:
        """The roster of names that stand one after the other in a buffer of valid UTF-8."""
        roster = cls.__new__(cls)
        roster.buffer, roster.ends = buffer, ends
        return roster

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """The name of a player, or a list of names."""
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step != 1 or last <= first:
                return [self[at] for at in range(first, last, step)]
            ends = self.ends[first:last].tolist()
            starts = [int(self.ends[first - 1]) if first else 0, *ends]
            return [self.buffer[a:b].decode() for a, b in zip(starts, ends, strict=False)]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self):,} players, none with the id {index}")
        index %= len(self)
        start = int(self.ends[index - 1]) if index else 0
        return self.buffer[start : int(self.ends[index])].decode()

    def __iter__(self) -> Iterator[str]:
        ends = self.ends.tolist()
        bounds = map(slice, [0, *ends], ends)
        if self.buffer.isascii():  # a byte is a character: decode all at once
            return map(self.buffer.decode().__getitem__, bounds)
        return map(bytes.decode, map(self.buffer.__getitem__, bounds))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._position(name) >= 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Roster):
            return self.buffer == other.buffer and np.array_equal(self.ends, other.ends)
        if isinstance(other, Sequence) and not isinstance(other, str | bytes):
            return len(self) == len(other) and all(
                mine == theirs for mine, theirs in zip(self, other, strict=True)
            )
        return NotImplemented

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3]))
        return f"<Roster: {len(self):,} players: {shown}{', ...' if len(self) > 3 else ''}>"

    def take(self, ids: NDArray[np.integer[Any]]) -> Roster:
        """The roster of these players, in this order; no name is decoded."""
        text = np.frombuffer(self.buffer, np.uint8)
        starts = np.where(ids > 0, self.ends[ids - 1], 0)
        sizes = self.ends[ids] - starts
        ends = np.cumsum(sizes, dtype=np.int64)
        shifts = starts - (ends - sizes)  # from the place of a name here to that in the buffer
        parts = []
        for at in range(0, len(ids), TAKEN):
            piece = slice(at, at + TAKEN)
            first, last = ends[at] - sizes[at], ends[piece][-1]
            parts.append(
                text[
                    np.arange(first, last, dtype=np.int64)
                    + repeat_rows(shifts[piece], sizes[piece])
                ]
            )
        return Roster.from_buffer(b"".join(parts), ends)

    def __arrow_array__(self, type: Any = None) -> Any:  # noqa: A002  Arrow names it so
        """The names as an Arrow column without decoding them; `string` where they fit into it."""
        import pyarrow as pa

        buffers = [None, pa.py_buffer(np.append(0, self.ends)), pa.py_buffer(self.buffer)]
        names = pa.Array.from_buffers(pa.large_string(), len(self), buffers)
        fits = len(self.buffer) <= MOST_TEXT
        return names.cast(type or (pa.string() if fits else pa.large_string()))

    def __reduce__(self) -> Any:
        return Roster.from_buffer, (self.buffer, self.ends)

    def find(self, name: str) -> int:
        """The id of a player; raises KeyError with similar names if there is none."""
        for spelling in (name, normal_name(name)):
            if (index := self._position(spelling)) >= 0:
                return index
        from difflib import get_close_matches

        similar = get_close_matches(name, self, n=3) if len(self) <= NAMES_SEARCHED else []
        hint = f"; did you mean {' or '.join(map(repr, similar))}?" if similar else ""
        raise KeyError(f"there is no player {name!r} among {len(self):,}{hint}")

    def index(self, name: Any, start: int = 0, stop: int | None = None) -> int:
        """The id of a name; raises ValueError without one."""
        index = self._position(name) if isinstance(name, str) else -1
        if not start <= index < (len(self) if stop is None else stop):
            raise ValueError(f"{name!r} is not in the roster")
        return index

    def find_words(self, words: Collection[str]) -> list[tuple[str, int]]:
        """Those of some words that are names, and their ids, in order of the words; all names of
        one length are compared at once, and no other is decoded.
        """
        found = []
        sizes, text = np.diff(self.ends, prepend=0), np.frombuffer(self.buffer, np.uint8)
        for size, same in groupby(sorted(map(str.encode, words), key=len), key=len):
            ids = np.flatnonzero(sizes == size)
            if len(ids):
                places = (self.ends[ids] - size)[:, None] + np.arange(size, dtype=np.int64)
                names = text[places].view(f"S{size}").ravel()
                found += [(self[index], index) for index in ids[np.isin(names, [*same])].tolist()]
        return sorted(found)

    def _position(self, name: str) -> int:
        wanted = name.encode("utf-8", "surrogatepass")
        at = self.buffer.find(wanted) if wanted else -1
        while at >= 0:
            index = int(np.searchsorted(self.ends, at, side="right"))
            start = int(self.ends[index - 1]) if index else 0
            if start == at and int(self.ends[index]) == at + len(wanted):
                return index
            at = self.buffer.find(wanted, at + 1)
        return -1


# Opponents who are none: a bye, in the languages that tables are written in, or a name to come.


BYES = words_for("no_opponent")
PROGRAM_WORDS = frozenset({  # for nothing
    "None", "none", "NONE", "nan", "NaN", "NAN", "NULL", "null", "Null", "nil", "NIL", "undefined",
    "NA", "NaT",
})  # fmt: skip
EMPTY_NAMES = PROGRAM_WORDS | {  # for nobody, which may be names as well
    form for word in words_for("empty_name") for form in (word, word.capitalize(), word.upper())
}
NAMES_OF_SOME = frozenset({"x", "xx", "xxx", "ghost", "dummy"})  # unless all speaks for nobody
ASKED_ABOUT = frozenset({"ghost", "dummy"})  # also then
LETTERED = frozenset(word for word in BYES if word.isalpha())
BYE_STEMS = WordFinder(
    tuple(  # of all words of more than three bytes, and of `bye 2`
        word.encode()
        for word in sorted(BYES)
        if word.isascii()
        and (len(word) > 3 or word.isalpha())
        and not any(other in word for other in BYES - {word} if other.isalpha())
    )
)
SHORT_NAME = 3  # bytes; so short a name is looked at with care
OUTSIDE = "0123456789 .,:#*()[]-_"  # that may stand round a word, as in `Bye 2` and `(bye)`


def is_bye(cell: Any) -> bool:
    """Whether the whole of a cell is a word for a bye, with a number or marks round it or not."""
    if not isinstance(cell, str):
        return False
    name = normal_name(cell).casefold()
    return name in BYES or name.strip(OUTSIDE) in LETTERED or name.strip("()[] ") in BYES


def byes_in(roster: Roster) -> NDArray[np.int64]:
    """The ids of names that are words for a bye."""
    near = set(np.flatnonzero(np.diff(roster.ends, prepend=0) <= SHORT_NAME).tolist())
    lower = roster.buffer.lower()
    places = BYE_STEMS.find_places(lower)
    near.update(np.searchsorted(roster.ends, places, side="right").tolist())
    return np.array(sorted(index for index in near if is_bye(roster[index])), np.int64)


# Against CSV injection (OWASP) a text that begins with = + - @ tab or carriage return gets a single
# quote in front. Plain numbers stay, and a text that looks guarded gets one quote more, so that
# a reader can take exactly one away:    =HYPERLINK("...") -> '=HYPERLINK("...")    '=x -> ''=x

RISKY = re.compile(r"[=+\-@\t\r]")
GUARDED = re.compile(r"'+[=+\-@\t\r]")


def guard_cell(value: Any) -> Any:
    """A cell as it is written: a text that a spreadsheet could run gets a quote in front."""
    if isinstance(value, str) and (is_bare(value) or GUARDED.match(value)):
        return f"'{value}"
    return value


def unguard_cell(text: str) -> str:
    """A cell of a table that was written so, as it was meant."""
    return text[1:] if GUARDED.match(text) else text


def is_bare(text: str) -> bool:
    """Whether a text stands there as no such table has it: a formula without a quote."""
    return RISKY.match(text) is not None and not _is_number(text)


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


GUARDED_BYTES = re.compile(GUARDED.pattern.encode())


def unguard_names(names: Sequence[str]) -> list[str] | None:
    """The names of a table that was written so, as they were meant; None where all stay.

    A table in which a name begins bare was not written so, and is left as it is.
    """
    if isinstance(names, Roster) and not GUARDED_BYTES.search(names.buffer):
        return None  # a large roster is not decoded for it
    if not any(map(GUARDED.match, names)) or any(map(is_bare, names)):
        return None
    return [unguard_cell(name) for name in names]
