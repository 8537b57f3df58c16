"""UnitOfWork: the rows that a write act would write, and what changes on the ladders.

Staging reads the store and writes nothing, so a preview and a commit stage the same rows: the
preview drops them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from sqlalchemy import Connection, Executable, Table, insert, select, update

from prowess.games.names import normal_name
from prowess.live.errors import Conflict, NotFound
from prowess.live.journal.line_ups import named_again
from prowess.live.journal.outcomes import RowStatus
from prowess.live.journal.registry import Category, Registry
from prowess.live.journal.submission import Submission, check_name
from prowess.live.journal.versions import placing_rows, version_row
from prowess.live.names import described_letter, other_letter, skeleton
from prowess.live.result import COUNTS, Changes, LiveResult
from prowess.live.store.access import Actor
from prowess.live.store.queries import CURRENT, RESULT, find_results, read_results
from prowess.live.store.tables import name, placing, player, result, revision, version

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

Board = tuple["Ratings", "NDArray[np.int64]"]  # and the player's number of each row
SET_BACK = 60_000_000  # microseconds; by more a clock is set because it was wrong before
AT_ONCE = 500  # numbers asked for in one query


class UnitOfWork:
    """What one write act would write at the next revision."""

    def __init__(
        self, connection: Connection, registry: Registry, actor: Actor, clock: int
    ) -> None:
        """`clock` is the machine's, in microseconds since 1970.

        `now` is that too, of a clock that was set back a little the time of the last entry: results
        that say no time are played in the order in which they came. `at` is the stamp of the
        revision, which is never earlier than the one before.
        """
        self.connection, self.registry, self.actor = connection, registry, actor
        self.now = registry.at if clock < registry.at <= clock + SET_BACK else clock
        self.at = max(self.now, registry.at)
        self.revision = registry.revision + 1
        self.kind = ""
        self.reason: str | None = None
        self.category: Category | None = None
        self.detail: dict[str, Any] = {}
        self.statuses: list[RowStatus] = []
        self.listed = True  # whether the receipt lists them
        self.numbers: dict[str, int] = {}
        self.changes: dict[str, Changes] = {}  # by key of the category
        self.methods: dict[str, Category] = {}  # categories that are new or rated otherwise
        self.opened: dict[str, Category] = {}  # categories that this entry makes
        self.touched: set[int] = set()  # players
        self.rows: list[tuple[Table, list[dict[str, Any]]]] = []
        self.statements: list[Executable] = []
        self.effects: list[Callable[[Registry], None]] = []  # on what is in memory
        self.newcomers: dict[str, int] = {}
        self._looks: dict[str, str] = {}  # what is seen of the newcomers' names -> the name
        self.forgets = False  # whether what is overwritten must be gone from the files
        self.names = False  # whether players are called otherwise from now on
        self.board: Callable[[Category, float | None], Board | None] = lambda *_: None
        self._next_player, self._next_result = registry.next_player, registry.next_result
        self._again = False  # whether results that are there say something else
        self._into = dict[int, int | None]()
        self._inserts: dict[str, list[dict[str, Any]]] = {}

    def category_called(self, key: str | None) -> Category:
        """A category by key, one that this entry makes among them; raises NotFound, Refused."""
        return self.opened[key] if key in self.opened else self.registry.category(key)

    # -- players --

    def player(self, called: str) -> int:
        """The number a name is entered for; a new name, checked before, makes a new player."""
        number = self.known_player(called)
        if not number:
            number = self._next_player
            self._next_player += 1
            written = normal_name(called)
            self.newcomers[written] = number
            self._looks[skeleton(written)] = written
        return number

    def known_player(self, called: str) -> int:
        """The number a name is entered for; 0 for an unknown name."""
        number = self.registry.people.number_of(called)
        return number or (self.newcomers.get(normal_name(called), 0) if self.newcomers else 0)

    def check_players(self, one: Submission, look_alikes: bool) -> None:
        """Raise Refused for a bad new name, and for a player who is named twice."""
        seen = dict[int | str, str]()  # the side of each player
        for field, called in one.names():
            assert called is not None
            number = self.known_player(called)
            player = (
                self.canonical(number) if number else self.checked_name(called, field, look_alikes)
            )
            side = field.rpartition(".players.")[0] or field
            if player in seen:
                raise named_again(called, seen[player] != side, field)
            seen[player] = side

    def checked_name(self, called: str, field: str, look_alikes: bool, own: int = 0) -> str:
        """The normal form of a new name; raises Refused, Conflict.

        A name that looks like another player's is refused, unless `look_alikes` says that it is
        meant; `own` is the player who may have such names.
        """
        written = check_name(called, field)
        like = self.registry.people.look_alike(written) or self._looks.get(skeleton(written))
        if like is None or look_alikes:
            return written
        if own and self.registry.people.find(like) == self.registry.people.canonical(own):
            return written
        other = other_letter(written, like)
        letter = f": it holds {described_letter(other)}" if other else ""
        raise Conflict(
            "look_alike",
            f"write {like!r}, or confirm with look_alikes that {written!r} is another player: the "
            f"names look the same and are not{letter}",
            field=field,
        )

    @cached_property
    def forgotten(self) -> frozenset[int]:
        """The numbers of all anonymised players."""
        return frozenset(self.connection.scalars(select(player.c.id).where(player.c.anonymous)))

    def canonical(self, number: int) -> int:
        """The player who has the results entered for a number, after this entry."""
        people = self.registry.people
        while True:
            into = self._into.get(number, people.into.get(number))
            if into is None:
                return number
            number = into

    def names_of(self, numbers: Iterable[int]) -> dict[int, str]:
        """The name of each number, new players included."""
        known = self.registry.people.shown
        new = {number: called for called, number in self.newcomers.items()}
        return {number: known.get(number) or new[number] for number in numbers}

    def note_merger(self, number: int, into: int | None) -> None:
        """Note that `number` is merged into `into` from this revision on (None: split off)."""
        self._into[number] = into

    # -- results --

    def result_number(self) -> int:
        """A number for a new result."""
        self._next_result += 1
        return self._next_result - 1

    def insert(self, table: Table, row: dict[str, Any]) -> None:
        """Add a row to be written."""
        if table.name not in self._inserts:
            self._inserts[table.name] = []
            self.rows.append((table, self._inserts[table.name]))
        self._inserts[table.name].append(row)

    def add_version(self, category: Category, one: LiveResult, before: str | None = None) -> None:
        """A new version of a result; `before` is the state it had, None for a new result."""
        one = one._replace(revision=self.revision)
        self.insert(version, version_row(one))
        for row in placing_rows(one):
            self.insert(placing, row)
        played = one.with_players(self.canonical)
        self.touched.update(played.players)
        if one.state == COUNTS:
            self.play(category, played)
        elif before == COUNTS:
            self.change(category, one.id, None)
        self._again |= before is not None

    def play(self, category: Category, one: LiveResult) -> None:
        """Note a result to be played; raises Conflict where a player would be in it twice."""
        if len(set(one.players)) < len(one.players):
            whole = all(len({p for p, _ in s.members}) == len(s.members) for s in one.sides)
            where = "both sides" if whole else "one side twice"
            raise Conflict(
                "self_play" if whole else "twice",
                f"result {one.id} would have one player on {where} (two names of the player)",
            )
        self.change(category, one.id, one)

    def change(self, category: Category, number: int, one: LiveResult | None) -> None:
        """Note a change for the ladder of a category."""
        self.changes.setdefault(category.key, {})[number] = one

    # -- reading --

    def current(self, numbers: Iterable[int]) -> list[LiveResult]:
        """Results by number in their current versions; raises NotFound."""
        wanted = list(dict.fromkeys(numbers))
        found = {one.id: one for one in find_results(self.connection, wanted)}
        for number in wanted:
            if number not in found:
                raise NotFound("no_such_result", f"there is no result {number}")
        return [found[number] for number in wanted]

    def select(self, *conditions: Any) -> list[LiveResult]:
        """Results that meet conditions on `result` and the current `version`, by number."""
        asked = select(*RESULT).join_from(result, version, CURRENT).where(*conditions)
        return read_results(self.connection, asked.order_by(result.c.id))

    def category_of(self, one: LiveResult) -> Category:
        """The category of a result."""
        return self.registry.category_numbered(one.category)

    # -- writing --

    def write(self) -> None:
        """Write all rows, referenced rows first."""
        self.connection.execute(
            insert(revision),
            {
                "id": self.revision,
                "at": self.at,
                "kind": self.kind,
                "token_id": self.actor.token,
                "category_id": None if self.category is None else self.category.id,
                "reason": self.reason,
                "detail": self.detail,
            },
        )
        if self.newcomers:
            self.connection.execute(
                insert(player),
                [
                    {
                        "id": number,
                        "name": called,
                        "merged_into": None,
                        "anonymous": False,
                        "created_revision": self.revision,
                    }
                    for called, number in self.newcomers.items()
                ],
            )
            self.connection.execute(
                insert(name),
                [{"name": called, "player_id": n} for called, n in self.newcomers.items()],
            )
        for table, rows in self.rows:
            self.connection.execute(insert(table), rows)
        if self._again:
            changed = select(version.c.result_id).where(version.c.revision == self.revision)
            self.connection.execute(
                update(result).where(result.c.id.in_(changed)).values(revision=self.revision)
            )
        for statement in self.statements:
            self.connection.execute(statement)

    def update_registry(self) -> None:
        """Update the registry in memory to what was written."""
        registry = self.registry
        registry.revision, registry.at = self.revision, self.at
        registry.next_player, registry.next_result = self._next_player, self._next_result
        for called, number in self.newcomers.items():
            registry.people.add_name(called, number)
            registry.people.shown[number] = called
        for effect in self.effects:
            effect(registry)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.rows or self.statements or self.effects)


def check_state(one: LiveResult, states: Collection[str], what: str) -> None:
    """Raise Conflict where a result is in another state."""
    if one.state not in states:
        state = "counted" if one.state == COUNTS else one.state
        raise Conflict("wrong_state", f"result {one.id} is {state}: it cannot be {what}")


class WriteAct(Protocol):
    """A change of the stored facts."""

    kind: ClassVar[str]
    scope: ClassVar[str]  # what a token must be allowed

    def stage(self, unit: UnitOfWork) -> None:
        """Check the values and add the rows to the unit of work; raises Refused."""
