"""Search for any of several words in the names of many players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

LONG = 1 << 17  # bytes of a text that compiled code searches: in one pass for all words
BUCKETS = 1 << 12
PLACES = 1 << 10  # that are found at a time


class WordFinder:
    """Finds words, which are bytes, in a text."""

    def __init__(self, words: Sequence[bytes]) -> None:
        self.words = tuple(words)

    def occurs_in(self, text: bytes) -> bool:
        """Whether one of the words stands in a text."""
        return next(self.find_places(text), None) is not None

    def find_places(self, text: bytes) -> Iterator[int]:
        """Where words begin in a text."""
        if len(text) >= LONG:
            from prowess.compile import kernel

            if kernel.available():
                yield from self._search(text)
                return
        for word in self.words:
            at = text.find(word)
            while at >= 0:
                yield at
                at = text.find(word, at + 1)

    def _search(self, text: bytes) -> Iterator[int]:
        data = np.frombuffer(text + b"\0", np.uint8)  # so that each byte has one after it
        places, after = np.empty(PLACES, np.int64), 0
        while True:
            count = self._loop(data, after, *self._tables, places)
            yield from places[:count].tolist()
            if count < PLACES:
                return
            after = int(places[-1]) + 1

    @cached_property
    def _loop(self) -> Any:
        from prowess.compile import kernel

        return kernel.compile_if_possible(find_words)

    @cached_property
    def _tables(self) -> tuple[Any, ...]:
        """The words one after the other, where each ends, and those of each bucket."""
        buckets: list[list[int]] = [[] for _ in range(BUCKETS)]
        for number, word in enumerate(self.words):
            followers = word[1:2] or range(256)
            for bucket in {bucket_of(word[0], follower) for follower in followers}:
                buckets[bucket].append(number)
        return (
            np.frombuffer(b"".join(self.words), np.uint8),
            np.cumsum([0, *map(len, self.words)]),
            np.array([number for each in buckets for number in each], np.int64),
            np.cumsum([0, *map(len, buckets)], dtype=np.int16),
        )


def bucket_of(byte: Any, follower: Any) -> Any:
    """The bucket of the words that begin with two bytes."""
    return (byte ^ (follower << 4)) & (BUCKETS - 1)


def find_words(
    text: Any, start: int, words: Any, ends: Any, members: Any, buckets: Any, places: Any
) -> int:
    """Write to `places` where in `text[start:-1]` words begin, until it is full; how many do.

    Word w is `words[ends[w]:ends[w + 1]]`; those of bucket b are
    `members[buckets[b]:buckets[b + 1]]`.
    """
    count, size = 0, len(text) - 1
    for at in range(start, size):
        bucket = bucket_of(np.int64(text[at]), np.int64(text[at + 1]))
        for member in range(buckets[bucket], buckets[bucket + 1]):
            first, stop = ends[members[member]], ends[members[member] + 1]
            same = at + stop - first <= size
            i = 0
            while same and first + i < stop:
                same = text[at + i] == words[first + i]
                i += 1
            if same:
                places[count] = at
                count += 1
                if count == len(places):
                    return count
                break
    return count
