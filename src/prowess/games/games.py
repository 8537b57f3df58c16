"""A table of results: contests of sides, sides of members, as columns that were checked once.

Later code relies on these checks: ids are in range, scores are in [0, 1], times are finite and
ascending, no player stands twice in one contest (a member of another role may, on two sides).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as replace_fields
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from prowess.games.arguments import check_count, check_number, check_rows
from prowess.games.reading import NOT_READ, Reading, format_count
from prowess.games.runs import bounds_of, repeat_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prowess.compile.numbers import Floats
    from prowess.games.player_facts import PlayerFacts

    Ids = NDArray[np.uint32]
    Bounds = NDArray[np.int64]

DUELS = ("a", "b")  # columns of a table of games of one player against one
BASIC = ("a", "b", "score", "start", "ends", "player", "share", "place")  # the rest are facts
OF_SIDES = ("place", "points")  # columns with one entry a side
LEAST_SHARE = 1e-6  # of a contest, for a member who took part
OF_MEMBERS = ("player", "share")  # columns with one entry a member
PLAYER = "player"  # the role of those whom a leaderboard shows
BYE = "bye"  # the role of a name that is nobody: who meets it has a bye, and no opponent
UNPLAYED = "unplayed"  # the fact that a game was awarded: 1 for byes and walkovers, else 0
RoleKind = str  # `player`, `per`, `with`; a system may add kinds of its own
CATEGORIES = ("league", "context", "variant", "voter")  # facts that tell kinds of games apart
NO_FACTS: Mapping[str, Any] = MappingProxyType({})


class Games:
    """Results in order of time (those of equal time keep theirs), as columns.

    Contest c has the sides `start[c]:start[c + 1]`, side s the members `ends[s]:ends[s + 1]`,
    member m is the player `player[m]` with the share `share[m]`. These columns can be read of
    every table, whatever is stored:

    - a table of *duels* (games of one player against one) stores `a`, `b` and `score`;
    - a *pairwise* table (games of two sides) stores `ends`, `player`, `score`;
    - any other table stores `start`, `player`, `place`, and `ends` where sides have members.

    `a`, `b` and `score` exist only where they are stored. Optional columns are None where the
    table does not say. Columns are C-contiguous.

    Args:
        players: the roster; ids index it, in order of first appearance.
        a, b: [contests] ids of the two players.
        score: [contests] of the first side, in [0, 1].
        time: [contests] days since 1970-01-01 UTC.
        round: [contests] number of the table's own round label.
        side: [contests] +1 where the first side has the side advantage (White, home), -1 the other.
        weight: [contests] above 0; a game of weight w counts as w games.
        margin: [contests] by how much the first side won, negative when the second did.
        length: [contests] rounds, moves or minutes, above 0.
        points_a, points_b: [contests] what the two sides scored.
        start: [contests + 1] where the sides of a contest begin; None: two sides each.
        ends: [sides + 1] where the members of a side begin; None: one member each.
        player: [members] ids.
        share: [members] above 0, how much of the contest a member took part in; None: all of it.
        place: [sides] 1 is best, equal places are ties.
        points: [sides] as the table gives them.
        facts: further columns of numbers, [contests], by name; those called `league`, `context`
            and `variant` are the categories of a game.
        labels: of a fact that is a category, the words of its numbers.
        role: [players] the number of each player's role in `roles`; None: all are players.
        roles: the names of the roles; the first is that of players.
        role_kinds: of each role: `player`; `per`, members of one player each, such as Nadal@clay;
            or `with`, members that players share, such as a car. None: all others are `with`.
        crew: [players] how many players the first side had on which each stood, where that matters
            to the system that plays the table; None: it does not.
        season: the fact that names the season of a contest, or the day on which seasons begin, such
            as 07-01; None: there are none.
        player_facts: facts of players by name, such as their birth years; None: nothing is known.
        notes: what the reader guessed, left out or found suspicious.
        reading: how the source was understood, with the notes; empty for a table that was made.

    >>> import prowess
    >>> games = prowess.read_games({"a": ["Ann", "Bob"], "b": ["Bob", "Cid"], "score": [1, 0.5]})
    >>> len(games), games.first(1).score.tolist(), games.select([1]).score.tolist()
    (2, [1.0], [0.5])
    >>> games.before(20_000) is games, games.replace(notes=("made by hand",)).notes
    (True, ('made by hand',))
    """

    def __init__(
        self,
        players: Sequence[str],
        a: Ids | None = None,
        b: Ids | None = None,
        score: Floats | None = None,
        time: Floats | None = None,
        round: NDArray[np.int32] | None = None,  # noqa: A002 - the word of the column
        side: Floats | None = None,
        weight: Floats | None = None,
        margin: Floats | None = None,
        length: Floats | None = None,
        points_a: Floats | None = None,
        points_b: Floats | None = None,
        *,
        start: Bounds | None = None,
        ends: Bounds | None = None,
        player: Ids | None = None,
        share: Floats | None = None,
        place: Floats | None = None,
        points: Floats | None = None,
        facts: Mapping[str, Floats] = NO_FACTS,
        labels: Mapping[str, Sequence[str]] = NO_FACTS,
        role: NDArray[np.uint8] | None = None,
        roles: tuple[str, ...] = (PLAYER,),
        role_kinds: tuple[RoleKind, ...] | None = None,
        crew: NDArray[np.uint8] | None = None,
        season: str | None = None,
        player_facts: PlayerFacts | None = None,
        notes: tuple[str, ...] | None = None,
        reading: Reading = NOT_READ,
    ) -> None:
        given = {
            "a": a, "b": b, "score": score, "start": start, "ends": ends, "player": player,
            "share": share, "place": place, "time": time, "round": round, "side": side,
            "weight": weight, "margin": margin, "length": length, "points_a": points_a,
            "points_b": points_b, "points": points,
        }  # fmt: skip
        self.players = players
        self.columns = {name: column for name, column in given.items() if column is not None}
        self.facts, self.labels = facts, labels
        self.role, self.roles, self.crew = role, roles, crew
        self.season, self.player_facts = season, player_facts
        others: list[RoleKind] = ["with"] * (len(roles) - 1)
        self.role_kinds = role_kinds or ("player", *others)
        self.reading = reading if notes is None else replace_fields(reading, notes=notes)
        self.time, self.round, self.weight = time, round, weight
        self.side, self.margin, self.length = side, margin, length
        self.points_a, self.points_b, self.points, self.share = points_a, points_b, points, share
        vars(self).update(self.columns)  # what is not stored is made of the others on first use
        self.duels = a is not None  # every contest is a game of one player against one
        self.pairwise = score is not None  # every contest is a game of two sides
        self.unit = "game" if self.pairwise else "contest"

    a: Ids
    b: Ids
    score: Floats

    if not TYPE_CHECKING:  # a type checker knows all attributes

        def __getattr__(self, name: str) -> Any:
            form = f"a table of {self.unit}s of this form" if name in {*DUELS, "score"} else "Games"
            raise AttributeError(f"{form} has no {name}")

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader guessed, left out or found suspicious."""
        return self.reading.notes

    @property
    def left_out(self) -> int:
        """The rows of the source that could not be read or were no games."""
        return sum(self.reading.left_out.values())

    @cached_property
    def single(self) -> bool:
        """Whether every side is one player."""
        ends = self.columns.get("ends")
        return ends is None or bool((ends[1:] - ends[:-1] == 1).all())

    @cached_property
    def repeats(self) -> bool:
        """Whether a member that is no player, such as a car, stands on two sides of a contest."""
        if self.role is None or self.pairwise:  # what both sides of a game would have is left out
            return False
        import numpy as np

        pairs = self.contest_of_member * len(self.players) + self.player
        return len(np.unique(pairs)) < len(pairs)

    # -- columns of every table --

    @cached_property
    def start(self) -> Bounds:
        """[contests + 1] where the sides of each contest begin."""
        import numpy as np

        return np.arange(0, 2 * len(self) + 1, 2, dtype=np.int64)

    @cached_property
    def ends(self) -> Bounds:
        """[sides + 1] where the members of each side begin."""
        import numpy as np

        return np.arange(int(self.start[-1]) + 1, dtype=np.int64)

    @cached_property
    def player(self) -> Ids:
        """[members] ids by contest and side."""
        import numpy as np

        return np.stack((self.a, self.b), axis=1).ravel()

    @cached_property
    def place(self) -> Floats:
        """[sides] 1 is best, equal places are ties."""
        import numpy as np

        score = self.score
        return np.stack((1.0 + (score < 0.5), 1.0 + (score > 0.5)), axis=1).ravel()

    @cached_property
    def contest_of_side(self) -> NDArray[np.int64]:
        """[sides] the contest of each side."""
        import numpy as np

        if self.pairwise:
            return np.arange(2 * len(self), dtype=np.int64) // 2
        return repeat_rows(np.arange(len(self), dtype=np.int64), np.diff(self.start))

    @cached_property
    def side_of_member(self) -> NDArray[np.int64]:
        """[members] the side of each member."""
        import numpy as np

        if "ends" not in self.columns:
            return np.arange(len(self.player), dtype=np.int64)
        return repeat_rows(np.arange(len(self.ends) - 1, dtype=np.int64), np.diff(self.ends))

    @property
    def contest_of_member(self) -> NDArray[np.int64]:
        """[members] the contest of each member."""
        return self.contest_of_side[self.side_of_member]

    @cached_property
    def outcome(self) -> Floats:
        """What is forecast: [contests] the score of the first side; of a table that is not pairwise
        [sides] the share of the other sides that a side left behind, ties counting half.
        """
        if self.pairwise:
            return self.score
        import numpy as np

        contest, place = self.contest_of_side, self.place
        order = np.lexsort((place, contest))
        size = np.diff(self.start)
        first = self.start[:-1][contest]
        at = np.empty(len(place))
        at[order] = np.arange(len(place), dtype=np.int64) - first[order]
        group = bounds_of((np.diff(place[order]) != 0) | (np.diff(contest[order]) != 0))
        tied = np.bincount(group, minlength=1)
        sums = np.bincount(group, weights=at[order], minlength=1)
        rank = np.empty(len(place))
        rank[order] = (sums / np.maximum(tied, 1))[group] if len(place) else 0.0
        others = (size - 1)[contest].astype(np.float64)
        beaten = np.full(len(place), np.nan)  # a side that was alone left nothing to foresee
        np.divide(others - rank, others, out=beaten, where=others > 0.0)
        return beaten

    # -- parts of it --

    def __len__(self) -> int:
        return len(self.score) if self.pairwise else len(self.start) - 1

    def __repr__(self) -> str:
        also = [name for name in (*self.columns, *self.facts) if name not in {*BASIC, "time"}]
        known = f", with {', '.join(also)}" if also else ""
        rows = (
            ""
            if self.duels
            else f", {format_count(len(self.player), 'row' if self.single else 'member')}"
        )
        return f"<Games: {format_count(len(self), self.unit)}{rows}, {_extent(self)}{known}>"

    def __getstate__(self) -> dict[str, Any]:
        views = ("start", "ends", "player", "place", "contest_of_side", "side_of_member", "outcome")
        made = {*views} - self.columns.keys()
        state = {name: value for name, value in vars(self).items() if name not in made}
        return state | {"facts": dict(self.facts), "labels": dict(self.labels)}

    def replace(self, **changes: Any) -> Games:
        """A copy of the table with other columns, roster, roles or notes."""
        kept = (
            "players", "facts", "labels", "role", "roles", "role_kinds", "crew", "season",
            "player_facts", "reading",
        )  # fmt: skip
        return Games(**{name: getattr(self, name) for name in kept} | self.columns | changes)

    __replace__ = replace  # of copy.replace

    def before(self, day: float) -> Games:
        """The contests up to this day (since 1970, inclusive); all where there are no dates."""
        last = check_number("day", day, "days since 1970-01-01")
        if self.time is None:
            return self
        return self.first(int(self.time.searchsorted(last, side="right")))

    def first(self, count: int) -> Games:
        """The first so many contests."""
        return self.select(slice(check_count("count", count)))

    def select(self, rows: slice | NDArray[Any]) -> Games:
        """These contests (a slice, a mask or numbers) as a table; raises BadArgument."""
        import numpy as np

        rows = check_rows("rows", rows, len(self))
        changes: dict[str, Any] = {
            name: values[rows]
            for name, values in self.columns.items()
            if name not in {"start", "ends", *OF_SIDES, *OF_MEMBERS}
        }
        changes["facts"] = {name: values[rows] for name, values in self.facts.items()}
        if not self.duels:
            chosen = np.arange(len(self), dtype=np.int64)[rows]
            whole = isinstance(rows, slice) and rows.step is None
            sides, start = gather_runs(self.start, chosen, whole)
            members, ends = gather_runs(self.ends, sides, whole)
            if "start" in self.columns:
                changes["start"] = start
            if "ends" in self.columns:
                changes["ends"] = ends
            for names, taken in ((OF_SIDES, sides), (OF_MEMBERS, members)):
                where = taken
                if whole:
                    where = slice(int(taken[0]), int(taken[-1]) + 1) if len(taken) else slice(0)
                changes |= {n: self.columns[n][where] for n in names if n in self.columns}
        return self.replace(**changes)


def gather_runs(bounds: Any, chosen: Any, whole: bool = False) -> tuple[Any, Any]:
    """The entries of these runs, and the bounds of the runs among them; `whole`: neighbours."""
    import numpy as np

    if whole:  # neighbours: no entry is moved
        low, high = (int(chosen[0]), int(chosen[-1]) + 1) if len(chosen) else (0, 0)
        return np.arange(bounds[low], bounds[high], dtype=np.int64), bounds[
            low : high + 1
        ] - bounds[low]
    size = np.diff(bounds)[chosen]
    fresh = bounds_of(size)
    shift = repeat_rows(bounds[:-1][chosen] - fresh[:-1], size)
    return np.arange(fresh[-1], dtype=np.int64) + shift, fresh


BETWEEN_MEMBERS = " & "  # in the name of a side


def side_name(table: Games, side: int) -> str:
    """The name of a side of a table, by number: its players, else its other members."""
    members = table.player[int(table.ends[side]) : int(table.ends[side + 1])].tolist()
    role = table.role
    players = [each for each in members if role is None or not role[each]]
    return BETWEEN_MEMBERS.join(table.players[each] for each in players or members)


def describe_games(table: Games, count: int) -> list[dict[str, Any]]:
    """The first games as plain data: the sides, the result, and what else the table tells."""
    from prowess.games.dates import format_day

    rows = []
    for at in range(min(count, len(table))):
        sides = range(int(table.start[at]), int(table.start[at + 1]))
        row: dict[str, Any] = {}
        if table.time is not None:
            row["date"] = format_day(table.time[at])
        if table.pairwise:
            row["player"], row["opponent"] = (side_name(table, side) for side in sides)
            row["score"] = f"{table.score[at]:g}"
            if table.points_a is not None and table.points_b is not None:
                row["points"] = f"{table.points_a[at]:.15g}:{table.points_b[at]:.15g}"
            if table.side is not None:
                row["side advantage"] = {1: row["player"], -1: row["opponent"], 0: ""}[
                    int(table.side[at])
                ]
        else:
            order = sorted(sides, key=lambda side: float(table.place[side]))
            row["contest"] = ", ".join(
                f"{table.place[side]:g}. {side_name(table, side)}" for side in order
            )
        if table.weight is not None:
            row["weight"] = f"{table.weight[at]:.15g}"
        rows.append(row)
    return rows


def complete_reading(table: Games, reading: Reading) -> Games:
    """The table with this reading, which gets its counts, its dates and its notes."""
    count = len(table.players) if table.role is None else int((table.role == 0).sum())
    found: dict[str, Any] = {"games": len(table), "players": count, "notes": table.notes}
    if table.time is not None and len(table):
        from prowess.games.dates import format_day

        found |= {"first": format_day(table.time[0]), "last": format_day(table.time[-1])}
    return table.replace(reading=replace_fields(reading, **found))


def players_of(table: Games) -> Sequence[str]:
    """The names of the roster that are of players."""
    if table.role is None:
        return table.players
    from prowess.games.names import Roster

    return Roster(name for name, role in zip(table.players, table.role, strict=True) if not role)


def _extent(table: Games) -> str:
    """The number of players and the range of dates."""
    players = format_count(len(table.players), "player")
    if table.role is not None:
        own = int((table.role == 0).sum())
        others = len(table.role) - own
        players = f"{format_count(own, 'player')} and {format_count(others, 'member')} by role"
    if table.time is None or not len(table.time):
        return f"{players}, no dates"
    from prowess.games.dates import format_day

    return f"{players}, {format_day(table.time[0])} to {format_day(table.time[-1])}"
