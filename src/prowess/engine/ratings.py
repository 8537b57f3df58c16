"""Ratings: the result of rating a table, as named columns with one entry per player.

Leaderboards, reports and pages read `Ratings`, whichever kind of system made them.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import namedtuple
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids, Truths
from prowess.engine.game_forecast import WITHOUT_DRAWS, make_line_up, split_chances
from prowess.engine.leaderboard import (
    Leaderboard,
    Standing,
    UnknownPlayer,
    build_leaderboard,
    find_or_add,
    find_player,
    have_played_since,
    lower_bound,
)
from prowess.engine.losses import ForecastScores
from prowess.engine.params import display_settings
from prowess.engine.places import (
    MOST_SIDES,
    ContestForecast,
    Performances,
    Scores,
    performances_by_pairs,
)
from prowess.engine.system import LineUp, Unratable
from prowess.engine.table import MOST_CONTEXTS, first_and_last, members_in_contexts
from prowess.engine.tabular import Columns, Tabular, refuse_path
from prowess.games.arguments import BadArgument, check_number, check_place, refuse
from prowess.games.dates import format_date, format_day
from prowess.games.games import Games
from prowess.games.reading import format_count

if TYPE_CHECKING:
    from datetime import date

    from prowess.engine.steps import History
    from prowess.engine.system import Chances, Dynamic
    from prowess.engine.tabular import ResultTable
    from prowess.engine.whole_table import WholeTable


def check_side(side: Any) -> float:
    """Check a side advantage: +1, -1 or 0; raises BadArgument."""
    what = "+1 (a has the side advantage), -1 (b has it) or 0"
    number = check_number("side", side, what)
    if number not in (1.0, -1.0, 0.0):
        raise refuse(f"give side as {what}", side, code="not_a_side")
    return number


class Forecast(NamedTuple):
    """The forecast of a game between a and b.

    `expected` is the expected score of a. A system without a model of draws gives `draw` None;
    where games of its table were drawn, `win` and `loss` are None as well: the expected score is
    no chance to win. `scores` are the chances of all scores, where the system foresees them.
    """

    a: str | tuple[str, ...]
    b: str | tuple[str, ...]
    expected: float
    win: float | None
    draw: float | None
    loss: float | None
    scores: Scores | None = None

    def __str__(self) -> str:
        a, b = (" & ".join(side) if isinstance(side, tuple) else side for side in (self.a, self.b))
        told = f"{a} against {b}: expected score {self.expected:.3f}"
        return told if self.win is not None else f"{told} ({WITHOUT_DRAWS})"


class Streamed(NamedTuple):
    """The games of ratings that were made of a stream, whose table has no rows."""

    contests: int
    span: tuple[float, float] | None  # days of the first and the last; None: no dates
    rater: Any = None  # `PieceRater` after the last of them; None: no further games can follow
    scores: ForecastScores | None = None  # of their forecasts, where these were made


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Ratings(Tabular):
    """Ratings of all players of a table after its last game; `prowess.rate` makes them.

    `game_counts`, `last` have one entry per player; `last` is the day since 1970 of the last game
    (nan without dates). `day` is the day as of which the ratings hold, `p` and `params` are the
    parameters, `columns` every value of the players. Values are in the units of the system, which
    `prowess systems NAME` prints.

    >>> import prowess
    >>> r = prowess.rate([("Ann", "Bob", 1), ("Bob", "Cid", 1)], "glicko2")
    >>> r["Ann"].rank, r["Ann"].games, round(r["Ann"].rating)
    (1, 1, 1662)
    >>> r.index("Bob"), r.value(1)._fields, r.column("rating").round(1).tolist()
    (1, ('rating', 'deviation', 'volatility'), [1662.3, 1502.5, 1268.1])
    >>> r.has_played(2).tolist(), r.have_role().tolist()
    ([False, True, False], [True, True, True])
    >>> r.head()
    'glicko2, 2 games, 3 players'
    >>> r.fields, [round(one) for one in r.strength], [round(one) for one in r.rank_deviation]
    (('rating', 'deviation', 'volatility'), [1662, 1503, 1268], [290, 256, 287])
    >>> r.summary(1)["leaderboard"][0]["player"], r.to_csv().splitlines()[0]
    ('Ann', 'rank,player,rating,deviation,volatility,games')
    >>> sorted(r.to_columns()) == sorted(r.to_csv().splitlines()[0].split(","))
    True
    >>> r.contexts(), r.to_json(1)[:20]
    ({}, '{"system": "glicko2"')
    >>> len(r.history("Bob")), len(r.history()), r.leaderboard(1).columns["player"]
    (2, 4, ['Ann'])
    >>> r.forecast("Ann", "Cid").expected > 0.5, len(r.games())
    (True, 2)
    """

    INTERNAL = Tabular.INTERNAL | {  # they serve the library
        "all_games", "all_histories", "anchors", "asked", "chances", "draws", "events", "fit",
        "histories", "inner", "now", "p", "pair_losses", "path_table", "play_again", "played_table",
        "population", "prepared", "rank_deviation", "refuse_absent", "refuse_without_games",
        "find_categories", "find_or_add", "find_sides", "forecast_pairs", "forecast_players",
        "performances", "takes_newcomers", "with_members",
        "roster", "rounds", "rules", "shared_side", "start", "state", "state_of", "streamed",
        "watch", "whole_strength",
    }  # fmt: skip

    system: Dynamic | WholeTable
    p: Any
    players: Sequence[str]
    game_counts: Ids
    last: Floats | None
    table: Games
    day: float | None  # days since 1970; None without dates
    period: str | None = None
    notes: tuple[str, ...] = ()
    streamed: Streamed | None = None  # games that are not in the table: they were read as a stream

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: cached values are computed again."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def played_table(self) -> Games:
        """The table as it is played; `players` are its roster."""
        return self.table

    @property
    def contests(self) -> int:
        """The number of games or contests that were rated."""
        return len(self.table) if self.streamed is None else self.streamed.contests

    def refuse_without_games(self) -> None:
        """Raise Unratable for ratings of a stream, see `rate_stream`: its games are not at hand."""
        if self.streamed is not None:
            raise Unratable.of("no_games_kept.ratings")

    @property
    def takes_newcomers(self) -> bool:
        """Whether games of players without a game have a forecast."""
        return False

    @property
    def span(self) -> tuple[float, float] | None:
        """The days of the first and the last contest since 1970; None without dates."""
        return self.streamed.span if self.streamed is not None else first_and_last(self.table.time)

    def __len__(self) -> int:
        """How many players; members of other roles, such as home advantages, are none."""
        return int(self.have_role().sum())

    def __iter__(self) -> Iterator[str]:
        return (self.players[k] for k in np.flatnonzero(self.have_role()).tolist())

    def __contains__(self, player: object) -> bool:
        return player in self.players

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, AnyArray]:
        """All values of the players, one entry each; the first column ranks them."""

    @property
    @abstractmethod
    def fields(self) -> tuple[str, ...]:
        """Names of the system's own values, `rating` first."""

    @abstractmethod
    def chances(self, a: LineUp, b: LineUp, side: float) -> Chances:
        """The chances of a game of two players by number, or of two line-ups; see `forecast`."""

    def foresee_scores(self, a: LineUp, b: LineUp, side: float) -> Scores | None:
        """The chances of all scores of a game, see `forecast`; None: the system has none."""
        return None

    @abstractmethod
    def forecast_pairs(
        self,
        sides: Sequence[LineUp],
        first: Ids,
        second: Ids,
        side: Floats | None = None,
        categories: Mapping[str, str] | None = None,
    ) -> tuple[Floats, Floats | None]:
        """The expected scores of games between sides by number and chances of a draw, [games].

        They are those of `chances` to 1e-9, many at once; chances of a draw are None where the
        system has no model of them. `side` [games] is +1 where the first has the side advantage.
        Raises what `chances` raises.

        >>> import numpy as np, prowess
        >>> r = prowess.rate([("Ann", "Bob", 1), ("Bob", "Cid", 1)], "elo")
        >>> r.forecast_pairs([0, 1, 2], np.array([0, 0]), np.array([1, 2]))[0].round(3)
        array([0.522, 0.547])
        """

    def forecast_players(
        self, a: Ids, b: Ids, side: Floats | None = None
    ) -> tuple[Floats, Floats | None]:
        """Games of players by their own numbers, a side each; see `forecast_pairs`."""
        players, place = np.unique(np.concatenate((a, b)), return_inverse=True)
        return self.forecast_pairs(players.tolist(), place[: len(a)], place[len(a) :], side)

    def expected_scores(self, games: Sequence[tuple[LineUp, LineUp, float]]) -> Floats:
        """The expected scores of the first sides of games, each with its side advantage, [games].

        Players are numbers in the order of `players`. Raises what `chances` raises.

        >>> import prowess
        >>> prowess.rate([("Ann", "Bob", 1)], "elo").expected_scores([(0, 1, 0.0)]).round(3)
        array([0.546])
        """
        places: dict[Any, int] = {}
        pairs = [
            places.setdefault(make_line_up(one), len(places)) for game in games for one in game[:2]
        ]
        first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        side = np.array([game[2] for game in games], dtype=np.float64)
        return self.forecast_pairs(list(places), first, second, side)[0]

    def performances(
        self, sides: Sequence[LineUp], categories: Mapping[str, str] | None = None
    ) -> Performances:
        """What the sides of a contest of many will show; see `forecast_contest`."""

        def expect(first: Ids, second: Ids) -> Floats:
            return self.forecast_pairs(sides, first, second, None, categories)[0]

        return performances_by_pairs(expect, len(sides), self.system.normal)

    @abstractmethod
    def histories(self, players: Sequence[int], last: int | None = None) -> tuple[History, ...]:
        """The histories of players by number, see `history`, or their `last` rounds; NoModel: for
        whole-table systems.
        """

    @abstractmethod
    def all_games(self) -> ResultTable:
        """See `games`."""

    @abstractmethod
    def all_histories(self) -> ResultTable:
        """See `history`."""

    @overload
    def history(self, player: str) -> History: ...
    @overload
    def history(self, player: None = None) -> ResultTable: ...
    def history(self, player: str | None = None) -> History | ResultTable:
        """Every game of a player with ratings before and after, forecast, and terms of the change.

        Without a player: the games of all players as one table, without the terms. The table is
        replayed for it, and the ratings before every game are cached: 16 bytes a game for each
        value of the system (where that would need more than 256 MB, the history of one player is
        replayed alone and nothing is cached).
        """
        if player is None:
            return self.all_histories()
        return self.histories((self.index(player),))[0]

    @abstractmethod
    def path(self, player: str, at: Sequence[Any] | None = None) -> ResultTable:
        """The values of a player at dates, a row each, with `low` and `high` beside deviations.

        `at` are dates, also between games; None: those of the player's games. Under a system of
        single games they are the ratings as of the end of that day, with the deviation that has
        grown since the last game, and a band of 95 %; of periods those that are over count. What a
        system takes from the table it takes from all of it. Of strengths that move see
        `whole_table.Path`. Raises NoModel where a system of the whole table gives no path,
        BadArgument without dates, UnknownPlayer.

        >>> import prowess
        >>> games = [{"a": "Ann", "b": "Bob", "score": 1, "date": "2024-01-01"}]
        >>> r = prowess.rate(games, "glicko", period="7d")
        >>> r.path("Ann", ["2023-12-01", "2024-01-08", "2024-12-30"])["deviation"].round(1).tolist()
        [350.0, 292.3, 350.0]
        """

    def path_table(
        self, who: Ids, days: Floats, columns: Mapping[str, Floats], level: float
    ) -> ResultTable:
        """The values of players at days, see `path`, with the band of probability `level`."""
        from prowess.engine.tabular import ResultTable, moments
        from prowess.engine.whole_table import two_sided_quantile

        found = dict(columns)
        if "deviation" in found:
            reach = two_sided_quantile(level) * found["deviation"]
            middle = next(iter(found.values()))
            found |= {"low": middle - reach, "high": middle + reach}
        names = np.array(list(self.players), dtype=object)
        found = {"player": names[who], "date": moments(days), **found}
        return ResultTable(found, f"Paths under {self.system.name}")

    def games(self) -> ResultTable:
        """All games as one table: both ratings before the game, the forecast and the score.

        A row a game, in order of play; of contests of many sides a row a side, with the mean
        forecast against the others. A side of several members is named `Ann & Bob`, its rating is
        the mean of its members by their shares. Raises NoModel for a whole-table system.

        >>> import prowess
        >>> games = prowess.read_games([{"a": "Ann", "b": "Ben", "score": 1}])
        >>> prowess.rate(games, "elo").games().columns["expected"].tolist()
        [0.5]
        """
        return self.all_games()

    @property
    def strength(self) -> AnyArray:
        """The values that rank the players, [players], highest first."""
        return next(iter(self.columns.values()))

    @property
    def rank_deviation(self) -> AnyArray | None:
        """The deviation of the values that rank the players, [players]; None: not known."""
        return self.columns.get("deviation")

    @property
    def inner(self) -> tuple[str, ...]:
        """Columns that only serve the formula."""
        return tuple(getattr(self.system, "inner", ()))

    @property
    def params(self) -> dict[str, Any]:
        """The parameters the ratings were made with."""
        return display_settings(self.system, self.p)

    def column(self, name: str) -> AnyArray:
        """One value of all players, in roster order; raises BadArgument for another name."""
        known: tuple[Any, ...] = tuple(self.columns)
        if type(name) is not str or name not in known:
            raise BadArgument.of("unknown_column", columns=self.columns, name=name)
        return self.columns[name]

    def index(self, player: str) -> int:
        """The number of a player; raises KeyError naming the nearest known names."""
        return find_player(self.players, player, self)

    @cached_property
    def _row(self) -> Any:
        return namedtuple("Values", tuple(self.columns))

    def value(self, index: int) -> Any:
        """All values of one player by number as a tuple with names; raises BadArgument."""
        place = check_place("index", index, len(self.players))
        return self._row._make(column[place].item() for column in self.columns.values())

    def __getitem__(self, player: str) -> Standing:
        index = self.index(player)
        above = (self.strength > self.strength[index]) & (self.game_counts > 0)
        if self.played_table.role is not None:
            above &= self.played_table.role == self.played_table.role[index]
        rank = 1 + int(above.sum())
        return Standing(rank, player, int(self.game_counts[index]), self.value(index))

    def has_played(
        self,
        min_games: float = 1,
        role: str | None = None,
        since: str | date | float | None = None,
    ) -> Truths:
        """Which players of a role (default: players) have at least so many contests, [players].

        With `since`, a date or days since 1970, also one on that day or later.
        """
        least = max(check_number("min_games", min_games), 1.0)
        played: Truths = self.game_counts >= least
        if since is not None:
            played &= have_played_since(self.last, since)
        return played & self.have_role(role)

    def leaderboard(
        self,
        top: int | None = None,
        *,
        min_games: int = 0,
        since: str | date | float | None = None,
        role: str | None = None,
        lower: float | None = None,
    ) -> Leaderboard:
        """Players by rating, best first; equal ratings share the better rank.

        `min_games` and `since` (a date, also as ISO text, or days since 1970: no game from its
        beginning on) leave players out before ranks are given. Players without a game as of the day
        of these ratings have no rank. `lower` ranks by rating - `lower` deviations, in a column
        `lower`: with 3 by TrueSkill's conservative rating (Herbrich, Minka and Graepel 2007), which
        openskill calls ordinal; Unratable where the system has no deviation. `role` ranks the
        members of another role of the table, such as constructors. Players who have members for
        contexts (`Nadal@clay`) have a column for each, such as `@clay`.

        >>> import prowess
        >>> r = prowess.rate([("Ann", "Bob", 1), ("Ann", "Cid", 1)], "trueskill")
        >>> r.leaderboard(lower=3).columns["lower"][0] == r["Ann"].rating - 3 * r["Ann"].deviation
        True
        """
        columns = dict(self.columns)
        columns.pop("games", None)  # a system's own count may be fractional, or begin above 0
        columns["games"] = self.game_counts
        if role is None and "per" in self.played_table.role_kinds:
            columns |= self.contexts()
        wanted = self.has_played(min_games, role, since)
        chosen, strength = np.flatnonzero(wanted), self.strength
        if lower is not None:
            strength = lower_bound(strength, self.rank_deviation, lower, self.system.name)
            columns = {"lower": strength, **columns}
        return build_leaderboard(self.players, strength, columns, chosen, top, self.inner)

    def contexts(self) -> dict[str, AnyArray]:
        """The ratings of players in each context, [players] by `@context`; nan where none is known.

        A member for a context is called PLAYER@CONTEXT. Nothing where there are too many contexts,
        which the notes say.
        """
        found: dict[str, AnyArray] = {}
        for context, player, member in members_in_contexts(self.played_table, self.players):
            column = found.setdefault(f"@{context}", np.full(len(self.players), np.nan))
            column[player] = self.strength[member] if self.game_counts[member] else np.nan
        return found if len(found) <= MOST_CONTEXTS else {}

    def have_role(self, role: Any = None) -> Truths:
        """Which members have this role (default: players), [players]; raises BadArgument."""
        roles = self.played_table.roles
        if role is not None and not (isinstance(role, str) and role in roles):
            raise BadArgument.of("unknown_role", roles=roles, role=role)
        if self.played_table.role is None:
            return np.ones(len(self.players), dtype=bool)
        return np.asarray(self.played_table.role == (0 if role is None else roles.index(role)))

    def forecast(
        self,
        a: str | Sequence[str],
        b: str | Sequence[str],
        side: float = 0.0,
        *,
        league: str | None = None,
        context: str | None = None,
        variant: str | None = None,
        new: Collection[str] | None = None,
    ) -> Forecast:
        """Forecast a against b: players, or line-ups as lists of names.

        `side` is +1 when a has the side advantage, -1 when b. `context` (clay), `variant` and
        `league` are words of the table's categories, for a system that uses them; the league is
        that of a's last game where it is not given. With `new`, names of newcomers, a name that is
        not in the table is a newcomer, unless it looks like a player's.

        Raises NoModel for a system that ranks without a model of a game, BadArgument for a player
        named twice or a word that the table has not, UnknownPlayer.
        """
        side = check_side(side)
        sides = self.find_sides((a, b), new)
        categories = self.find_categories(league=league, context=context, variant=variant)
        scores = self.foresee_scores(sides[0], sides[1], side)
        if scores is not None:
            chances = scores.chances
        elif categories:
            chances = self.chances(sides[0], sides[1], side, categories)  # type: ignore[call-arg]
        else:
            chances = self.chances(sides[0], sides[1], side)
        names: list[Any] = [tuple(one) if isinstance(one, list) else one for one in (a, b)]
        win, loss = split_chances(chances, self.table, getattr(self, "streamed", None) is not None)
        return Forecast(names[0], names[1], chances.expected, win, chances.draw, loss, scores)

    def forecast_contest(
        self, sides: Sequence[Any], new: Collection[str] | None = None, **words: str | None
    ) -> ContestForecast:
        """Forecast a contest of two or more sides: players, or line-ups as lists of names.

        `new` and `words` as of `forecast`. Raises what it raises, BadArgument for too many sides.

        >>> import prowess
        >>> r = prowess.rate([("Ann", "Bob", 1), ("Bob", "Cid", 1)], "elo")
        >>> r.forecast_contest(["Ann", "Bob", "Cid"]).expected_place.round(2).tolist()
        [1.93, 2.0, 2.07]
        """
        names = tuple(one if isinstance(one, str) else tuple(one) for one in sides)
        if len(names) == 2:
            known = self.forecast(sides[0], sides[1], 0.0, new=new, **words)
            return ContestForecast.of_two(
                names, known.expected, known.win, known.loss, known.scores
            )
        if len(names) > MOST_SIDES:
            raise BadArgument.of("too_many_sides", most=MOST_SIDES, names=len(names))
        categories = self.find_categories(**words)
        shown = self.performances(self.find_sides(names, new), categories)
        return ContestForecast.of_many(names, shown)

    def find_categories(self, **words: str | None) -> dict[str, str]:
        """The words of a game's categories that are given, see `forecast`; raises BadArgument."""
        found = {name: word for name, word in words.items() if word is not None}
        if found and getattr(self.system, "prepare", None) is None:
            raise refuse(
                f"leave out {' and '.join(found)}", f"{self.system.name} has no use",
                code="categories_not_taken"
            )  # fmt: skip
        return found

    def find_sides(self, named: Sequence[Any], new: Collection[str] | None = None) -> list[Any]:
        """Sides by number, see `forecast`: a player, or members with their shares.

        Raises BadArgument for a player named twice, UnknownPlayer.
        """
        sides: list[Any] = []
        added: list[str] = []
        for one in named:
            several = isinstance(one, list | tuple)
            shares = [
                member if isinstance(member, tuple) and len(member) == 2 else (member, 1.0)
                for member in (one if several else [one])
            ]
            found = [
                (
                    self.index(name) if new is None else self.find_or_add(name, new, added),
                    float(share),
                )
                for name, share in shares
            ]
            sides.append(found if several else found[0][0])
        everyone = [p for one in sides for p, _ in ([(one, 1.0)] if isinstance(one, int) else one)]
        if len(named) < 2 or [] in sides:
            raise BadArgument.of("player_twice.sides", names=tuple(named))
        if len({*everyone}) < len(everyone):
            twice, known = max(everyone, key=everyone.count), len(self.players)
            name = self.players[twice] if twice < known else added[twice - known]
            raise BadArgument.of("player_twice.name", name=name)
        return sides

    def find_or_add(self, name: Any, new: Collection[str], added: list[str]) -> int:
        """The number of a player, or of a newcomer, see `find_sides`.

        Newcomers stand behind all players, in the order of `added`. Raises UnknownPlayer, also
        where the system has no rating for a newcomer.
        """
        found = find_or_add(self.players, name, new, added, self)
        if found >= len(self.players) and not self.takes_newcomers:
            raise UnknownPlayer.of("no_newcomers", system=self.system.name, name=name)
        return found

    def summary(self, top: int | None = None, **limits: Any) -> dict[str, Any]:
        """The ratings as plain data: system, params, counts and the leaderboard.

        Where members have roles, `roles` counts the members of each.
        """
        counts = {one: int(self.has_played(role=one).sum()) for one in self.played_table.roles}
        return {
            "system": self.system.name,
            "params": self.params,
            "period": self.period,
            "as_of": None if self.day is None else format_date(self.day),
            "games": self.contests,
            "players": int(self.has_played().sum()),
            **({"roles": counts} if len(counts) > 1 else {}),
            "left_out": self.table.left_out,
            "reading": self.table.reading.to_dict(),
            "notes": list(self.notes),
            "leaderboard": self.leaderboard(top, **limits).rows(),
        }

    def to_json(  # type: ignore[override]
        self, top: int | None = None, **limits: Any
    ) -> str:
        """`summary` as JSON text at full precision."""
        return json.dumps(self.summary(top, **limits), ensure_ascii=False, allow_nan=False)

    def to_columns(self) -> Columns:
        """The columns of the leaderboard."""
        return self.leaderboard().to_columns()

    def to_csv(self, path: None = None) -> str:
        """The leaderboard as CSV text at full precision."""
        refuse_path("to_csv", path)
        return self.leaderboard().to_csv()

    def __repr__(self) -> str:
        lines = (self.head(), self.table.reading.brief(), str(self.leaderboard(10)))
        return "\n".join(filter(None, lines))

    def head(self) -> str:
        """One line: system, counts and date."""
        players = format_count(int(self.has_played().sum()), "player")
        parts = [self.system.name, format_count(self.contests, self.table.unit), players]
        if self.period:
            parts.append(f"periods of {self.period}" if self.period != "round" else "by round")
        if self.day is not None:
            first, last = self.span or (self.day, self.day)
            day = format_date(self.day).replace("T", " ")[:16]  # with the minute
            if self.day == last and self.day - first >= 1.0:
                day = format_day(self.day)
            parts.append(f"as of {day}")
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        lines = map(escape, filter(None, (self.head(), self.table.reading.brief())))
        return f"<p>{'<br>'.join(lines)}</p>{self.leaderboard(20)._repr_html_()}"
