"""Rating: `systems`, `rate`, `rate_on`, and what is asked of ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import NDArray

    from prowess.engine.check import System
    from prowess.engine.inflation import Rule
    from prowess.engine.leaderboard import Leaderboard
    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games


MICROSECONDS = 86_400_000_000  # of a day


def systems() -> Mapping[str, System]:
    """Every rating system by name, in a dict of your own."""
    from prowess.systems.catalogue import catalogue

    return dict(catalogue())


def rate(
    games: Games | Any,
    system: str | System | None = None,
    *,
    period: str | None = None,
    as_of: str | date | float | None = None,
    initial: Mapping[str, Mapping[str, float]] | None = None,
    rules: Sequence[Rule] = (),
    forecasts: bool = False,
    anchors: Mapping[str, float] | None = None,
    level: float = 0.95,
    reference: str | None = None,
    compiled: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
    **params: float | str | Sequence[float] | NDArray[Any],
) -> Ratings:
    """Rate a table of results under a system.

    Columns and parameters stand in one call: `rate(df, "elo", player_a="p", player_b="q", k=40)`.
    A keyword of `read_games` names a column or an option of reading, any other is a parameter of
    the system.

    >>> import prowess
    >>> r = prowess.rate([("Ann", "Bob", 1)], "elo", k=40)
    >>> round(r["Ann"].rating, 1)
    1520.0

    `games` is what `read_games` returns, or anything it reads (a path, a DataFrame, a dict of
    columns), or a list of tuples (a, b, result). `system` is a name of `systems()`, a path
    `FILE.py:NAME`, or a system as a value; None takes `prowess`. `period` (`7d`, `1mo`, `1y`, or
    `round` for the table's own rounds) judges the games of a period together; None rates game by
    game. `as_of` is a date (also as ISO text), or days since 1970; a date means the end of that
    day. `initial` gives named players other values than a newcomer's. `rules` (`Redistribution`,
    `NewcomersMean`) act against inflation between rounds. Everything else is a parameter of the
    system, within its declared range; several values (`k=[8, 16, 32]`) make a bank, of which each
    setting counts as well as it has forecast so far.

    A system that looks at the whole table at once takes no `period`, `initial`, `rules` and
    `forecasts`. It takes `anchors`, players whose rating is known and stays; its intervals have
    probability `level`, and are about differences from the player `reference` where one is named.

    Raises BadData for results that cannot be read, BadArgument for an argument of another kind,
    UnknownSystem, BadSystem, BadSetting, BadPeriod, BadRounds, UnknownPlayer and Unratable (all of
    them ValueError or KeyError or TypeError) with a message for people.
    """
    from prowess.arguments import (
        check_callable,
        check_flag,
        check_given,
        check_mapping,
        check_number,
        check_series,
        check_text,
    )
    from prowess.engine.rate import rate as rated
    from prowess.engine.whole_table import WholeTable
    from prowess.tables import take_games, take_keywords

    chosen, reading, params = take_keywords(system, params)
    table = take_games(games, reading)
    day = None if as_of is None else parse_day("as_of", as_of)
    if period is not None:
        _check_period(period)
    initial = None if initial is None else _initial(initial)
    rules = check_series("rules", rules, '[prowess.Redistribution(after="1y")]')
    check_flag("forecasts", forecasts)
    if anchors is not None:
        anchors = check_mapping("anchors", anchors, '{"Ann": 2000.0}')
        anchors = {name: check_number(f"the anchor of {name!r}", r) for name, r in anchors.items()}
    level = check_number("level", level, "a probability between 0 and 1, such as 0.95")
    check_given(check_text, "reference", reference, 'the name of a player, or "mean"')
    check_given(check_flag, "compiled", compiled)
    check_given(check_callable, "progress", progress)
    by_game: dict[str, Any] = {
        "period": period, "initial": initial, "rules": rules, "forecasts": forecasts
    }  # fmt: skip
    at_once: dict[str, Any] = {"anchors": anchors, "reference": reference}
    if isinstance(chosen, WholeTable):
        from prowess.engine.fit import fit_table

        _refuse_given(by_game, f"{chosen.name} looks at the whole table at once")
        return fit_table(table, chosen, as_of=day, level=level, params=params, **at_once)
    _refuse_given(at_once, f"{chosen.name} rates game by game")
    return rated(
        table,
        chosen,
        period=period,
        as_of=day,
        start=initial,
        rules=rules,
        forecasts=forecasts,
        compiled=compiled,
        progress=progress,
        params=params,
        follow=True,
    )


def _refuse_given(options: Mapping[str, Any], reason: str) -> None:
    """Raise BadSetting for options that have no meaning with this system."""
    from prowess.engine.params import BadSetting

    for name, value in options.items():
        if value not in (None, False, [], {}):
            raise BadSetting(f"leave {name} out: {reason}")


def rate_on(
    ratings: Ratings, games: Games | Any, *, forecasts: bool = False, **columns: Any
) -> Ratings:
    """Ratings after further games: bit for bit as if all had been rated at once.

    Only the new games are played. They must not be earlier than the last game rated, nor belong
    to a rating period that is closed; Unratable says so. `forecasts` keeps the forecast before each
    new game; games rated without have none (nan). `columns` as `read_games` takes them.

    >>> import prowess
    >>> first = prowess.rate([("Ann", "Bob", 1)], "elo")
    >>> prowess.rate_on(first, [("Bob", "Ann", 1)], forecasts=True).forecasts.round(3).tolist()
    [nan, 0.454]
    """
    from prowess.arguments import check_flag, refuse
    from prowess.engine.rate import DynamicRatings, rate_on as rated_on
    from prowess.engine.ratings import Ratings
    from prowess.engine.system import Unratable
    from prowess.tables import take_games

    if not isinstance(ratings, Ratings):
        raise refuse("give ratings that prowess.rate made, then the further games", ratings)
    if not isinstance(ratings, DynamicRatings):
        raise Unratable(
            f"rate the whole table again: {ratings.system.name} looks at all of it at once"
        )
    table = take_games(games, columns)
    return rated_on(ratings, table, forecasts=check_flag("forecasts", forecasts))


def take_ratings(source: Any, system: Any, keywords: Mapping[str, Any]) -> Ratings:
    """Ratings as they are, or those of a table under a system; raises BadArgument."""
    from prowess.arguments import BadArgument
    from prowess.engine.ratings import Ratings

    if isinstance(source, Ratings):
        given = [*keywords, *(["system"] if system is not None else [])]
        if given:
            raise BadArgument(f"leave {' and '.join(given)} out: these are ratings already")
        return source
    return rate(source, system, **keywords)


def leaderboard(
    ratings: Any, top: int | None = None, *, system: Any = None, **keywords: Any
) -> Leaderboard:
    """The leaderboard of ratings, or of a table that is rated under `system` with `keywords`.

    >>> import prowess
    >>> prowess.leaderboard([("Ann", "Bob", 1)], system="elo")
    rank  player  rating  games
       1  Ann     1516.0      1
       2  Bob     1484.0      1
    """
    return take_ratings(ratings, system, keywords).leaderboard(top)


def history(ratings: Any, player: str | None = None, *, system: Any = None, **keywords: Any) -> Any:
    """The history of a player, or of all players as one table; see `Ratings.history`.

    >>> import prowess
    >>> prowess.history([("Ann", "Bob", 1)], "Bob", system="elo").to_columns()["after"][0]
    1484.0
    """
    return take_ratings(ratings, system, keywords).history(player)


def simulate(*, seed: int = 1, **settings: Any) -> Games:
    """The games of a simulated league whose true strengths are drawn; settings as `LeagueSettings`.

    `players`, `games`, `draws`, `drift` and so on are those of `prowess simulate league`. Raises
    BadSetting.

    >>> import prowess
    >>> len(prowess.simulate(players=4, games=20, seed=3))
    20
    """
    from prowess.study.simulation.league import simulate as play_league
    from prowess.study.simulation.settings import league_settings

    return play_league(league_settings(**settings), seed).games


def _check_period(period: Any) -> None:
    """Raise BadPeriod for what is no text; what the text says is looked at later."""
    from prowess.engine.periods import parse_period

    if not isinstance(period, str):
        parse_period(period)


def parse_day(name: str, value: Any, *, end: bool = True) -> float:
    """A date (also as text), or days since 1970, as days; a date means the end of that day.

    With `end` False it means its beginning.
    """
    from datetime import date

    import numpy as np

    from prowess.arguments import check_number, refuse
    from prowess.games.dates import parse_moment

    wanted = "a date such as 2024-06-30, or as days since 1970"
    if not isinstance(value, str | date | np.datetime64):
        return check_number(name, value, wanted)
    try:
        return end_of_day(str(value)) if end else parse_moment(str(value)) / MICROSECONDS
    except ValueError:
        raise refuse(f"give {name} as {wanted}", value) from None


def _initial(initial: Any) -> dict[str, dict[str, float]]:
    """Values by player and name of the value."""
    from prowess.arguments import check_mapping, check_number

    example = '{"Ann": {"rating": 1800.0}}'
    return {
        player: {
            name: check_number(f"{name} of {player!r}", value)
            for name, value in check_mapping(f"initial[{player!r}]", values, example).items()
        }
        for player, values in check_mapping("initial", initial, example).items()
    }


def end_of_day(text: str) -> float:
    """An ISO date as the last moment of that day, a date with a time as that moment.

    Days since 1970; raises ValueError for anything else.
    """
    from prowess.games.dates import parse_moment

    try:
        return parse_moment(text, end_of_day=True) / MICROSECONDS
    except ValueError:
        raise ValueError(f"give a date such as 2024-06-30, not {text!r}") from None
