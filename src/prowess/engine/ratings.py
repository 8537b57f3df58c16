"""What rating a table gives: named columns per player, as of when, by which system and constants.

Leaderboards, reports and pages read `Ratings` and cannot tell who made it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.leaderboard import Leaderboard, found, ranked
from prowess.engine.params import shown
from prowess.engine.periods import date_text
from prowess.engine.replay import State, Watch, aged, begun, play
from prowess.engine.rounds import Rounds
from prowess.engine.rules import Event, Population, Rule, play_with_rules
from prowess.engine.system import Dynamic, Game
from prowess.games.games import Contests, Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.explain import History

    Floats = NDArray[np.float64]


class Forecast(NamedTuple):
    """What a system expects of a game between a and b.

    `expected` is the expected score of a. A system without a model of draws gives `draw` None,
    and `win` and `loss` then share out the whole score, a draw counting half to each.
    """

    a: str
    b: str
    expected: float
    win: float
    draw: float | None
    loss: float

    def __str__(self) -> str:
        return f"{self.a} against {self.b}: expected score {self.expected:.3f}"


@dataclass(frozen=True, eq=False)
class Standing:
    """One player: rank, name, games and every value of the system, also as attributes."""

    rank: int
    player: str
    games: int
    values: Any  # the system's Rating

    def __getattr__(self, name: str) -> float:
        values = self.__dict__.get("values")
        if name in getattr(values, "_fields", ()):
            return float(getattr(values, name))
        raise AttributeError(f"no {name!r} here; there is {', '.join(self.values._fields)}")

    def __repr__(self) -> str:
        values = ", ".join(f"{n}={v:.6g}" for n, v in self.values._asdict().items())
        return f"<{self.player}: rank {self.rank}, {values}, games={self.games}>"


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of all players of a table after its last game.

    `games`, `last` have one entry per player; `last` is the day since 1970 of the last game (nan
    without dates). `forecasts` holds the expected score of side a before each game (for contests
    the mean against the field, per row) where they were asked for.
    """

    system: Dynamic
    p: Any
    players: Sequence[str]
    state: State
    games: NDArray[np.int64]
    last: Floats | None
    table: Games | Contests
    rounds: Rounds
    period: str | None
    now: float | None  # the system's clock to which idle players are aged; None: no time
    day: float | None  # the same in days since 1970
    start: dict[int, dict[str, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    forecasts: Floats | None = None
    rules: tuple[Rule, ...] = ()
    population: Population | None = None

    def __len__(self) -> int:
        return len(self.players)

    def __iter__(self) -> Iterator[str]:
        return iter(self.players)

    def __contains__(self, player: object) -> bool:
        return player in self.players

    @cached_property
    def values(self) -> Floats:
        """The ratings now, [players, fields] in the order of `fields`."""
        return self.state.rating if self.now is None else aged(self.state, self.now)

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the values: `rating` first, then deviation and whatever the system has."""
        return tuple(self.system.rating._fields)

    @property
    def params(self) -> dict[str, float | str]:
        """The parameters the ratings were made with."""
        return shown(self.system, self.p)

    def column(self, name: str) -> Floats:
        """One value of all players, in roster order."""
        return self.values[:, self.fields.index(name)]

    def index(self, player: str) -> int:
        """The number of a player; raises KeyError naming the nearest known names."""
        return found(self.players, player)

    def value(self, index: int) -> Any:
        """All values of one player as the system's own tuple."""
        return self.system.rating._make(self.values[index].tolist())

    def __getitem__(self, player: str) -> Standing:
        index = self.index(player)
        above = (self.values[:, 0] > self.values[index, 0]) & (self.games > 0)
        rank = 1 + int(above.sum())
        return Standing(rank, player, int(self.games[index]), self.value(index))

    def leaderboard(
        self, top: int | None = None, *, min_games: int = 0, since: float | None = None
    ) -> Leaderboard:
        """Players by rating, best first; equal ratings share the better rank.

        `min_games` and `since` (days since 1970 of the last game) leave players out before
        ranks are given. Who has not played yet, as of the day of these ratings, has no rank.
        """
        wanted = self.games >= max(min_games, 1)
        if since is not None and self.last is not None:
            wanted &= self.last >= since
        columns: dict[str, NDArray[Any]] = {
            name: self.values[:, k] for k, name in enumerate(self.fields)
        }
        columns.pop("games", None)  # a system's own count may be fractional, or begin above 0
        columns["games"] = self.games
        return ranked(self.players, columns, np.flatnonzero(wanted), top, self.system.inner)

    def forecast(self, a: str, b: str, side: float = 0.0) -> Forecast:
        """What to expect of a against b; `side` is +1 when a has the side advantage, -1 when b."""
        mine, theirs = self.value(self.index(a)), self.value(self.index(b))
        chance = float(self.system.expected(self.p, mine, theirs, Game(side=float(side))))
        return Forecast(a, b, chance, chance, None, 1.0 - chance)

    def history(self, player: str) -> History:
        """Every game of a player with ratings before and after, forecast, and why."""
        from prowess.engine.explain import history

        return history(self, self.index(player))

    @property
    def events(self) -> list[Event]:
        """What the rules against inflation did, in order of time."""
        return [] if self.population is None else self.population.events

    def replayed(self, watch: Watch) -> None:
        """Play the table once more, keeping ratings before the games that are watched."""
        state = begun(self.system, self.p, len(self.players), self.start)
        if self.rules:
            play_with_rules(
                state,
                Population(),
                self.rules,
                self.table,
                self.rounds,
                until=self.day,
                watch=watch,
            )
        else:
            play(state, self.table, self.rounds, watch=watch)

    def summary(self, top: int | None = None, **limits: Any) -> dict[str, Any]:
        """The ratings as plain data: system, params, counts and the leaderboard."""
        return {
            "system": self.system.name,
            "params": self.params,
            "period": self.period,
            "as_of": None if self.day is None else date_text(self.day),
            "games": len(self.table),
            "players": int((self.games > 0).sum()),
            "notes": list(self.notes),
            "leaderboard": self.leaderboard(top, **limits).rows(),
        }

    def to_json(self, top: int | None = None, **limits: Any) -> str:
        """`summary` as JSON text at full precision."""
        return json.dumps(self.summary(top, **limits), ensure_ascii=False, allow_nan=False)

    def to_csv(self) -> str:
        """The leaderboard as CSV text at full precision."""
        return self.leaderboard().to_csv()

    def to_pandas(self) -> Any:
        """The leaderboard as a pandas DataFrame."""
        return self.leaderboard().to_pandas()

    def to_polars(self) -> Any:
        """The leaderboard as a polars DataFrame."""
        return self.leaderboard().to_polars()

    def to_arrow(self) -> Any:
        """The leaderboard as an Arrow table."""
        return self.leaderboard().to_arrow()

    def __repr__(self) -> str:
        return f"{self.head()}\n{self.leaderboard(10)}"

    def head(self) -> str:
        """One line: system, counts and date."""
        what = "contests" if isinstance(self.table, Contests) else "games"
        parts = [
            self.system.name,
            f"{len(self.table):,} {what}",
            f"{(self.games > 0).sum():,} players",
        ]
        if self.period:
            parts.append(f"periods of {self.period}" if self.period != "round" else "by round")
        if self.day is not None:
            parts.append(f"as of {date_text(self.day)}")
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.head())}</p>{self.leaderboard(20)._repr_html_()}"
