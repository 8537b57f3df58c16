"""One match for a bot or an app, without a table: `system("glicko2").update(ratings, result)`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.arguments import (
    BadArgument,
    check_mapping,
    check_number,
    check_series,
    is_number,
    refuse,
)
from prowess.verbs.tables import check_side_names, refuse_repeated, take_system

if TYPE_CHECKING:
    from prowess.engine.places import ContestForecast
    from prowess.engine.ratings import Forecast
    from prowess.engine.single_contest import Contest, SingleContests
    from prowess.engine.system import Dynamic

RESULTS = {
    "1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5, "½-½": 0.5, "draw": 0.5, "win": 1.0, "loss": 0.0,
    "won": 1.0, "lost": 0.0, "drawn": 0.5, "tie": 0.5,
}  # fmt: skip
RESULT = 'a score of the first side from 0 to 1, a word such as "1-0" or "draw", or places [1, 2]'
TEAM_NAMES = '[["Ann", "Bob"], ["Cid", "Dee"]]'
RATINGS_BY_NAME = '{"Ann": 1500, "Bob": ...}'


@dataclass(frozen=True)
class MatchRating:
    """A player after a match: the values of the system, also as attributes, and what moved them."""

    player: str
    values: Mapping[str, float]
    change: float
    expected: float  # score, in a contest of many the mean against the others

    def __getattr__(self, name: str) -> float:
        values = self.__dict__.get("values", {})
        if name in values:
            return float(values[name])
        raise AttributeError(f"no {name!r} here; there is {', '.join(values)}")


class MatchRatings(dict[str, MatchRating]):
    """The players of a match after it, by name; `ratings` of a later match, also as `to_json`."""

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain data: the values, the change and the expected score of each player, by name."""
        return {
            "ratings": {name: dict(one.values) for name, one in self.items()},
            "change": {name: one.change for name, one in self.items()},
            "expected": {name: one.expected for name, one in self.items()},
        }

    def to_json(self) -> str:
        """The values of all players as JSON text, which `ratings=` takes."""
        return json.dumps(self.to_dict()["ratings"], ensure_ascii=False, allow_nan=False)


class Lineup(NamedTuple):
    """The members of all sides in order, before their values are known."""

    sizes: list[int]
    names: list[str]
    shares: list[float]


@dataclass(frozen=True)
class MatchSystem:
    """A dynamic system with its parameters, for matches one at a time."""

    system: Dynamic
    params: Mapping[str, Any] = field(default_factory=dict)

    def update(
        self, sides: Any = None, result: Any = None, *, places: Any = None, ratings: Any = None,
        side: float = 0.0, days: Any = None, new: Sequence[str] = (),
    ) -> MatchRatings:  # fmt: skip
        """The players of a match after it, as rating a table of this match alone gives them.

        `sides` are players by name, or line-ups: lists of names, or of names with the share of the
        match that they played, `("Bob", 0.5)`. `"Ann & Bob"` is a line-up of two, unless it is a
        name of `ratings`. `ratings` has what is known of players: a number, a mapping of the
        system's values ({"rating": 1600, "deviation": 80}), what an earlier update returned, or ...
        for a new player; also as JSON text. Who is not there is new. Where every side is one
        player, the ratings may stand in place of `sides`.

        `result` is the score of the first of two sides (0 to 1), or a word (`1-0`, `draw`, `win`);
        `places` are those of all sides, 1 the best, the same for a tie. `side` is +1 where the
        first of two has White or plays at home. `days` says how many days ago players met
        last, {"Ann": 30}, or one number for all; else no time passes. `new` are names of newcomers
        that look like those of players.

        Raises BadArgument, UnknownPlayer for a name that looks like another, and Unratable as
        `rate` does.

        >>> import prowess
        >>> after = prowess.system("elo", k=20).update({"Ann": 1500, "Bob": ...}, "1-0")
        >>> after["Ann"].rating, after["Bob"].change, after["Ann"].expected
        (1510.0, -10.0, 0.5)
        >>> teams = [["Ann", "Bob"], ["Cid", "Dee", "Eve"]]
        >>> after = prowess.system("trueskill").update(teams, places=[1, 2])
        >>> round(after["Ann"].rating, 2), round(after["Eve"].rating, 2)
        (30.78, 19.22)
        """
        from prowess.engine.single_contest import refuse_extremes

        contest = self._take_match(sides, ratings, side, days, new)
        if (result is None) == (places is None):
            raise BadArgument.of("result_needed", result=RESULT)
        found = check_result(contest, places if result is None else result)
        with refuse_extremes(self.system):
            before, after, expected = self._contests.play(contest._replace(result=found))
        fields, member = self._names, iter(zip(contest.names, before, after, strict=True))
        rated = MatchRatings()
        for size, chance in zip(contest.sizes, expected, strict=True):
            for _ in range(size):
                name, old, new_rating = next(member)
                values = dict(zip(fields, self._display(new_rating), strict=True))
                rated[name] = MatchRating(name, values, new_rating[0] - old[0], chance)
        return rated

    def forecast(
        self, sides: Any = None, *, ratings: Any = None, side: float = 0.0, days: Any = None,
        new: Sequence[str] = (),
    ) -> Forecast | ContestForecast:  # fmt: skip
        """Forecast a match as `prowess.forecast` does; the arguments are those of `update`.

        Of two sides: the expected score of the first, and the chances of win, draw and loss. Of
        more: each side's chance to win and of every place. Without a model of draws a win and a
        loss have the expected scores, as after a table without drawn games.

        >>> import prowess
        >>> trueskill = prowess.system("trueskill")
        >>> print(trueskill.forecast([["Ann", "Bob"], "Cid"], ratings={"Cid": 40}))
        Ann & Bob against Cid: expected score 0.732
        >>> trueskill.forecast(["Ann", "Bob", "Cid"]).win.round(3).tolist()
        [0.333, 0.333, 0.333]
        """
        from prowess.engine.ratings import Forecast
        from prowess.engine.single_contest import refuse_extremes

        contest = self._take_match(sides, ratings, side, days, new)
        named = tuple(name_sides(contest))
        with refuse_extremes(self.system):
            if not contest.pairwise:
                return self._contests.forecast_many(contest, named)
            chances = self._contests.chances(contest)
        found = chances.expected, chances.win, chances.draw, chances.loss
        return Forecast(named[0], named[1], *found)

    def quality(
        self, sides: Any = None, *, ratings: Any = None, side: float = 0.0, days: Any = None,
        new: Sequence[str] = (),
    ) -> float:  # fmt: skip
        """How even a match is: 1 where all sides have the same chance to win, 0 where one is sure.

        1 - the largest distance of a chance from 1/n, as a share of the largest possible one; of
        two sides the chance is the expected score. The arguments are those of `update`.

        >>> import prowess
        >>> round(prowess.system("elo").quality({"Ann": 1500, "Bob": 1600}), 3)
        0.72
        """
        from prowess.engine.places import quality_of

        found = self.forecast(sides, ratings=ratings, side=side, days=days, new=new)
        if isinstance(found, tuple):
            return quality_of((found.expected, 1.0 - found.expected))
        return quality_of(found.win.tolist())

    @cached_property
    def _contests(self) -> SingleContests:
        """The contests that are played under these settings."""
        from prowess.engine.params import settings
        from prowess.engine.single_contest import SingleContests

        return SingleContests(self.system, settings(self.system, self.params))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """The names of a player's values, as they are displayed."""
        from prowess.engine.state import displayed_fields

        return displayed_fields(self.system)

    def _display(self, rating: Any) -> Any:
        """The values of a rating, as they are displayed."""
        if self._names == rating._fields:
            return map(float, rating)
        from prowess.engine.state import display_rating

        return display_rating(self.system, rating)

    def _take_match(
        self, sides: Any, ratings: Any, side: Any, days: Any, new: Sequence[str]
    ) -> Contest:
        """The match that is asked about; raises BadArgument, UnknownPlayer, Unratable."""
        from prowess.engine.single_contest import Contest

        known = take_known(ratings)
        if sides is None:
            sides = known
        if isinstance(sides, Mapping):
            known = {**known, **check_mapping("sides", sides, RATINGS_BY_NAME)}
            names = list(sides)
            lineup = Lineup([1] * len(names), names, [1.0] * len(names))
        else:
            lineup = take_lineup(check_series("sides", sides, TEAM_NAMES), known)
        names = lineup.names
        if len(lineup.sizes) < 2:
            raise BadArgument.of("too_few_players.match", team_names=TEAM_NAMES, sides=sides)
        refuse_repeated(names)
        check_newcomers(names, known, new)
        starts = [self.read_values(name, known.get(name)) for name in names]
        return Contest(
            names, tuple(lineup.sizes), lineup.shares, starts,
            side=check_match_side(side, len(lineup.sizes)),
            idle=None if days is None else take_days(days, names, starts),
        )  # fmt: skip

    def read_values(self, name: str, given: Any) -> dict[str, float] | None:
        """The values with which a player begins; None for a new player."""
        from prowess.engine.rater import refuse_impossible

        if given is None or given is ...:
            return None
        if isinstance(given, MatchRating):
            given = given.values
        elif is_number(given):
            given = {"rating": given}
        if not isinstance(given, Mapping):
            remedy = f'give {name!r} a number, a dict such as {{"rating": 1500}}, or ... if new'
            raise refuse(remedy, given, code="not_values")
        values = {part: check_number(f"{part} of {name!r}", one) for part, one in given.items()}
        refuse_impossible(name, values)
        return values or None


def take_known(ratings: Any) -> dict[str, Any]:
    """What is known of players, by name; raises BadArgument."""
    if ratings is None:
        return {}
    if isinstance(ratings, str):
        try:
            ratings = json.loads(ratings)
        except ValueError:
            raise BadArgument.of(
                "not_json.match", ratings_by_name=RATINGS_BY_NAME, ratings=ratings
            ) from None
    return check_mapping("ratings", ratings, RATINGS_BY_NAME)


def take_lineup(sides: Sequence[Any], known: Mapping[str, Any]) -> Lineup:
    """The members of sides by name; raises BadArgument."""
    from prowess.study.lineups import names_in

    found = Lineup([], [], [])
    for one in sides:
        members = check_side_names(one)
        if isinstance(members, str):
            members = [members] if members in known or "&" not in members else members
            members = names_in(known, members)
        for member in members:
            name, share = (member, 1.0) if isinstance(member, str) else member
            found.names.append(name)
            found.shares.append(float(share))
        found.sizes.append(len(members))
    return found


def check_newcomers(names: Sequence[str], known: Mapping[str, Any], new: Sequence[str]) -> None:
    """Raise UnknownPlayer where the name of a newcomer may be meant for another player."""
    fresh = [name for name in names if name not in known]
    if not fresh or ((new := check_series("new", new, '["Ann"]')) and {*fresh} <= {*new}):
        return
    from prowess.engine.leaderboard import ask_look_alike

    folded: dict[str, str] = {}
    for name in fresh:
        first = folded.setdefault(name.casefold(), name)
        if name not in new:
            ask_look_alike([first] if first != name else list(known), name)


def take_days(days: Any, names: Sequence[str], starts: Sequence[Any]) -> list[float]:
    """The days since the last game of each member; 0 where nothing is said."""
    if is_number(days):
        days = {name: days for name, start in zip(names, starts, strict=True) if start}
    given = check_mapping("days", days, '{"Ann": 30}')
    able = {name for name, start in zip(names, starts, strict=True) if start}
    if absent := [name for name in given if name not in able]:
        raise BadArgument.of("days_of_newcomer", name=absent[0])
    found = {name: check_number(f"days of {name!r}", one) for name, one in given.items()}
    if early := [name for name, one in found.items() if one < 0.0]:
        raise BadArgument.of("negative_days", name=early[0], day=found[early[0]])
    return [found.get(name, 0.0) for name in names]


def check_match_side(side: Any, sides: int) -> float:
    """The side advantage of a match; raises BadArgument for one of a contest of many."""
    from prowess.engine.ratings import check_side

    number = check_side(side)
    if number and sides > 2:
        raise BadArgument.of("side_of_contest", side=side)
    return number


def check_result(contest: Contest, result: Any) -> Any:
    """The score of the first of two sides, or the places of more; raises BadArgument."""
    sides = len(contest.sizes)
    if isinstance(result, list | tuple) and len(result) == sides:
        places = [check_number("a place", one) for one in result]
        if sides > 2:
            return places
        return 0.5 if places[0] == places[1] else float(places[0] < places[1])
    if sides > 2:
        raise BadArgument.of("not_places", sides=sides, result=result)
    score: Any = RESULTS.get(result.strip().lower()) if isinstance(result, str) else result
    if not is_number(score) or not 0.0 <= score <= 1.0:
        raise BadArgument.of("not_a_result", result=RESULT, given=result)
    return float(score)


def name_sides(contest: Contest) -> Iterator[Any]:
    """The sides by the names of their members; a player alone is a name."""
    members = iter(zip(contest.names, contest.shares, strict=True))
    for size in contest.sizes:
        side = [next(members) for _ in range(size)]
        named = tuple(name if share == 1.0 else (name, share) for name, share in side)
        yield named[0] if len(named) == 1 and isinstance(named[0], str) else named


def system(name: Any = "glicko2", **params: Any) -> MatchSystem:
    """A dynamic system by name (or as a value) with its parameters, for one match at a time.

    Raises BadArgument for a system that learns from a whole table, UnknownSystem, BadSetting.

    >>> import prowess
    >>> round(prowess.system("glicko2").update({"Ann": ..., "Bob": ...}, 1)["Ann"].rating, 1)
    1662.3
    """
    from prowess.engine.params import Bank, settings
    from prowess.engine.system import Dynamic

    chosen = take_system(name)
    if not isinstance(chosen, Dynamic) or chosen.prepare is not None:
        raise BadArgument.of("learns_from_a_table.match", chosen=chosen.name)
    if isinstance(settings(chosen, params), Bank):
        raise BadArgument.of("no_bank.match")
    return MatchSystem(chosen, params)
