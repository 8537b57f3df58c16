"""One result as it was reported and corrected, and what it did."""

from __future__ import annotations

from typing import NamedTuple

from starlette.responses import Response

from prowess.live.api.category_view import find_results
from prowess.live.errors import NotFound
from prowess.live.journal.registry import Category
from prowess.live.pages.addresses import ServerLinks
from prowess.live.pages.facts import facts, submission
from prowess.live.pages.reading.sights import Sight, sight, told
from prowess.live.pages.visits import Visit, names
from prowess.live.result import COUNTS, LiveResult
from prowess.live.store import queries
from prowess.live.store.queries import ResultVersion
from prowess.present.pages.profiles import Line

DONE = {  # what brought a version
    "record": "recorded", "correct": "corrected", "void": "made void", "restore": "restored",
    "accept": "accepted", "reject": "rejected",
}  # fmt: skip


class Version(NamedTuple):
    """What a result said from a moment on, in words, and what changed."""

    when: float | None
    revision: int
    done: str
    who: str
    reason: str | None
    facts: tuple[tuple[str, str], ...]
    changed: frozenset[str]  # names of facts


class Share(NamedTuple):
    """One player of a result, with what it did to the player; None where it does not count."""

    number: int
    name: str
    side: int  # from 0
    share: float
    reached: float  # score of the side, of a contest its place
    line: Line | None


def game(visit: Visit) -> Response:
    """One result: facts, effect, and the history of its corrections."""
    found = history(visit, visit.number("number"))
    current = found[-1].result
    category = category_of(visit, current.category)
    return visit.page(
        "live/game.html",
        links=ServerLinks(category.key, played=current.a is not None),
        here="game",
        site=category.name,
        result=current,
        versions=versions(visit, found)[::-1],
        shares=shares(visit, category, current),
        category=category,
        when=told(current.time),
    )


def history(visit: Visit, number: int) -> list[ResultVersion]:
    """All versions of a result; raises NotFound."""
    with visit.desk.store.read() as connection:
        found = queries.find_versions(connection, number)
    if not found:
        raise NotFound("no_such_result", f"there is no result {number}")
    return found


def category_of(visit: Visit, number: int) -> Category:
    """A category by its number."""
    return next(one for one in visit.desk.categories() if one.id == number)


def versions(visit: Visit, found: list[ResultVersion]) -> list[Version]:
    """The versions in words, the oldest first."""
    told_before: dict[str, str] = {}
    shown = []
    for one in found:
        said = {"state": one.result.state} | facts(submission(one.result, names(visit)))
        changed = {name for name in said if told_before and said[name] != told_before.get(name)}
        shown.append(
            Version(
                when=told(one.revision.at),
                revision=one.revision.id,
                done=DONE.get(one.revision.kind, one.revision.kind),
                who=one.revision.name or "the console",
                reason=one.revision.reason,
                facts=tuple(said.items()),
                changed=frozenset(changed),
            )
        )
        told_before = said
    return shown


def shares(visit: Visit, category: Category, one: LiveResult) -> list[Share]:
    """What a result did to those who took part; of contests it is not told."""
    called, people = names(visit), visit.desk.registry.people
    found = None
    if one.state == COUNTS and one.score is not None:
        found = sight_of(visit, category)
    told_of = []
    for at, side in enumerate(one.ranked if one.score is None else one.sides):
        reached = side.place if one.score is None else one.score if at == 0 else 1.0 - one.score
        for member in side.members:
            number = people.canonical(member.player)
            line = None
            if found is not None:
                rows = find_results(visit.desk, found.whole, number)
                line = _line(found, number, rows.index(one.id) if one.id in rows else None)
            told_of.append(Share(number, called[number], at, member.share, reached, line))
    return told_of


def _line(found: Sight, number: int, place: int | None) -> Line | None:
    """What the result that was a player's so-manieth, from 0, did to the player."""
    try:
        lines = found.profile(found.row(number)).lines
    except NotFound:  # it has just been made void
        return None
    return None if place is None or place >= len(lines) else lines[-1 - place]


def sight_of(visit: Visit, category: Category) -> Sight | None:
    """What there is to see of a category by name."""
    visit.request.path_params["key"] = category.key
    return sight(visit)
