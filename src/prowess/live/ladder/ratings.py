"""LadderRatings: ratings that know those before each result, so a player page replays nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from prowess.engine.loops import Snapshots
from prowess.engine.meetings import number_contests
from prowess.engine.periods import rounds_of
from prowess.engine.played import read_ratings
from prowess.engine.rate import DynamicRatings, moment
from prowess.engine.replay import play
from prowess.engine.run import Watch, uses_duel_loops
from prowess.engine.state import display_values, number_roles
from prowess.engine.steps import separate_meetings
from prowess.live.ladder.log import ColumnBuffer
from prowess.live.ladder.players import Players
from prowess.live.ladder.prepared import NO_GAMES, PlayedLog, find_places, prepare_games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.state import State
    from prowess.engine.steps import Step
    from prowess.games.games import Games


MOST_PLAYED_AGAIN = 50_000  # games, to tell what one more would change


class Lineage:
    """The identity of a log to which results were only appended.

    What was computed from a player's results stays true within it, until that player has another.
    """


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LadderRatings(DynamicRatings):
    """Ratings with those before each result, and the number of the result of each row.

    `prior` has a row for each member of the sides of the table. Its columns are rating,
    [rows, values], and sums where players share something: the sums of a league, the weights of a
    bank, the numbers that all games teach. Where the system prepares its table, its one column is
    shown, [rows, fields + 1]: the ratings as displayed, and the expected score; and these are
    the ratings of the players alone.
    """

    prior: ColumnBuffer
    lineage: Lineage  # shared with the ratings before and after further results
    results: NDArray[np.int64]
    log: PlayedLog | None = None  # where the system prepares its table
    kept_bytes: ClassVar[int] = 2**25  # several revisions of each ladder are in memory

    @property
    def whole(self) -> LadderRatings:
        """The ratings with the table as it is played and all members; the state has the ratings of
        players and the roles of all.
        """
        return self if self.log is None or self.prepared is not None else self._of_all_members

    @cached_property
    def _of_all_members(self) -> LadderRatings:
        """`whole` where it is another value, made when something needs it. It is not cached in
        itself: what refers to itself stays in memory until the interpreter looks for circles.
        """
        assert self.log is not None
        known = self.log.known
        assert isinstance(self.players, Players)
        table = self.log.whole(self.table)
        roles, role = number_roles(self.system, table)
        return replace(
            self, players=known.roster(self.players, self.table), prepared=table,
            state=replace(self.state, role=role, roles=roles),
        )  # fmt: skip

    @cached_property
    def roster(self) -> Games:
        """See DynamicRatings; of all members, without `whole`."""
        if self.log is None:
            return super().roster
        pieces = self.log.known.pieces
        return pieces.some_members(NO_GAMES, pieces.order())

    def state_of(self, members: NDArray[np.int64], roster: Games) -> State:
        """See DynamicRatings."""
        if self.log is None:
            return super().state_of(members, roster)
        known = self.log.known
        return known.state(self.state, roster, known.pieces.order()[members])

    def values_after(
        self, games: Sequence[Games], players: NDArray[np.int64]
    ) -> list[NDArray[np.float64] | None]:
        """See DynamicRatings; of the members of the games alone, where the table tells the same.

        Of a long table there is None for a game after which all others would be played again.
        """
        if self.log is None:
            return super().values_after(games, players)
        known = self.log.known.copy(apart=True)
        found: list[NDArray[np.float64] | None] = []
        for game in games:
            after = known.copy(apart=False)
            if not after.pieces.goes_on(game):
                short = len(self.table) < MOST_PLAYED_AGAIN
                found += super().values_after((game,), players) if short else [None]
                continue
            played, numbers = prepare_games(after.pieces, game)
            rounds = rounds_of(self.system, played, None)
            state = after.state(self.state, played, numbers)
            play(state, played, rounds)
            after = after.with_played(find_places(after.pieces, numbers), state)
            rows = after.state_of_players(state, players)
            now, _ = moment(self.system, game, rounds, None, None)
            found.append(display_values(self.system, rows.mix(now=now)))
        return found

    @cached_property
    def remembered(self) -> Any:
        """See DynamicRatings."""
        return super().remembered if self.log is None else self.log.known.pieces.added

    @cached_property
    def watch(self) -> Watch:
        """The ratings (and sums) before every result, in the memory of `prior`."""
        if "rating" not in self.prior.held or self.system.passes > 1:
            return super().watch
        paired = uses_duel_loops(self.system, self.p, self.table)
        step, kept = 1 + paired, self.prior.held
        slots = np.arange(self.prior.count // step, dtype=np.int64)
        sums = self.prior["sums"][::step] if "sums" in kept else np.zeros((len(slots), 1))
        return Watch(slots, Snapshots(self.prior["rating"], sums), paired=paired)

    def read_before(self, members: NDArray[np.int64]) -> NDArray[np.float64]:
        """The ratings, as displayed, of these members of the table before it, [members, fields]."""
        held = self.prior.held
        if "shown" in held:
            return held["shown"][members, :-1]
        if self.system.passes == 1 and self.state.logs is None:
            return display_values(self.system, held["rating"][members])
        return read_ratings(self, self.watch, members)

    def play_again(self, watch: Watch, forecasts: Any = None, draws: Any = None) -> None:
        """See PlayedTable; the ratings before each result are read, not computed again."""
        computed = forecasts is not None or draws is not None or len(watch.memory.after)
        computed = computed or self.system.passes > 1
        if computed or "rating" not in self.prior.held:
            super().play_again(watch, forecasts, draws)
            return
        chosen = np.flatnonzero(watch.slots >= 0)
        rows = (
            (2 * chosen[:, None] + np.arange(2, dtype=np.int64)).ravel() if watch.paired else chosen
        )
        watch.memory.rating[:] = self.watch.memory.rating[rows]
        if "sums" in self.prior.held:
            watch.memory.sums[:] = self.watch.memory.sums[chosen, : watch.memory.sums.shape[1]]

    def extend_steps(self, k: int, earlier: Sequence[Step]) -> tuple[Step, ...]:
        """All steps of player k; `earlier` are those of ratings of this lineage, before this."""
        last = None
        if earlier:  # the last round may have grown
            number = earlier[-1].round
            earlier = [step for step in earlier if step.round < number]
            _, numbers = number_contests(self, k)
            last = len(np.unique(numbers[numbers >= number]))
        (history,) = self.whole.histories((k,), last)
        return (*earlier, *separate_meetings(history.steps))
