"""Names that nobody has had yet, with whom they look like: most of them are typed wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import NamedTuple

from prowess.live.desk.submission import Submission
from prowess.live.pages.visits import Visit

COMPARED = 10  # newcomers who are compared with everybody
AMONG = 5_000  # names: among more, looking for a like one takes too long for a page
LIKE = 0.8  # share of letters in common, as difflib counts it


class Newcomer(NamedTuple):
    """A new name, and the known one that it may have been meant for."""

    name: str
    like: str | None


def newcomers(visit: Visit, submissions: Iterable[Submission]) -> list[Newcomer]:
    """The new names in the order in which they come."""
    known = visit.desk.books.people.names
    new = [name for name in dict.fromkeys(_named(submissions)) if name not in known]
    alike = {name.casefold(): name for name in known} if len(known) <= AMONG else {}
    found = []
    for place, name in enumerate(new):
        near = get_close_matches(name.casefold(), alike, 1, LIKE) if place < COMPARED else []
        found.append(Newcomer(name, alike[near[0]] if near else None))
    return found


def _named(submissions: Iterable[Submission]) -> Iterator[str]:
    for one in submissions:
        yield from (name for name in (one.player_a, one.player_b) if name is not None)
        yield from (name for name, _, _ in one.placings)
