"""The ratings of many leagues, each by itself: one leaderboard, and the ratings of any of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids
from prowess.engine.leaderboard import (
    Leaderboard,
    build_leaderboards,
    have_played_since,
    lower_bound,
)
from prowess.engine.params import display_settings
from prowess.engine.periods import BY_LABEL
from prowess.engine.ratings import Ratings
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.tabular import Columns, Tabular
from prowess.engine.whole_table import WholeTable
from prowess.games.arguments import BadArgument, check_number, refuse
from prowess.games.by_league import League, LeagueTables, words_of_league
from prowess.games.games import PLAYER
from prowess.games.reading import format_count, list_some

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import NDArray

SHOWN = 5  # leagues that a terminal shows
BEST = 5  # players of each of them


@dataclass(frozen=True, eq=False)
class RatedPlayers:
    """The players of all leagues, league after league: one entry each in every column."""

    league: Ids  # the number of the league, ascending
    names: Sequence[str]
    strength: AnyArray  # ranks the players of a league
    deviation: AnyArray | None  # of the strength; None: not known
    columns: Mapping[str, AnyArray]
    games: Ids
    last: Floats | None  # days since 1970
    role: NDArray[np.uint8] | None  # in `roles` of the table
    roles: tuple[str, ...] = (PLAYER,)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LeagueRatings(Tabular):
    """The ratings of each league of a table by itself; `prowess.rate_leagues` makes them.

    `found["Premier"]` are the ratings of one league, with all that `prowess.rate` gives; where
    leagues are told apart by several columns it is `found["England", "Premier"]`. `leagues` are
    those that were rated, in the order of their first games; `unrated` has the reason for each of
    the others.

    >>> import prowess
    >>> games = {
    ...     "league": ["A", "B", "A"], "a": ["Ann", "Cid", "Ann"], "b": ["Bob", "Dan", "Bob"],
    ...     "score": [1, 0.5, 1],
    ... }
    >>> found = prowess.rate_leagues(games, "elo", by="league")
    >>> found
    elo, 2 leagues, 3 games, 4 ratings
    league  rank  player  rating  games
    A          1  Ann     1530.5      2
    A          2  Bob     1469.5      2
    B          1  Cid     1500.0      1
    B          1  Dan     1500.0      1
    >>> found.leagues, len(found), "A" in found, list(found), dict(found.unrated)
    (('A', 'B'), 2, True, ['A', 'B'], {})
    >>> round(found["A"].forecast("Ann", "Bob").expected, 2)
    0.59
    >>> found.leaderboard(1).columns["player"], found.summary(1)["leagues"][0]["games"]
    (['Ann', 'Cid'], 2)
    >>> found.head(), found.to_json(1)[:16]
    ('elo, 2 leagues, 3 games, 4 ratings', '{"system": "elo"')
    >>> sorted(found.to_columns()) == sorted(found.to_csv().splitlines()[0].split(","))
    True
    """

    system: Dynamic | WholeTable
    p: Any  # the settings before a system looks at the table of a league
    period: str | None
    tables: LeagueTables
    rated: tuple[int, ...]  # numbers of leagues of `tables`
    unrated: Mapping[League, str]
    players: RatedPlayers
    rate_alone: Callable[[League], Ratings]
    notes: tuple[str, ...] = ()
    _kept: dict[League, Ratings] = field(default_factory=dict)

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that tell the leagues apart."""
        return self.tables.by

    @property
    def leagues(self) -> tuple[League, ...]:
        """The leagues that were rated, in the order of their first games."""
        return tuple(self.tables.leagues[k] for k in self.rated)

    @property
    def params(self) -> dict[str, Any]:
        """The parameters the ratings were made with."""
        return display_settings(self.system, self.p)

    def __len__(self) -> int:
        return len(self.rated)

    def __iter__(self) -> Iterator[League]:
        return iter(self.leagues)

    def __contains__(self, league: object) -> bool:
        return league in self.leagues

    def __getitem__(self, league: League) -> Ratings:
        for unrated, reason in self.unrated.items():
            if unrated == league:
                raise Unratable(reason, code="league_not_rated")
        known = self.tables.leagues
        try:
            league = known[known.index(league)]
        except ValueError:
            raise refuse(
                f"name one of the {len(self):,} leagues, {list_some([*map(repr, self.leagues)])}",
                league,
                code="unknown_league",
            ) from None
        if league not in self._kept:
            self._kept[league] = self.rate_alone(league)
        return self._kept[league]

    def leaderboard(
        self,
        top: int | None = None,
        *,
        min_games: int = 0,
        since: str | date | float | None = None,
        role: str | None = None,
        lower: float | None = None,
    ) -> Leaderboard:
        """All leagues, one after the other: players by rating, best first, with their ranks there.

        `top` counts within each league; all else as for the leaderboard of one league.
        """
        who = self.players
        wanted = who.games >= max(check_number("min_games", min_games), 1.0)
        if since is not None:
            wanted &= have_played_since(who.last, since)
        if role is not None and role not in who.roles:
            raise BadArgument.of("unknown_role", roles=who.roles, role=role)
        if who.role is not None:
            wanted &= who.role == who.roles.index(role or PLAYER)
        chosen = np.flatnonzero(wanted)
        return self._list_players(chosen, top, of_role=role is not None, lower=lower)

    def _list_players(
        self,
        chosen: Ids,
        top: int | None,
        *,
        of_role: bool = False,
        lower: float | None = None,
    ) -> Leaderboard:
        """The leaderboard of chosen players."""
        who = self.players
        strength = who.strength
        words = np.array([*map(words_of_league, self.tables.leagues)], dtype=object)
        leading = {
            (f"by {name}" if name in {"rank", "player", "games", *who.columns} else name): column
            for name, column in zip(self.by, words.T, strict=True)
        }
        columns = {
            name: each
            for name, each in who.columns.items()
            if name != "games" and not (of_role and name.startswith("@"))
        } | {"games": who.games}
        if lower is not None:
            strength = lower_bound(strength, who.deviation, lower, self.system.name)
            columns = {"lower": strength, **columns}
        inner: tuple[str, ...] = getattr(self.system, "inner", ())
        return build_leaderboards(
            who.names, strength, columns, chosen, top, inner, who.league, leading
        )

    def summary(self, top: int | None = None, **limits: Any) -> dict[str, Any]:
        """The ratings as plain data: system, params, leagues and the leaderboard of all."""
        tables, counts = self.tables, np.diff(self.tables.rows).tolist()
        played = np.bincount(self.players.league[self.players.games > 0], minlength=len(tables))
        return {
            "system": self.system.name,
            "params": self.params,
            "period": self.period,
            "by": list(self.by),
            "games": int(tables.rows[-1]),
            "left_out": tables.table.left_out,
            "reading": tables.table.reading.to_dict(),
            "notes": list(self.notes),
            "leagues": [
                {**self._words(tables.leagues[k]), "games": counts[k], "players": int(played[k])}
                for k in self.rated
            ],
            "unrated": [
                {**self._words(league), "reason": reason} for league, reason in self.unrated.items()
            ],
            "leaderboard": self.leaderboard(top, **limits).rows(),
        }

    def _words(self, league: League) -> dict[str, str]:
        return dict(zip(self.by, words_of_league(league), strict=True))

    def to_json(  # type: ignore[override]
        self, top: int | None = None, **limits: Any
    ) -> str:
        """`summary` as JSON text at full precision."""
        return json.dumps(self.summary(top, **limits), ensure_ascii=False, allow_nan=False)

    def to_columns(self) -> Columns:
        """The columns of the leaderboard of all leagues."""
        return self.leaderboard().to_columns()

    def head(self) -> str:
        """One line: system and counts."""
        table = self.tables.table
        parts = [
            self.system.name,
            format_count(len(self), "league"),
            format_count(int(self.tables.rows[-1]), table.unit),
            format_count(int((self.players.games > 0).sum()), "rating"),
        ]
        if self.period:
            parts.append(f"periods of {self.period}" if self.period != BY_LABEL else "by round")
        return ", ".join(parts)

    def _list_first(self) -> Leaderboard:
        """The best of the first leagues, for a terminal."""
        who = self.players
        end = len(who.games)
        if len(self) > SHOWN:
            end = int(who.league.searchsorted(self.rated[SHOWN]))
        return self._list_players(np.flatnonzero(who.games[:end] > 0), BEST)

    def __repr__(self) -> str:
        board = self._list_first()
        rows = int((self.players.games > 0).sum()) - len(board)
        more = f"\nand {rows:,} more (leaderboard())" if rows else ""
        return f"{self.head()}\n{board}{more}"

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.head())}</p>{self._list_first()._repr_html_()}"


def name_leagues(leagues: Sequence[League], text: str) -> str:
    """A text about some leagues, with their names behind it."""
    return f"{text} ({list_some([' / '.join(words_of_league(one)) for one in leagues])})"
