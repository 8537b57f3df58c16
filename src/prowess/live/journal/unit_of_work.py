"""UnitOfWork: the rows that a write act would write, and its effect on the ladders; outcomes.

Staging reads the store and writes nothing, so a preview and a commit stage the same rows: the
preview drops them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from sqlalchemy import Connection, Executable, Table, bindparam, select, update

from prowess.games.names import normal_name
from prowess.games.reading import format_count
from prowess.live.errors import Conflict, NotFound, Refused
from prowess.live.journal.registry import EARLIEST_FIRST, Category, Fixture, Registry
from prowess.live.journal.submission import PlannedGame, Submission, named_again
from prowess.live.names import check_looks, check_name, look_keys
from prowess.live.result import COUNTS, EARLY, OVERDUE, Changes, LiveResult, is_about
from prowess.live.store.access import Actor
from prowess.live.store.queries import (
    ReportKey,
    find_results,
    result_rows,
)
from prowess.live.store.tables import (
    IN_ORDER,
    fixture,
    insert_rows,
    name,
    placing,
    player,
    result,
    revision,
    version,
)
from prowess.live.store.visibility import REPORTER, is_hidden_player

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings
    from prowess.live.ladder.ladder import Preview


RatedPlayers = tuple["Ratings", "NDArray[np.int64]"]  # and the player's number of each row
SET_BACK = 60_000_000  # microseconds; by more a clock is set because it was wrong before
MARK_CHANGED = (  # the results that have a version of a revision
    update(result)
    .where(
        result.c.id.in_(
            select(version.c.result_id).where(version.c.revision == bindparam("changed"))
        )
    )
    .values(revision=bindparam("changed"))
)


class IdentifiedRow(NamedTuple):
    """A reported result with its source, or why it is refused; and the keys under which it may
    have been reported before, its own first.
    """

    given: Submission
    keys: Sequence[ReportKey] = ()
    error: Refused | None = None


class LookedUp(NamedTuple):
    """The results that an act reports, and those that were recorded under such keys before."""

    rows: Sequence[IdentifiedRow]
    found: dict[ReportKey, LiveResult]


class UnitOfWork:
    """What one write act would write at the next revision."""

    def __init__(
        self,
        connection: Connection,
        registry: Registry,
        actor: Actor,
        clock: int,
        looked_up: LookedUp | None,
    ) -> None:
        """`clock` is the machine's, in microseconds since 1970; `looked_up` are the results that
        this act reports, if others were looked up with them.

        `now` is the same, or the time of the last act where the clock was set back a little:
        results without a time are played in the order in which they came. `at` is the stamp of
        the revision, which is never earlier than the one before.
        """
        self.connection, self.registry, self.actor = connection, registry, actor
        self.looked_up = looked_up
        self.now = registry.at if clock < registry.at <= clock + SET_BACK else clock
        self.at = max(self.now, registry.at)
        self.revision = registry.revision + 1
        self.kind = ""
        self.reason: str | None = None
        self.category: Category | None = None
        self.detail: dict[str, Any] = {}
        self.statuses: list[RowStatus] = []
        self.entered: list[LiveResult] = []  # new results
        self.listed = True  # whether the receipt lists them
        self.numbers: dict[str, int] = {}
        self.fixtures = defaultdict[str, list[Fixture]](list)  # by what happens to them
        self.changes: defaultdict[str, Changes] = defaultdict(dict)  # by key of the category
        self.methods: dict[str, Category] = {}  # categories that are new or rated otherwise
        self.opened: dict[str, Category] = {}  # categories that this act makes
        self.touched: set[int] = set()  # players
        self.withheld: set[int] = set()  # results that the public does not see
        self.rows: defaultdict[Table, list[dict[str, Any]]] = defaultdict(list)
        self.statements: list[Executable] = []
        self.effects: list[Callable[[Registry], None]] = []  # on what is in memory
        self.newcomers: dict[str, int] = {}
        self.into: dict[int, int | None] = {}  # mergers and splits (None) of this act
        self._looks: dict[str, str] = {}  # what is seen of the newcomers' names -> the name
        self.forgets = False  # whether what is overwritten must be gone from the files
        self.renames = False  # whether a name of a player changes
        self.board: Callable[[Category, float | None], RatedPlayers | None] = lambda *_: None
        self.next_player, self.next_result = registry.next_player, registry.next_result
        self.reports: dict[ReportKey, LiveResult] = {}  # new results with an external number
        self.deliveries = 0  # messages that were queued for webhooks
        self.changes_results = False  # whether results that were recorded change

    # -- players --

    def find_number(self, called: str) -> int:
        """The number for which a name was entered, before or by this act; 0 for an unknown one."""
        number = self.registry.people.number_of(called)
        return number or self.newcomers.get(normal_name(called), 0)

    def enter_players(self, one: Submission | PlannedGame, look_alikes: bool) -> dict[str, int]:
        """The number of each player of a submission by name; an unknown name makes a new player.

        Raises Refused for a bad new name, and for a player who is named twice.
        """
        people, numbers = self.registry.people, dict[str, int]()
        seen = dict[int | str, str]()  # the side of each player
        for path, called in one.names():
            assert called is not None
            number = people.names.get(called) or self.find_number(called)
            own = people.canonical(number) or self.checked_name(called, path, look_alikes)
            side = path.rpartition(".players.")[0] or path
            if own in seen:
                raise named_again(called, seen[own] != side, path)
            seen[own], numbers[called] = side, number
        for called, number in numbers.items():
            if not number:
                numbers[called] = self.add_player(normal_name(called))
        return numbers

    def add_player(self, written: str) -> int:
        """Make a new player of a name that was checked; returns the number."""
        number = self.newcomers[written] = self.next_player
        self._looks |= dict.fromkeys(look_keys(written), written)
        self.next_player += 1
        self.rows[player].append(
            {
                "id": number,
                "name": written,
                "merged_into": None,
                "anonymous": False,
                "created_revision": self.revision,
            }
        )
        self.rows[name].append({"name": written, "player_id": number})
        return number

    def checked_name(self, called: str, field: str, look_alikes: bool, own: int = 0) -> str:
        """The normal form of a new name; raises Refused, Conflict.

        A name that looks like another player's, or mixes scripts in a word, is refused unless
        `look_alikes` says that it is meant; `own` is the player who may have such names.
        """
        written = check_name(called, field)
        like = None if look_alikes else self.find_like(written, own)
        is_own = bool(own) and like is None and self.find_like(written) is not None
        if not look_alikes and not is_own:
            check_looks(written, like, field)
        return written

    def find_like(self, written: str, own: int = 0) -> str | None:
        """A name that looks like a new one: a known one, or another new one of this act."""
        new = (self._looks[key] for key in look_keys(written) if key in self._looks)
        return self.registry.people.look_alike(written, own) or next(new, None)

    @cached_property
    def forgotten(self) -> frozenset[int]:
        """The numbers of all anonymised players."""
        return frozenset(self.connection.scalars(select(player.c.id).where(player.c.anonymous)))

    def canonical(self, number: int) -> int:
        """The player who has the results entered for a number, after this act."""
        people = self.registry.people
        while True:
            into = self.into.get(number, people.into.get(number))
            if into is None:
                return number
            number = into

    def touch_player(self, number: int) -> None:
        """Note a player whose identity changes, unless the public does not know them yet."""
        if not is_hidden_player(self.connection, self.registry.people.group(number)):
            self.touched.add(number)

    # -- results --

    def add_version(self, category: Category, one: LiveResult, before: str | None = None) -> None:
        """Add a version of a result; `before` is the state it had, None for a new result."""
        if before is None:
            self.next_result = one.id + 1
            self.entered.append(one)
            if one.external_id is not None:
                self.reports[one.source, one.external_id] = one
            self.rows[result].append(
                {
                    "id": one.id,
                    "category_id": category.id,
                    "source": one.source,
                    "external_id": one.external_id,
                    "created_revision": one.created,
                    "revision": one.revision,
                }
            )
        row, seats = result_rows(one)
        self.rows[version].append(row)
        if seats:
            self.rows[placing] += seats
        merged = self.into or self.registry.people.into
        played = self.resolve_players(one) if merged else one
        if one.state == COUNTS:
            self.changes[category.key][one.id] = played
        elif before == COUNTS:
            self.changes[category.key][one.id] = None
        if before is not None or self.registry.fixtures:
            self.settle_fixture(category, played, before)
        if COUNTS in (one.state, before):
            self.touched.update(played.players)
        else:
            self.withheld.add(one.id)
        self.changes_results |= before is not None

    def add_fixture(self, one: Fixture) -> None:
        """Add a fixture."""
        self.fixtures[ADDED].append(one)
        row = one._asdict()
        self.rows[fixture].append(row | {"category_id": row.pop("category")})
        self.effects.append(lambda registry: registry.fixtures.update({one.id: one}))

    def settle_fixture(self, category: Category, one: LiveResult, before: str | None) -> None:
        """End the nearest fixture of the two players that a result settles, if it was there before
        the result; the one that it settled comes again where it counts no more, or no longer fits.
        """
        counts, meeting = one.state == COUNTS, (category.id, frozenset(one.players))
        held = None if before is None else self.settled_fixtures.get(one.id)
        if held is not None:
            fits = counts and self._meeting_of(held) == meeting and is_settled_by(held, one)
            if fits or held.time + OVERDUE < self.now:
                return
            self.end_fixture(held, None)
        waiting = self.waiting_fixtures.get(meeting, []) if counts else []
        fitting = [known for known in waiting if is_settled_by(known, one)]
        if fitting:
            nearest = min(fitting, key=lambda known: abs(known.time - one.time))
            waiting.remove(nearest)
            self.fixtures[SETTLED].append(nearest)
            self.end_fixture(nearest, self.revision, one.id)

    def reschedule_fixture(self, one: Fixture, time: int) -> None:
        """Give a fixture another time."""
        after = one._replace(time=time)
        self.fixtures[MOVED].append(after)
        self.statements.append(update(fixture).where(fixture.c.id == one.id).values(time=time))
        self.effects.append(lambda registry: registry.fixtures.update({one.id: after}))

    def end_fixture(self, one: Fixture, ended: int | None, by: int | None = None) -> None:
        """Note that a fixture was settled `by` a result or struck at a revision, or, without one,
        is to come.
        """
        moved = update(fixture).where(fixture.c.id == one.id)
        self.statements.append(moved.values(ended_revision=ended, result_id=by))

        def move(registry: Registry) -> None:
            registry.fixtures.pop(one.id, None)
            if ended is None:
                registry.fixtures[one.id] = one

        self.effects.append(move)

    @cached_property
    def waiting_fixtures(self) -> Mapping[tuple[int, frozenset[int]], list[Fixture]]:
        """The fixtures of each category and pair, the earliest first."""
        found = defaultdict[tuple[int, frozenset[int]], list[Fixture]](list)
        for one in sorted(self.registry.fixtures.values(), key=EARLIEST_FIRST):
            found[self._meeting_of(one)].append(one)
        return found

    @cached_property
    def settled_fixtures(self) -> Mapping[int, Fixture]:
        """Those that a result settled, by its number, but for older ones: the result of such a one
        fits no other that is not overdue.
        """
        late = fixture.c.time + 2 * OVERDUE + EARLY >= self.now
        settled = fixture.c.result_id.is_not(None)
        found = self.connection.execute(select(fixture).where(settled & late))
        return {row.result_id: Fixture.of(row) for row in found}

    def _meeting_of(self, one: Fixture) -> tuple[int, frozenset[int]]:
        return one.category, frozenset(map(self.canonical, (one.a, one.b)))

    def resolve_players(self, one: LiveResult) -> LiveResult:
        """A result of those into whom its players are merged; raises Conflict where it counts and
        would have a player twice.
        """
        one = one.with_players(self.canonical)
        if one.state == COUNTS and len(set(one.players)) < len(one.players):
            whole = all(len({p for p, _ in s.members}) == len(s.members) for s in one.sides)
            where = "both sides" if whole else "one side twice"
            raise Conflict(
                "self_play" if whole else "twice",
                f"result {one.id} would have one player on {where} (two names of the player)",
            )
        return one

    # -- reading --

    def current(self, numbers: Iterable[int]) -> list[LiveResult]:
        """Results by number in their current versions; raises NotFound."""
        wanted = list(dict.fromkeys(numbers))
        found = {one.id: one for one in find_results(self.connection, wanted)}
        for number in wanted:
            if number not in found:
                raise NotFound.of("no_such_result.here", number=number)
        return [found[number] for number in wanted]

    def category_of(self, one: LiveResult) -> Category:
        """The category of a result."""
        return self.registry.categories[one.category]

    # -- writing --

    def update_registry(self) -> None:
        """Update the registry in memory to what was written."""
        registry = self.registry
        registry.revision, registry.at = self.revision, self.at
        registry.next_player, registry.next_result = self.next_player, self.next_result
        for called, number in self.newcomers.items():
            registry.people.add_name(called, number)
            registry.people.shown[number] = called
        for effect in self.effects:
            effect(registry)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.rows or self.statements or self.effects)

    def receipt(self) -> CommitResult:
        """What the actor gets once it is durable."""
        return CommitResult(
            self.kind,
            self.registry.revision if self.empty else self.revision,
            self.at,
            tuple(self.statuses) if self.listed else (),
            self.numbers | {name: len(ones) for name, ones in self.fixtures.items()},
            count=len(self.statuses),
            entered=tuple(self.entered),
            changed=(*self.changes, *self.methods),
        )


def is_settled_by(known: Fixture, one: LiveResult) -> bool:
    """Whether a result of the same two players was played about when it was to be, and entered
    after it was planned.
    """
    return known.created_revision < one.created and is_about(known.time, one.time)


def write_units(connection: Connection, units: Sequence[UnitOfWork]) -> None:
    """Write units of work: one statement a table, referenced rows first."""
    for unit in units:
        unit.rows[revision] = [
            {
                "id": unit.revision,
                "at": unit.at,
                "kind": unit.kind,
                "token_id": unit.actor.token,
                "category_id": None if unit.category is None else unit.category.id,
                "reason": unit.reason,
                "detail": unit.detail,
            }
        ]
    together: defaultdict[Table, list[dict[str, Any]]] = defaultdict(list)
    for unit in units:
        for table, rows in unit.rows.items():
            together[table] += rows
    for table in IN_ORDER:
        if added := together.get(table):
            insert_rows(connection, table, added)
    for unit in units:
        if unit.changes_results:
            connection.execute(MARK_CHANGED, {"changed": unit.revision})
        for statement in unit.statements:
            connection.execute(statement)


class WriteAct(Protocol):
    """A change of the stored facts."""

    kind: ClassVar[str]
    scope: ClassVar[str]  # what a token must be allowed; see `may_enter`

    def stage(self, unit: UnitOfWork) -> None:
        """Check the values and add the rows to the unit of work; raises Refused."""


def may_enter(actor: Actor, act: WriteAct | type[WriteAct]) -> bool:
    """Whether an actor has a scope for an act; one that `mends` is open to reporters as well."""
    return any(map(actor.may, scopes_of(act)))


def scopes_of(act: WriteAct | type[WriteAct]) -> tuple[str, ...]:
    """The scopes of which an actor needs one."""
    return (act.scope, REPORTER) if getattr(act, "mends", False) else (act.scope,)


# -- outcomes of a commit or a preview, and the events that listeners receive --


RECORDED, ALREADY, REFUSED, CORRECTED = "recorded", "already", "refused", "corrected"
RESTORED, ACCEPTED = "restored", "accepted"
ADDED, MOVED, SETTLED, BESIDE = "fixtures", "moved", "settled", "beside"  # games to come
DONE_TO_GAMES = {  # in words
    ADDED: "added", MOVED: "moved to another time", SETTLED: "settled by a result",
    BESIDE: "planned for another time, too",
}  # fmt: skip
MAX_LISTED_RESULTS = 1_000  # of a change of many that are listed one by one


def describe_games_to_come(numbers: Mapping[str, int]) -> list[str]:
    """What is done to games to come: `2 games to come added`."""
    done = ((numbers.get(name), words) for name, words in DONE_TO_GAMES.items())
    return [f"{format_count(count, 'game')} to come {words}" for count, words in done if count]


class RowStatus(NamedTuple):
    """The outcome of one row of a write act."""

    row: int
    id: int | None  # the number of the result; None where refused
    status: str  # one of the words above, or HELD, VOID, REJECTED
    error: Refused | None = None


@dataclass(frozen=True)
class CommitResult:
    """The result of a commit: durable, and in effect from this revision on.

    `revision` is the latest one where nothing had to be written; `replayed` says that the same
    request had been answered before.
    """

    kind: str
    revision: int
    at: int  # microseconds
    results: tuple[RowStatus, ...] = ()
    numbers: dict[str, int] = field(default_factory=dict)  # of what was made: category, list, ...
    replayed: bool = False
    count: int = 0  # of results; those of a change of more than MAX_LISTED_RESULTS are only counted
    entered: tuple[LiveResult, ...] = field(default=(), compare=False)  # new results; none replayed
    changed: tuple[str, ...] = field(default=(), compare=False)  # categories with other ratings

    def as_data(self) -> dict[str, Any]:
        """Plain data without any name, to be kept with an Idempotency-Key."""
        refused = [
            [t.row, t.error.code, t.error.status, t.error.field] for t in self.results if t.error
        ]
        return {
            "kind": self.kind,
            "revision": self.revision,
            "at": self.at,
            "results": [[t.row, t.id, t.status] for t in self.results],
            "refused": refused,
            "numbers": self.numbers,
            "count": self.count,
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> CommitResult:
        """The result kept by `as_data`, marked as replayed."""
        errors = {}
        for row, code, status, where in data["refused"]:
            error = Refused(code, "refused when first sent", row=row, field=where)
            error.status = status
            errors[row] = error
        taken = tuple(
            RowStatus(row, id_, how, errors.get(row)) for row, id_, how in data["results"]
        )
        return cls(
            data["kind"],
            data["revision"],
            data["at"],
            taken,
            data["numbers"],
            replayed=True,
            count=data.get("count", len(taken)),
        )


@dataclass(frozen=True)
class PreviewResult:
    """The effect of a write act on each ladder, by the key of its category."""

    kind: str
    revision: int  # on which this holds
    results: tuple[RowStatus, ...]
    previews: dict[str, Preview]
    count: int = 0  # of results, see CommitResult
    names: Mapping[int, str] = field(default_factory=dict)  # of the movers, as they would be
    fixtures: Mapping[str, Sequence[Fixture]] = field(default_factory=dict)  # by what happens


class JournalEvent(NamedTuple):
    """A revision that took effect, as listeners receive it."""

    revision: int
    at: int
    kind: str
    category: str | None
    results: tuple[int, ...]
    players: tuple[int, ...]
    deliveries: int = 0  # messages that were queued for webhooks


ACT_EVENTS = {  # by kind of act
    "record": "result.recorded",
    "opening": "result.recorded",
    "correct": "correction.applied",
    "void": "correction.applied",
    "restore": "correction.applied",
    "accept": "correction.applied",
    "reject": "correction.applied",
    "publish": "list.published",
    "new_season": "season.made",
    "new_category": "category.changed",
    "rename_category": "category.changed",
    "change_site": "category.changed",
    "add_players": "player.changed",
    "schedule": "category.changed",
    "cancel": "category.changed",
    "change_method": "category.changed",
    "alias": "player.changed",
    "rename": "player.changed",
    "merge": "player.changed",
    "split": "player.changed",
    "anonymise": "player.changed",
}
