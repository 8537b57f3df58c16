"""Write acts on recorded results, and on the names and the identity of players."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, NamedTuple

from sqlalchemy import Connection, and_, delete, func, insert, select, update

from prowess.games.names import normal_name
from prowess.live.errors import Conflict, NotAllowed, NotFound, Refused, RefusedMany
from prowess.live.journal.record import RecordResults, is_same, make_result, refuse_rows
from prowess.live.journal.registry import DRAFT_SETTING, SEAT_FIELD, Category, Fixture
from prowess.live.journal.submission import PlannedGame, Submission, check_submission, is_to_come
from prowess.live.journal.unit_of_work import (
    ACCEPTED,
    ADDED,
    BESIDE,
    CORRECTED,
    MAX_LISTED_RESULTS,
    MOVED,
    REFUSED,
    RESTORED,
    RowStatus,
    UnitOfWork,
)
from prowess.live.result import COUNTS, DAY_US, HELD, OVERDUE, REJECTED, VOID, LiveResult
from prowess.live.store.queries import (
    CURRENT,
    CURRENT_RESULTS,
    QUERY_KEYS,
    current_version_names,
    find_revisions,
    read_results,
)
from prowess.live.store.tables import (
    fixture,
    identity,
    member,
    name,
    placing,
    player,
    published_row,
    result,
    revision,
    setting,
    version,
)
from prowess.live.store.visibility import KEEPER, may_change


@dataclass(frozen=True)
class Correct:
    """Replace the content of a result; its category, source and external number stay."""

    kind: ClassVar[str] = "correct"
    scope: ClassVar[str] = "correct"
    mends: ClassVar[bool] = True

    result: int
    submission: Submission
    reason: str | None = None
    look_alikes: bool = False  # whether a new name that looks like a known one is meant

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        (before,) = unit.current([self.result])
        check_changer(unit, [before])
        category = unit.category_of(before)
        given = self.submission
        for field in ("category", "source", "external_id"):
            was = category.key if field == "category" else getattr(before, field)
            if getattr(given, field) not in (None, was):
                raise Conflict.of("fixed", name=field, was=was, field=field)
        if given.time is None:
            given = given._replace(time=before.time)
        one = check_submission(given, category, unit.now)
        numbers = unit.enter_players(one, self.look_alikes)
        after = make_result(
            one, numbers, id=before.id, state=before.state, created=before.created,
            revision=unit.revision,
        )  # fmt: skip
        if is_same(before, after):
            raise Conflict.of("nothing_changes.result", result=before.id)
        describe_act(unit, before)
        add_version(unit, before, after, CORRECTED)


class Transition(NamedTuple):
    """A transition of results from one state to another."""

    come_from: tuple[str, ...]
    go_to: str
    done: str  # in a sentence
    status: str  # in the receipt


VOIDING = Transition((COUNTS, HELD), VOID, "made void", VOID)
RESTORING = Transition((VOID, REJECTED), COUNTS, "restored", RESTORED)
ACCEPTING = Transition((HELD,), COUNTS, "accepted", ACCEPTED)
REJECTING = Transition((HELD,), REJECTED, "rejected", REJECTED)


@dataclass(frozen=True)
class ChangeState:
    """Base of the write acts that change the state of results, given by number."""

    scope: ClassVar[str] = "correct"
    move: ClassVar[Transition]

    results: tuple[int, ...]
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        rows = unit.current(self.results)
        check_changer(unit, rows)
        change_states(unit, rows, self.move)


class Void(ChangeState):
    """Make results void: they no longer count."""

    kind: ClassVar[str] = "void"
    mends: ClassVar[bool] = True
    move: ClassVar[Transition] = VOIDING


class Restore(ChangeState):
    """Make void or rejected results count again."""

    kind: ClassVar[str] = "restore"
    move: ClassVar[Transition] = RESTORING


class Accept(ChangeState):
    """Accept held results: they count from now on."""

    kind: ClassVar[str] = "accept"
    move: ClassVar[Transition] = ACCEPTING


class Reject(ChangeState):
    """Reject held results: they will not count."""

    kind: ClassVar[str] = "reject"
    move: ClassVar[Transition] = REJECTING


@dataclass(frozen=True)
class VoidWhere:
    """Void the counted results of a player, a source or a span of time (microseconds)."""

    kind: ClassVar[str] = "void"
    scope: ClassVar[str] = "correct"

    category: str | None = None
    player: str | None = None
    source: str | None = None
    since: int | None = None
    until: int | None = None
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        given = (self.player, self.source, self.since, self.until)
        if all(one is None for one in given):
            raise Refused.of("missing.wanted")
        conditions: list[Any] = [version.c.state == COUNTS]
        if self.category is not None:
            conditions.append(result.c.category_id == unit.registry.category(self.category).id)
        if self.player is not None:
            people = unit.registry.people
            conditions.append(current_version_names(people.group(people.find(self.player))))
        if self.source is not None:
            conditions.append(result.c.source == self.source)
        if self.since is not None:
            conditions.append(version.c.time >= self.since)
        if self.until is not None:
            conditions.append(version.c.time <= self.until)
        found = select_results(unit, *conditions)
        if not found:
            raise Conflict.of("nothing_changes.selection")
        change_states(unit, found, VOIDING)


@dataclass(frozen=True)
class RestoreWhere:
    """Restore the results that a revision made void and that are still void."""

    kind: ClassVar[str] = "restore"
    scope: ClassVar[str] = "correct"

    revision: int
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        chosen = select(revision.c.kind).where(revision.c.id == self.revision)
        kind = unit.connection.scalar(chosen)
        if kind is None:
            raise NotFound.of("no_such_revision.number", revision=self.revision, field="revision")
        if kind != Void.kind:
            raise Conflict.of("wrong_kind.void", revision=self.revision, field="revision")
        found = select_results(unit, version.c.revision == self.revision, version.c.state == VOID)
        if not found:
            raise Conflict.of("nothing_changes.revision", revision=self.revision)
        change_states(unit, found, RESTORING)


def select_results(unit: UnitOfWork, *conditions: Any) -> list[LiveResult]:
    """Results that meet conditions on `result` and the current `version`, by number."""
    asked = CURRENT_RESULTS.where(*conditions).order_by(result.c.id)
    return read_results(unit.connection, asked)


def check_changer(unit: UnitOfWork, rows: list[LiveResult]) -> None:
    """Raise NotAllowed unless the actor may change results; see `may_change`."""
    if unit.actor.may(KEEPER):
        return
    numbers = {number for one in rows for number in (one.created, one.revision)}
    made = {one.id: one for one in find_revisions(unit.connection, sorted(numbers))}
    for one in rows:
        if not may_change(unit.actor, made[one.created], made[one.revision], unit.now):
            raise NotAllowed.of("not_yours.result", result=one.id)


def change_states(unit: UnitOfWork, rows: list[LiveResult], how: Transition) -> None:
    """Give results another state."""
    if not rows:
        raise Refused.of("missing.results", field="results")
    for before in rows:
        if before.state not in how.come_from:
            state = "counted" if before.state == COUNTS else before.state
            raise Conflict.of("wrong_state.act", result=before.id, state=state, done=how.done)
    describe_act(unit, rows[0])
    if len(rows) > 1:
        unit.detail = {"results": len(rows)}
        if len({row.category for row in rows}) > 1:
            unit.category = None
    for before in rows:
        add_version(
            unit, before, before._replace(state=how.go_to, revision=unit.revision), how.status
        )
    unit.listed = len(rows) <= MAX_LISTED_RESULTS


def describe_act(unit: UnitOfWork, one: LiveResult) -> None:
    """Set the category and the detail of the revision."""
    unit.category, unit.detail = unit.category_of(one), {"result": one.id}


def add_version(unit: UnitOfWork, before: LiveResult, after: LiveResult, status: str) -> None:
    """Add a version of a result and its row of the commit result."""
    if COUNTS in (before.state, after.state):
        unit.touched.update(map(unit.canonical, before.players))
    unit.add_version(unit.category_of(before), after, before.state)
    unit.statuses.append(RowStatus(len(unit.statuses), before.id, status))


# -- players and their identity --

MOST_ADDED = 1_000  # players in one request
MOST_FIXTURES = 5_000  # games to come in one request


@dataclass(frozen=True)
class AddPlayers:
    """Add players to a category, also before their first game; unknown names make new players."""

    kind: ClassVar[str] = "add_players"
    scope: ClassVar[str] = "correct"

    names: tuple[str, ...]
    category: str | None = None
    reason: str | None = None
    look_alikes: bool = False  # whether new names that look like known ones are meant

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        category = unit.registry.category(self.category)
        if not self.names:
            raise Refused.of("missing.names", field="names")
        numbers, errors = list[int](), list[Refused]()
        for row, called in enumerate(self.names):
            try:
                number = unit.find_number(called)
                numbers.append(number or unit.add_player(
                    unit.checked_name(called, "names", self.look_alikes)
                ))  # fmt: skip
            except Refused as error:
                errors.append(error.at(row))
        if errors:
            raise RefusedMany(errors, len(self.names))
        added = join_category(unit, category, numbers)
        if not added:
            raise Conflict.of("nothing_changes.players", category=category.key)
        unit.category = category
        unit.detail = {"player": added[0]} if len(added) == 1 else {"players": len(added)}


def join_category(unit: UnitOfWork, category: Category, players: Iterable[int]) -> list[int]:
    """Add those of some players to a category who are not there; their numbers."""
    asked = dict.fromkeys(map(unit.canonical, players))
    known = set(map(unit.canonical, unit.registry.members.get(category.id, ())))
    known |= {unit.canonical(player) for one in unit.entered for player in one.players}
    known |= find_rated(unit, category, asked.keys() - known)
    added = [one for one in asked if one not in known]
    unit.numbers["players"] = len(added)
    if added:
        unit.touched.update(added)
        unit.rows[member] += [
            {"category_id": category.id, "player_id": one, "revision": unit.revision}
            for one in added
        ]
        new = dict.fromkeys(added, unit.revision)
        unit.effects.append(
            lambda registry: registry.members.setdefault(category.id, {}).update(new)
        )
    return added


@dataclass(frozen=True)
class Schedule:
    """Games to come of a category of games between two; unknown names make new players.

    A result of the two that is entered later ends it, dated from a week before to 30 days after.
    """

    kind: ClassVar[str] = "schedule"
    scope: ClassVar[str] = "correct"

    games: tuple[PlannedGame, ...]
    category: str | None = None
    reason: str | None = None
    look_alikes: bool = False  # whether new names that look like known ones are meant
    once: bool = False  # whether games that were settled or struck are not to come again

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        category = unit.registry.category(self.category)
        if not category.duels:
            raise Refused.of("no_pairings.category", category=category.key, field="category")
        if not self.games:
            raise Refused.of("missing.games", field="games")
        if len(self.games) > MOST_FIXTURES:
            raise Refused.of(
                "too_many.games", most=MOST_FIXTURES, given=len(self.games), field="games"
            )
        if errors := plan_games(unit, category, self):
            raise RefusedMany(errors, len(self.games))
        if not unit.fixtures:
            raise Conflict.of("nothing_changes.fixtures", category=category.key)
        unit.category = category


def plan_games(unit: UnitOfWork, category: Category, asked: Schedule) -> list[Refused]:
    """Add those games to come that are not there, and their players; the errors of the others.

    With `once` a game that is planned for another time than in `asked` is moved there, and games of
    days before today say which of those that wait stand in the table still.
    """
    errors, games, past = list[Refused](), list[Fixture](), list[Fixture]()

    def as_planned(one: PlannedGame, numbers: Iterable[int]) -> Fixture:
        a, b = map(unit.canonical, numbers)
        return Fixture(0, unit.revision, category.id, one.time, a, b, one.side)

    for row, one in enumerate(asked.games):
        try:
            if asked.once and one.time <= unit.now - DAY_US:
                past.append(as_planned(one, map(unit.find_number, one.players)))
                continue
            if not is_to_come(one.time, unit.now):
                raise Refused.of("not_to_come", field="time")
            numbers = unit.enter_players(one, asked.look_alikes)
            game = as_planned(one, map(numbers.__getitem__, one.players))
            games.append(game)
        except Refused as error:
            errors.append(error.at(row))
    if not games:
        return errors
    join_category(unit, category, [player for game in games for player in (game.a, game.b)])
    there = find_planned(unit, category, games, asked.once)
    new = list[Fixture]()
    for game, count in Counter(games).items():
        most = count if game.time % DAY_US == 0 else 1  # a day may have several, an hour has one
        new += [game] * (most - there[game.time, *game.pairing])
    moved = find_moved(unit, [*past, *games], new) if asked.once else {}
    number = unit.connection.scalar(select(func.max(fixture.c.id))) or 0
    for game in new:
        if game in moved:
            unit.reschedule_fixture(moved[game], game.time)
        else:
            number += 1
            unit.add_fixture(game._replace(id=number))
    unit.detail |= {one: len(unit.fixtures[one]) for one in (ADDED, MOVED) if one in unit.fixtures}
    return errors


def find_planned(
    unit: UnitOfWork, category: Category, games: Sequence[Fixture], once: bool
) -> Counter[tuple[float, ...]]:
    """The games of a category in the days of some, with `once` also those that have ended: how many
    there are of each moment, both players and the side.
    """
    times = [one.time for one in games]
    within = fixture.c.time.between(min(times), max(times))
    query = select(fixture).where(fixture.c.category_id == category.id, within)
    return Counter(
        (one.time, unit.canonical(one.a), unit.canonical(one.b), one.side)
        for one in unit.connection.execute(query)
        if once or one.ended_revision is None
    )


def find_moved(
    unit: UnitOfWork, games: Sequence[Fixture], new: Sequence[Fixture]
) -> dict[Fixture, Fixture]:
    """The waiting game that each of the new games of a table is, at another time.

    A table that repeats games to come, perhaps at another hour, is a later edition of their plan.
    The one game of two players that waits and is not in it any more, of a day before its last, is
    their one new game there; otherwise those that wait are noted beside the new ones.
    """
    planned = {(one.time, *one.pairing) for one in games}
    days = {(one.time // DAY_US, *one.pairing) for one in games}
    last, since = max(one.time for one in games), unit.now - OVERDUE
    waiting = {
        known: known._replace(a=unit.canonical(known.a), b=unit.canonical(known.b)).pairing
        for known in chain.from_iterable(unit.waiting_fixtures.values())
        if known.category == games[0].category and known.time >= since
    }
    again, gone = False, defaultdict[tuple[int, int, float], list[Fixture]](list)
    for known, pairing in waiting.items():
        kept = (known.time // DAY_US, *pairing) in days
        again = again or kept
        passed = not is_to_come(known.time, unit.now)  # its day alone tells it: it has no new hour
        if not (kept and passed) and (known.time, *pairing) not in planned:
            gone[pairing].append(known)
    first = {one.pairing: one for one in new}
    moved = dict[Fixture, Fixture]()
    for pairing, count in Counter(one.pairing for one in new).items():
        left = gone.get(pairing, [])
        if again and count == len(left) == 1 and left[0].time <= last:
            moved[first[pairing]] = left[0]
        elif left:
            unit.fixtures[BESIDE] += left
    return moved


@dataclass(frozen=True)
class RecordTable(RecordResults):
    """The results of a table of one category, and the games to come that stand beside them.

    The rows of the games to come count on from those of the results. Those among them that are of a
    day before today have no result yet, and are not moved.
    """

    planned: tuple[PlannedGame, ...] = ()
    category: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        super().stage(unit)
        if not self.planned:
            return
        new = unit.opened.get(self.category or "")
        unit.category = category = new or unit.registry.category(self.category)
        games = Schedule(self.planned, look_alikes=self.look_alikes, once=True)
        done = len(self.submissions)
        errors = [one.at(done + (one.row or 0)) for one in plan_games(unit, category, games)]
        if errors and self.on_error == "stop":
            refuse_rows(errors, done + len(self.planned))
        unit.statuses += [RowStatus(one.row or 0, None, REFUSED, one) for one in errors]
        if {ADDED, MOVED} & unit.fixtures.keys() and not unit.entered:
            unit.kind = Schedule.kind


@dataclass(frozen=True)
class Cancel:
    """Strike a game to come."""

    kind: ClassVar[str] = "cancel"
    scope: ClassVar[str] = "correct"

    fixture: int
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        known = unit.registry.fixtures.get(self.fixture)
        if known is None:
            raise NotFound.of("no_such_fixture", fixture=self.fixture, field="fixture")
        unit.category = unit.registry.categories[known.category]
        unit.detail = {"fixtures": 1}
        unit.end_fixture(known, unit.revision)


def find_rated(unit: UnitOfWork, category: Category, players: set[int]) -> set[int]:
    """Those of some players who have results that count in a category."""
    people, found = unit.registry.people, set[int]()
    numbers = sorted({one for player in players for one in people.group(unit.canonical(player))})
    placed = and_(
        placing.c.result_id == version.c.result_id, placing.c.revision == version.c.revision
    )
    for seat in (version.c.a, version.c.b, placing.c.player_id):
        query = select(seat).distinct().join_from(result, version, CURRENT)
        if seat.table is placing:
            query = query.join(placing, placed)
        query = query.where(result.c.category_id == category.id, version.c.state == COUNTS)
        for start in range(0, len(numbers), QUERY_KEYS):
            some = seat.in_(numbers[start : start + QUERY_KEYS])
            found.update(unit.connection.scalars(query.where(some)))
    return set(map(unit.canonical, found))


@dataclass(frozen=True)
class Alias:
    """Add a name that leads to a player."""

    kind: ClassVar[str] = "alias"
    scope: ClassVar[str] = "admin"

    player: str
    name: str
    reason: str | None = None
    look_alikes: bool = False  # whether the name is meant though it looks like another player's

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        self.add_name(unit, unit.registry.people.find(self.player), self.name)

    def add_name(self, unit: UnitOfWork, number: int, called: str) -> str:
        """Add a name that is not in use to a player; returns its normal form. Raises Conflict."""
        known = unit.registry.people.names
        if called not in known:
            called = unit.checked_name(called, "name", self.look_alikes, number)
        if called in known:
            raise Conflict.of("name_taken", name=called, field="name")
        describe_player_act(unit, number)
        unit.rows[name].append({"name": called, "player_id": number})
        unit.effects.append(lambda registry: registry.people.add_name(called, number))
        return called


class Rename(Alias):
    """Change the displayed name; the old name still leads to the player."""

    kind: ClassVar[str] = "rename"

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        people = unit.registry.people
        number, called = people.find(self.player), self.name
        if called not in people.names:
            called = normal_name(called)
        if people.shown[number] == called:
            raise Conflict.of("nothing_changes.name", name=called, field="name")
        if people.names.get(called) != number:
            called = self.add_name(unit, number, called)
        describe_player_act(unit, number)
        unit.statements.append(update(player).where(player.c.id == number).values(name=called))
        unit.effects.append(lambda registry: registry.people.shown.update({number: called}))


@dataclass(frozen=True)
class Merge:
    """Merge a player into another, with all names and results. A split undoes it."""

    kind: ClassVar[str] = "merge"
    scope: ClassVar[str] = "admin"

    player: str
    into: str
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        people = unit.registry.people
        number, into = people.find(self.player), people.find(self.into)
        if number == into:
            raise Conflict.of("nothing_changes.one_player")
        merge_player(unit, number, into)
        unit.detail["into"] = into
        unit.touch_player(into)


@dataclass(frozen=True)
class Split:
    """Undo a merger; `player` is a name under which the merged player was entered."""

    kind: ClassVar[str] = "split"
    scope: ClassVar[str] = "admin"

    player: str
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        people = unit.registry.people
        number = people.number_as_entered(self.player)
        if number not in people.into:
            raise Conflict.of("not_merged", name=self.player, field="player")
        unit.touch_player(people.canonical(number))
        merge_player(unit, number, None)


@dataclass(frozen=True)
class Anonymise:
    """Delete a player's names for good; the games stay, under a pseudonym."""

    kind: ClassVar[str] = "anonymise"
    scope: ClassVar[str] = "admin"

    player: str
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        people = unit.registry.people
        own = people.find(self.player)
        describe_player_act(unit, own)
        unit.forgets = True
        names = {}
        group = people.group(own)
        known = {normal_name(one) for one, number in people.names.items() if number in group}
        drafts = find_drafts(unit.connection, known)
        unit.statements.append(delete(setting).where(setting.c.key.in_(drafts)))
        for number in group:
            pseudonym = f"anonymous-{number}"
            while people.names.get(pseudonym, number) != number:
                pseudonym += "-"
            names[number] = pseudonym
            listed = published_row.c.player_id == number
            unit.statements += [
                delete(name).where(name.c.player_id == number),
                insert(name).values(name=pseudonym, player_id=number),
                update(player).where(player.c.id == number).values(name=pseudonym, anonymous=True),
                update(published_row).where(listed).values(name=pseudonym),
            ]
        unit.effects.append(lambda registry: registry.people.replace_names(names))


def find_drafts(connection: Connection, names: set[str]) -> list[str]:
    """The settings that hold half-typed sheets with one of these names, also in a pasted list."""
    within = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names))

    def has_name(field: str, value: str) -> bool:
        if field == "list":
            return any(within.search(normal_name(line)) for line in value.splitlines())
        held = field == "new" or SEAT_FIELD.fullmatch(field) is not None
        return held and normal_name(value) in names

    kept = select(setting).where(setting.c.key.startswith(DRAFT_SETTING, autoescape=True))
    return [
        row.key
        for row in connection.execute(kept)
        if any(has_name(field, value) for field, value in json.loads(row.value)[1])
    ]


def describe_player_act(unit: UnitOfWork, number: int) -> None:
    """Note in the revision that names or the identity of a player change."""
    unit.detail, unit.renames = {"player": number}, True
    unit.touch_player(number)


def merge_player(unit: UnitOfWork, number: int, into: int | None) -> None:
    """Merge a player into another, or split them off (None), and replay their results."""
    describe_player_act(unit, number)
    took_part = current_version_names(unit.registry.people.group(number))
    counted = select_results(unit, took_part, version.c.state == COUNTS)
    unit.rows[identity].append(
        {"revision": unit.revision, "player_id": number, "merged_into": into}
    )
    unit.statements.append(update(player).where(player.c.id == number).values(merged_into=into))
    unit.into[number] = into
    for one in counted:
        unit.changes[unit.category_of(one).key][one.id] = unit.resolve_players(one)
    unit.effects.append(lambda registry: registry.people.merge(number, into))
