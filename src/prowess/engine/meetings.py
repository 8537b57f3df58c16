"""Rounds of chosen players: opponents, and the ratings of all sides before each round.

A player meets sides: in a game the other side, in a contest every other side. A bank gives
everything once for each setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.inflation import Lifetimes, Rule, play_with_rules
from prowess.engine.loops import Snapshots, judges_whole
from prowess.engine.params import Bank
from prowess.engine.periods import Rounds
from prowess.engine.replay import play
from prowess.engine.rows import game_list, game_rules, make_difference, sum_parts, width_kept
from prowess.engine.state import State, initial_state, parameters_of
from prowess.engine.system import Dynamic
from prowess.engine.watch import Watch, plays_straight, watch_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

    from prowess.games.games import Games


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PlayedTable:
    """A table that was played, with what is needed to play it again."""

    system: Dynamic
    p: Any
    players: Sequence[str]
    table: Games
    rounds: Rounds
    state: State  # after the last game
    prepared: Games | None = None  # the table as it is played, where that is another
    day: float | None  # up to which rules acted, days since 1970
    start: dict[int, dict[str, float]] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()

    @property
    def played_table(self) -> Games:
        """The table as it is played, with all members that the system has on its sides."""
        return self.table if self.prepared is None else self.prepared

    @cached_property
    def watch(self) -> Watch:
        """The ratings (and league sums) before every game, from one replay; kept."""
        return watch_players(self, range(len(self.players)))

    def play_again(
        self, watch: Watch, forecasts: Floats | None = None, draws: Floats | None = None
    ) -> None:
        """Play the table from its start; the arguments receive what `play` gives them."""
        state = initial_state(self.system, self.p, len(self.players), self.start, self.played_table)
        kept: dict[str, Any] = {"watch": watch, "forecasts": forecasts, "draws": draws}
        if self.rules:
            play_with_rules(
                state,
                Lifetimes(),
                self.rules,
                self.played_table,
                self.rounds,
                until=self.day,
                **kept,
            )
        else:
            play(state, self.played_table, self.rounds, **kept)


class MeetingMember(NamedTuple):
    """A member of a side in one contest."""

    player: int
    share: float
    ratings: tuple[Any, ...]  # by setting
    parameters: tuple[Any, ...]  # of the member's role, by setting
    rating: float  # as displayed


class Meeting(NamedTuple):
    """A side that a player met in a round; `mine` and `theirs` have one entry a setting."""

    row: int
    at: int  # which side of the contest is the player's
    opponents: tuple[int, ...]  # players; a side without one: its members
    partners: tuple[int, ...]  # players
    opponent_rating: float  # the mean of the opponents by their shares
    mine: tuple[Any, ...]  # the sides as the system adds them
    theirs: tuple[Any, ...]
    share: float
    game: Any
    weight: float
    derived: bool  # seen from the second side, whose evidence is made of the first side's
    beside: tuple[MeetingMember, ...] = ()  # the members on the own side who are no players


class WholeContest(NamedTuple):
    """The whole of a contest, for a system that judges it at once."""

    place: tuple[float, ...]
    sides: tuple[tuple[Any, ...], ...]  # by setting, all sides


class Round(NamedTuple):
    """A round of a player; ratings and parameters have one entry a setting."""

    number: int
    before: tuple[Any, ...]
    parameters: tuple[Any, ...]  # of the player's role
    meetings: list[Meeting]
    league: Any  # its sums
    logs: NDArray[np.float64] | None  # of the weights of a bank before the round
    later: NDArray[np.float64] | None = None  # and after it
    field: WholeContest | None = None
    kept: Any = None  # the learnt numbers of its game, see `rows.common_kept`
    second: bool = False  # whether the player stands on the second side of its game
    player: int = -1


def watch_players(ratings: PlayedTable, players: Sequence[int]) -> Watch:
    """The ratings (and league sums) before every game of these players, from a replay."""
    table = ratings.played_table
    ours = np.zeros(len(ratings.players), dtype=bool)
    ours[list(players)] = True
    if table.duels:
        chosen = ours[table.a] | ours[table.b]
    else:
        chosen = np.bincount(table.contest_of_member, ours[table.player], len(table)) > 0
    seen = watch_for(ratings.system, ratings.p, table, chosen, follow=bool(chosen.all()))
    ratings.play_again(seen)
    return seen


def bytes_watched(ratings: PlayedTable) -> int:
    """How much memory the ratings before every game take."""
    table, system = ratings.played_table, ratings.system
    sums = 0 if system.league is None else len(system.league.empty)
    if isinstance(ratings.p, Bank):
        sums += 2 * ratings.p.lanes
    if system.common is not None:
        sums += width_kept(system, ratings.state.lanes)
    if table.duels and not isinstance(ratings.p, Bank):
        return 8 * len(table) * (3 + 4 * len(system.rating) + sums)
    members = 2 * len(table) if table.duels else len(table.player)
    return 8 * members * (1 + 2 * len(system.rating) * ratings.state.lanes + sums)


def rounds(
    ratings: PlayedTable, player: int, seen: Watch, last: int | None = None
) -> Iterator[Round]:
    """The rounds of a player in order of play, or the `last` of them; `seen` has watched their
    games.
    """
    if plays_straight(ratings.system, ratings.p, ratings.played_table):
        return _duel_rounds(ratings, player, seen, last)
    return _side_rounds(ratings, player, seen, last)


def _choose_last(numbers: Ids, last: int | None) -> slice:
    """The entries of the last rounds, of entries in order of their rounds."""
    if last is None or not len(numbers):
        return slice(None)
    return slice(int(np.searchsorted(numbers, np.unique(numbers)[-last:][0])), None)


def _duel_rounds(
    ratings: PlayedTable, player: int, seen: Watch, last: int | None
) -> Iterator[Round]:
    games, bounds, system = ratings.played_table, ratings.rounds.bounds, ratings.system
    rows = np.flatnonzero((games.a == player) | (games.b == player))
    numbers = rows if bounds is None else np.searchsorted(bounds, rows, side="right") - 1
    chosen = _choose_last(numbers, last)
    rows, numbers = rows[chosen], numbers[chosen]
    mirror, derived = game_rules(system.game).mirror, system.mirrors is not None
    make, part, p = system.rating._make, system.part, ratings.p
    slots = seen.slots[rows]
    firsts, seconds = (seen.memory.rating[2 * slots + side].tolist() for side in (0, 1))
    weights = [1.0] * len(rows) if games.weight is None else games.weight[rows].tolist()
    ends = (np.diff(numbers, append=-1) != 0).tolist()
    columns = (
        rows.tolist(), numbers.tolist(), slots.tolist(), ends, games.a[rows].tolist(),
        games.b[rows].tolist(), game_list(games.select(rows), system.game, 0, len(rows)),
        weights, firsts, seconds,
    )  # fmt: skip
    meetings: list[Meeting] = []
    for row, number, slot, is_last, a, b, game, weight, first, second in zip(*columns, strict=True):
        me, opponent, whom = make(first), make(second), b
        if b == player:
            me, opponent, whom = opponent, me, a
        mine, theirs = me, opponent
        if part is not None:
            mine, theirs = part(p, me, 1.0), part(p, opponent, 1.0)
        meetings.append(
            Meeting(
                row,
                int(b == player),
                (whom,),
                (),
                opponent.rating,
                (mine,),
                (theirs,),
                1.0,
                mirror(game) if b == player else game,
                weight,
                derived and b == player,
            )
        )
        if is_last:
            sums = _sums(ratings, seen.memory, slot)
            yield Round(number, (me,), (p,), meetings, sums, None, player=player)
            meetings = []


class _Contest(NamedTuple):
    """A contest with the ratings before it: members by side, and sides by setting."""

    members: list[list[MeetingMember]]
    sides: tuple[tuple[Any, ...], ...]


def _contest(ratings: PlayedTable, number: int, seen: Watch) -> _Contest:
    """The contest as it stood before its round."""
    table, system, lanes = ratings.played_table, ratings.system, ratings.state.lanes
    roles = ratings.state.roles
    parameters = parameters_of(system, ratings.p, roles)
    first, last = table.start[number], table.start[number + 1]
    ends = table.ends[first : last + 1]
    low, high = int(ends[0]), int(ends[-1])
    rows = seen.memory.rating[seen.slots[low:high]]
    logs, _ = _logs(ratings, seen.memory, int(seen.slots[low]))
    shown = ratings.state.mix(rating=rows, logs=logs)[:, 0].tolist()
    by_lane = rows.reshape(high - low, len(system.rating), lanes).transpose(0, 2, 1).tolist()
    players = table.player[low:high].tolist()
    shares = [1.0] * (high - low) if table.share is None else table.share[low:high].tolist()
    make = system.rating._make
    members = []
    for m, player in enumerate(players):
        role = 0 if ratings.state.role is None else int(ratings.state.role[player])
        members.append(
            MeetingMember(
                player,
                shares[m],
                tuple(map(make, by_lane[m])),
                parameters[role :: len(roles)],
                shown[m],
            )
        )
    cuts = (ends - low).tolist()
    sides = [members[one:other] for one, other in pairwise(cuts)]
    return _Contest(
        sides,
        tuple(tuple(_side(system, side, lane) for side in sides) for lane in range(lanes)),
    )


def _side(system: Dynamic, members: list[MeetingMember], lane: int) -> Any:
    if system.part is None:
        return members[0].ratings[lane]
    parts = [system.part(m.parameters[lane], m.ratings[lane], m.share) for m in members]
    return sum_parts(parts)


def _side_rounds(
    ratings: PlayedTable, player: int, seen: Watch, last: int | None
) -> Iterator[Round]:
    table, system, bounds = ratings.played_table, ratings.system, ratings.rounds.bounds
    rows = np.flatnonzero(table.player == player)
    contests = table.contest_of_member[rows]
    met = np.diff(table.start)[contests] > 1
    rows, contests = rows[met], contests[met]
    numbers = contests
    if bounds is not None and table.pairwise:
        numbers = np.searchsorted(bounds, contests, side="right") - 1
    chosen = _choose_last(numbers, last)
    rows, contests, numbers = rows[chosen], contests[chosen], numbers[chosen]
    ends = (np.diff(numbers, append=-1) != 0).tolist()
    meetings: list[Meeting] = []
    for member, contest, number, is_last in zip(
        rows.tolist(), contests.tolist(), numbers.tolist(), ends, strict=True
    ):
        first = int(table.start[contest])
        held = _contest(ratings, contest, seen)
        at = int(table.side_of_member[member]) - first
        me = next(one for one in held.members[at] if one.player == player)
        meetings += _meetings(ratings, contest, member, at, me, held)
        if not is_last:
            continue
        slot = int(seen.slots[member])
        field = None
        if judges_whole(system, table.pairwise):
            place = table.place[first : int(table.start[contest + 1])]
            field = WholeContest(tuple(place.tolist()), held.sides)
        yield Round(
            number, me.ratings, me.parameters, meetings, _sums(ratings, seen.memory, slot),
            *_logs(ratings, seen.memory, slot), field, seen.memory.sums[slot], at == 1, player,
        )  # fmt: skip
        meetings = []


def _meetings(
    ratings: PlayedTable, contest: int, member: int, at: int, me: MeetingMember, held: _Contest
) -> Iterator[Meeting]:
    """The other sides of a contest, in order."""
    table, system = ratings.played_table, ratings.system
    rules, lanes = game_rules(system.game), range(ratings.state.lanes)
    first = int(table.start[contest])
    others = len(held.members) - 1
    players = _players_of(ratings, held.members[at])
    beside: tuple[MeetingMember, ...] = ()
    if me in players:
        beside = tuple(one for one in held.members[at] if one not in players)
    weight = 1.0 if table.weight is None else float(table.weight[contest])
    if not table.pairwise:
        weight *= system.pair_weight(others + 1.0)
    for other, members in enumerate(held.members):
        if other == at:
            continue
        if table.pairwise:
            game = game_list(table, system.game, contest, contest + 1)[0]
            game = rules.mirror(game) if at else game
            row = contest
        else:
            here, there = table.place[first + at], table.place[first + other]
            game = rules.pair(0.5 if here == there else 1.0 if here < there else 0.0)
            row = member
        opponents = _players_of(ratings, members) or members
        total = sum(one.share for one in opponents)
        mine, theirs = _sides_apart(system, held, at, other, lanes)
        yield Meeting(
            row=row,
            at=at,
            opponents=tuple(one.player for one in opponents),
            partners=tuple(one.player for one in players if one.player != me.player),
            opponent_rating=sum(one.share * one.rating for one in opponents) / total
            if len(opponents) > 1
            else opponents[0].rating,
            mine=mine,
            theirs=theirs,
            share=me.share,
            game=game,
            weight=weight,
            derived=other < at and system.mirrors is not None,
            beside=beside,
        )


def _players_of(ratings: PlayedTable, members: list[MeetingMember]) -> list[MeetingMember]:
    """Those members of a side who are players."""
    role = ratings.played_table.role
    return members if role is None else [one for one in members if role[one.player] == 0]


def _sides_apart(
    system: Dynamic, held: _Contest, at: int, other: int, lanes: range
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Two sides by setting, without the members that both have."""
    both = {one.player for one in held.members[at]} & {one.player for one in held.members[other]}
    found = []
    for side in (at, other):
        sums = [held.sides[lane][side] for lane in lanes]
        for one in held.members[side]:
            if one.player in both and system.part is not None:
                less = make_difference(sums[0])
                parts = zip(one.parameters, one.ratings, strict=True)
                brought = [system.part(p, rating, one.share) for p, rating in parts]
                sums = list(map(less, sums, brought))
        found.append(tuple(sums))
    return found[0], found[1]


def _sums(ratings: PlayedTable, memory: Snapshots, slot: int) -> Any:
    league = ratings.system.league
    return None if league is None else league.empty._make(memory.sums[slot].tolist())


def _logs(ratings: PlayedTable, memory: Snapshots, slot: int) -> tuple[Any, Any]:
    """The logarithms of the weights of a bank before and after a round."""
    if ratings.state.logs is None:
        return None, None
    lanes = ratings.state.lanes
    return memory.sums[slot, :lanes], memory.sums[slot, lanes : 2 * lanes]
