"""Names that nobody has had yet, with whom they look like: most of them are typed wrong."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

from prowess.games.names import normal_name
from prowess.live.journal.submission import Submission
from prowess.live.names import described_letter, nearness, other_letter, skeleton
from prowess.live.pages.visits import Visit

COMPARED = 10  # newcomers who are compared with everybody
AMONG = 5_000  # names: among more, looking for a like one takes too long for a page
LIKE = 0.8  # share of letters in common, as difflib counts it


class Newcomer(NamedTuple):
    """A new name, and the known one that it may have been meant for."""

    name: str
    like: str | None
    odd: str = ""  # the letter that makes it another name, where nobody sees a difference


def newcomers(visit: Visit, submissions: Iterable[Submission]) -> list[Newcomer]:
    """The new names in the order in which they come."""
    return named_newcomers(visit, (name for one in submissions for _, name in one.names() if name))


def named_newcomers(visit: Visit, names: Iterable[str]) -> list[Newcomer]:
    """The new ones of some names, in their order."""
    people = visit.desk.registry.people
    written = dict.fromkeys(normal_name(name) for name in names if people.number_of(name) is None)
    near = {nearness(name): name for name in people.names} if len(people.names) <= AMONG else {}
    found = []
    seen: dict[str, str] = {}  # what is seen of the names before, two of which may look alike
    for place, name in enumerate(written):
        like = people.look_alike(name) or seen.get(skeleton(name))
        seen.setdefault(skeleton(name), name)
        known = like or near.get(nearness(name))
        if known is None and place < COMPARED:
            close = get_close_matches(nearness(name), near, 1, LIKE)
            known = near[close[0]] if close else None
        odd = "" if like is None else described_letter(other_letter(name, like) or like[0])
        found.append(Newcomer(name, known, odd))
    return found
