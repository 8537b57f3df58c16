"""What somebody is about to enter, in words: it is read once more before it is confirmed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from prowess.games.names import normal_name
from prowess.live.journal.categories import ChangeMethod
from prowess.live.journal.corrections import ChangeState, Correct, RestoreWhere, VoidWhere
from prowess.live.journal.identities import Rename
from prowess.live.journal.outcomes import HELD, RECORDED, PreviewResult
from prowess.live.journal.record import Record
from prowess.live.journal.submission import Submission, check_submission
from prowess.live.journal.unit_of_work import WriteAct
from prowess.live.pages.facts import ORDER, facts, submission, time_text
from prowess.live.pages.visits import Visit, names
from prowess.live.store import queries

SHOWN = 100  # results
TIMES = ("since", "until", "starts", "ends")  # fields of entries, in microseconds
CHANGED = ("system", "params", "period", "provisional_games", "inactive_days", "side_size")
UNSAID = ("reason", "results", "look_alikes")  # fields that are shown otherwise
WORDS = {"into": "into player", "plays": "kind", "side_size": "players of a side at most"}


class Change(NamedTuple):
    """One thing that is entered; `before` is None where nothing was there to be changed."""

    name: str
    before: str | None
    after: str

    @property
    def differs(self) -> bool:
        """Whether it is changed."""
        return self.before is not None and self.before != self.after


@dataclass(frozen=True)
class Entered:
    """What an entry says: results one by one, or changes by name; and why."""

    columns: tuple[str, ...] = ()  # of the results
    results: tuple[dict[str, str], ...] = ()
    more: int = 0  # results that are not shown
    changes: tuple[Change, ...] = ()
    explained: bool = False  # whether an entry of this kind has a reason
    reason: str | None = None

    @property
    def compared(self) -> bool:
        """Whether there is a state before."""
        return any(one.before is not None for one in self.changes)


def entered(visit: Visit, entry: WriteAct, outlook: PreviewResult) -> Entered:
    """What an entry says, as a draft of it was accepted."""
    if isinstance(entry, Record):
        return _table(_new_results(visit, entry, outlook), outlook.count)
    if isinstance(entry, ChangeState | VoidWhere | RestoreWhere):
        numbers = [one.id for one in outlook.results[:SHOWN] if one.id is not None]
        found = _table(_known_results(visit, numbers), outlook.count)
    elif isinstance(entry, Correct):
        found = Entered(changes=tuple(_corrected(visit, entry)))
    else:
        found = Entered(changes=tuple(_fields(visit, entry)))
    reason = getattr(entry, "reason", None)
    return replace(found, explained=hasattr(entry, "reason"), reason=reason)


def _table(results: Iterable[dict[str, str]], count: int) -> Entered:
    """Results with a column for every fact that one of them has."""
    rows = tuple(results)
    named = dict.fromkeys(name for row in rows for name in row)
    first = [name for name in named if name not in ORDER]
    return Entered((*first, *(n for n in ORDER if n in named)), rows, count - len(rows))


def _new_results(visit: Visit, entry: Record, outlook: PreviewResult) -> Iterable[dict[str, str]]:
    taken = [one.row for one in outlook.results if one.status in (RECORDED, HELD)]
    now = visit.desk.clock()
    for row in taken[:SHOWN]:
        one = entry.submissions[row]
        yield facts(_named(visit, check_submission(one, visit.desk.category(one.category), now)))


def _known_results(visit: Visit, numbers: list[int]) -> Iterable[dict[str, str]]:
    with visit.desk.store.read() as connection:
        rows = queries.find_results(connection, numbers)
    called = names(visit)
    for row in rows:
        yield {"result": str(row.id), "state": row.state} | facts(submission(row, called))


def _corrected(visit: Visit, entry: Correct) -> Iterable[Change]:
    """Every fact of a result as it is and as it would be."""
    with visit.desk.store.read() as connection:
        (row,) = queries.find_results(connection, [entry.result])
    given = entry.submission
    if given.time is None:
        given = given._replace(time=row.time)
    category = visit.desk.registry.category_numbered(row.category)
    after = facts(_named(visit, check_submission(given, category, visit.desk.clock())))
    before = facts(submission(row, names(visit)))
    for name in {**before, **after}:
        yield Change(name, before.get(name, ""), after.get(name, ""))


def _named(visit: Visit, one: Submission) -> Submission:
    """A result with its players as they are called."""
    people = visit.desk.registry.people

    def called(name: str) -> str:
        number = people.number_of(name)
        return normal_name(name) if number is None else people.shown[number]

    return one._replace(
        player_a=None if one.player_a is None else called(one.player_a),
        player_b=None if one.player_b is None else called(one.player_b),
        placings=tuple((called(name), place, points) for name, place, points in one.placings),
        sides=tuple(
            side._replace(players=tuple((called(name), share) for name, share in side.players))
            for side in one.sides
        ),
    )


def _fields(visit: Visit, entry: Any) -> Iterable[Change]:
    """The fields of an entry, beside what stands there now where it changes something."""
    before = _before(visit, entry)
    for one in fields(entry):
        value = getattr(entry, one.name)
        if one.name in UNSAID or (value in (None, "", ()) and one.name not in before):
            continue
        old = before.get(one.name)
        if value is None:
            value = old
        name = WORDS.get(one.name, one.name.replace("_", " "))
        yield Change(name, None if one.name not in before else _text(one.name, old),
                     _text(one.name, value))  # fmt: skip


def _before(visit: Visit, entry: Any) -> Mapping[str, Any]:
    """What stands there now, by the fields of an entry that changes it."""
    if isinstance(entry, ChangeMethod):
        category = visit.desk.category(entry.category)
        return {name: getattr(category, name) for name in CHANGED}
    if isinstance(entry, Rename):
        people = visit.desk.registry.people
        return {"name": people.shown[people.find(entry.player)]}
    return {}


def _text(name: str, value: Any) -> str:
    """The value of a field."""
    if isinstance(value, Mapping):
        return ", ".join(f"{one}={each}" for one, each in value.items()) or "as usual"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if name in TIMES and value is not None:
        return time_text(value)
    if name == "period" and value in (None, "none"):
        return "game by game"
    return "" if value is None else str(value)
