"""The public functions of the library: `systems`, `rate` and `rate_on`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import NDArray

    from prowess.engine.check import System
    from prowess.engine.inflation import Rule
    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games

DEFAULT_SYSTEM = "prowess"


def systems() -> Mapping[str, System]:
    """Every rating system by name."""
    from prowess.systems.catalogue import catalogue

    return catalogue()


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

    `games` is what `read_games` returns, or anything it reads (a path, a DataFrame, a dict of
    columns). `system` is a name of `systems()`, a path `FILE.py:NAME`, or a system as a value;
    None takes `prowess`. `period` (`7d`, `2w`, `1mo`, `1y`, or
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
    from prowess.systems.catalogue import find

    table = _table(games)
    chosen = find(DEFAULT_SYSTEM if system is None else system)
    day = None if as_of is None else _day("as_of", as_of)
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
            raise BadSetting(f"{reason}, so it takes no {name}")


def rate_on(ratings: Ratings, games: Games | Any) -> Ratings:
    """Ratings after further games: bit for bit as if all had been rated at once.

    Only the new games are played. They must not be earlier than the last game rated, nor belong
    to a rating period that is closed; Unratable says so.
    """
    from prowess.arguments import refuse
    from prowess.engine.rate import DynamicRatings, rate_on as rated_on
    from prowess.engine.ratings import Ratings
    from prowess.engine.system import Unratable

    if not isinstance(ratings, Ratings):
        raise refuse("give ratings that prowess.rate made, then the further games", ratings)
    if not isinstance(ratings, DynamicRatings):
        raise Unratable(
            f"{ratings.system.name} looks at the whole table at once: rate the whole table again"
        )
    return rated_on(ratings, _table(games))


def _table(games: Games | Any) -> Games:
    from prowess.games import Games, read_games

    if isinstance(games, Games):
        return games

    return read_games(games)


def _check_period(period: Any) -> None:
    """Raise BadPeriod for what is no text; what the text says is looked at later."""
    from prowess.engine.periods import parse_period

    if not isinstance(period, str):
        parse_period(period)


def _day(name: str, value: Any) -> float:
    """A date (also as text), or days since 1970, as days; a date means the end of that day."""
    from datetime import date

    import numpy as np

    from prowess.arguments import check_number, refuse

    wanted = "a date such as 2024-06-30, or as days since 1970"
    if not isinstance(value, str | date | np.datetime64):
        return check_number(name, value, wanted)
    try:
        return end_of_day(str(value))
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
        return parse_moment(text, end_of_day=True) / 86_400_000_000
    except ValueError:
        raise ValueError(f"{text!r} is not a date such as 2024-06-30") from None
