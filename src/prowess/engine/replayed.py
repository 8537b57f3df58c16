"""Ratings that grew game by game: the end of a fold over all games, and the way back into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from prowess.engine.foresight import foresee
from prowess.engine.ratings import LineUp, Ratings
from prowess.engine.replay import play
from prowess.engine.rounds import Rounds
from prowess.engine.rules import Event, Population, Rule, play_with_rules
from prowess.engine.run import Watch
from prowess.engine.state import State, initial_state, ratings_at
from prowess.engine.system import Chances, Dynamic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prowess.engine.explain import History
    from prowess.engine.histories import Histories

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Replayed(Ratings):
    """The ratings of a dynamic system, with what it takes to play on or to look back.

    `forecasts` holds the expected score of the first side before each game (of a table that is not
    pairwise the mean of each side against the field) where they were asked for, `draws` the chance
    of a draw in each game where the system has a model of draws.
    """

    system: Dynamic
    state: State
    rounds: Rounds
    now: float | None  # the system's clock to which idle players are aged; None: no time
    start: dict[int, dict[str, float]] = field(default_factory=dict)
    forecasts: Floats | None = None
    draws: Floats | None = None
    rules: tuple[Rule, ...] = ()
    population: Population | None = None

    @cached_property
    def values(self) -> Floats:
        """The ratings now, [players, fields] in the order of `fields`."""
        return self.state.mixed() if self.now is None else ratings_at(self.state, self.now)

    @property
    def fields(self) -> tuple[str, ...]:
        """See Ratings."""
        return tuple(self.system.rating._fields)

    @cached_property
    def columns(self) -> Mapping[str, NDArray[Any]]:
        """See Ratings."""
        return {name: self.values[:, k] for k, name in enumerate(self.fields)}

    @property
    def inner(self) -> tuple[str, ...]:
        """See Ratings."""
        return self.system.inner

    def value(self, index: int) -> Any:
        """All values of one player as the system's own tuple."""
        if self.now is None or "values" in self.__dict__:
            return self.system.rating._make(self.values[index].tolist())
        (row,) = ratings_at(
            self.state, self.now, slice(index, index + 1)
        )  # the others need not age
        return self.system.rating._make(row.tolist())

    def chances(self, a: LineUp, b: LineUp, side: float) -> Chances:
        """See Ratings."""
        return foresee(self.system, self.state, self.now, (a, b), side)

    def histories(self, players: Sequence[int]) -> tuple[History, ...]:
        """See Ratings; from one replay of the table."""
        from prowess.engine.explain import histories

        return histories(self, players)

    def all_histories(self) -> Histories:
        """See Ratings."""
        from prowess.engine.histories import all_histories

        return all_histories(self)

    @cached_property
    def watch(self) -> Watch:
        """The ratings (and league sums) before every game, from one replay; kept."""
        from prowess.engine.meetings import watched

        return watched(self, range(len(self.players)))

    @property
    def events(self) -> list[Event]:
        """What the rules against inflation did, in order of time."""
        return [] if self.population is None else self.population.events

    def all_games(self) -> Histories:
        """See Ratings."""
        from prowess.engine.histories import all_games

        return all_games(self)

    def replayed(self, watch: Watch) -> None:
        """Play the table once more, keeping ratings before the games that are watched."""
        self.play_again(watch)

    def play_again(
        self, watch: Watch, forecasts: Floats | None = None, draws: Floats | None = None
    ) -> None:
        """Play the table from its start; the arguments receive what `play` gives them."""
        state = initial_state(self.system, self.p, len(self.players), self.start, self.table)
        kept: dict[str, Any] = {"watch": watch, "forecasts": forecasts, "draws": draws}
        if self.rules:
            fresh = Population()
            play_with_rules(
                state, fresh, self.rules, self.table, self.rounds, until=self.day, **kept
            )
        else:
            play(state, self.table, self.rounds, **kept)
