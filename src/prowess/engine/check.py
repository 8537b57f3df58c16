"""Is a system complete? Errors that tell its author what is missing and how to add it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from math import isfinite
from typing import Any

from prowess.arguments import brief
from prowess.engine.params import parameters, settings
from prowess.engine.periods import BadPeriod, period_of
from prowess.engine.replay import newcomer
from prowess.engine.system import Choice, Dynamic, Game
from prowess.engine.whole_table import BALLOTS, GAMES, Fit, WholeTable

System = Dynamic | WholeTable

ARGUMENTS = {
    "newcomer": ("p",),
    "drift": ("p", "me", "elapsed"),
    "expected": ("p", "me", "opponent", "game"),
    "evidence": ("p", "me", "opponent", "game"),
    "absorb": ("p", "me", "total"),
    "credit": ("p", "me", "after", "one"),
}
OPTIONAL = ("newcomer", "drift", "credit")
TRIED = (Game(1.0), Game(0.5), Game(0.0, side=1.0, margin=-2.0, length=15.0, mine=1.0, theirs=3.0))


class BadSystem(TypeError):
    """A system that is not complete."""


def checked(system: System) -> System:
    """The system itself if it is complete; raises BadSystem with what is missing otherwise."""
    if not isinstance(system, Dynamic | WholeTable):
        raise BadSystem(
            "give a system by its name, as FILE.py:NAME, or as a value made by Dynamic(...) or "
            f"WholeTable(...), not {brief(system)}"
        )
    return _checked_once(system)


@cache
def _checked_once(system: System) -> System:
    if isinstance(system, WholeTable):
        _check_whole_table(system)
    else:
        _check_dynamic(system)
    return system


def _check_whole_table(system: WholeTable) -> None:
    _check_tuple(system.name, "params", system.params)
    _check_function(system, "fit", ("p", "table", "anchors"))
    if system.chances is not None:
        moment = ("when",) if system.moves else ()
        _check_function(system, "chances", ("p", "fit", "a", "b", "side", *moment))
    _check_params(system)
    if not system.columns or type(system.columns) is not tuple:
        raise BadSystem(f"{system.name}: columns is a tuple of names, such as ('rating',)")
    if not system.reads or not set(system.reads) <= {GAMES, BALLOTS}:
        raise BadSystem(f"{system.name}: reads is one or both of {GAMES!r}, {BALLOTS!r}")


def check_fit(system: WholeTable, fit: Any, players: int) -> None:
    """Raise BadSystem for a fit that has not the columns its system declares."""
    if not isinstance(fit, Fit):
        raise BadSystem(f"{system.name}: fit returned {fit!r:.60}, not a Fit")
    there = tuple(name for name in system.columns if name in fit.columns)
    if tuple(fit.columns) != there or there[:1] != system.columns[:1]:
        raise BadSystem(
            f"{system.name}: fit returned the columns {', '.join(fit.columns)}; "
            f"the system declares {', '.join(system.columns)}"
        )
    ordered = {} if fit.order is None else {"order": fit.order}
    if system.moves and (fit.path is None or tuple(fit.path.columns) != tuple(fit.columns)):
        raise BadSystem(f"{system.name}: give a fit a path with the same columns: its values move")
    for name, column in (*fit.columns.items(), *ordered.items()):
        if getattr(column, "shape", None) != (players,):
            raise BadSystem(
                f"{system.name}: the column {name} is an array of one number a player, {players}"
            )


def _check_dynamic(system: Dynamic) -> None:
    name = system.name
    for part in ("params", "rating", "evidence_zero"):
        _check_tuple(name, part, getattr(system, part))
    if system.rating._fields[0] != "rating":
        raise BadSystem(f"{name}: the first field of {type(system.rating).__name__} is 'rating'")
    for role, arguments in ARGUMENTS.items():
        _check_function(system, role, arguments)
    _check_params(system)
    _check_words(system)
    _check_by_running(system)


def _check_tuple(name: str, part: str, value: Any) -> None:
    if not hasattr(value, "_fields"):
        raise BadSystem(
            f"{name}: {part} is a NamedTuple with defaults, such as Params(); "
            f"it is {type(value).__name__}"
        )
    for field_name, number in value._asdict().items():
        if not isinstance(number, int | float) or not isfinite(number):
            raise BadSystem(f"{name}: {part}.{field_name} = {number!r} is not a finite number")
    if part == "evidence_zero" and any(value):
        raise BadSystem(f"{name}: evidence_zero is evidence of nothing: all its fields are 0.0")


def _check_function(system: System, role: str, arguments: tuple[str, ...]) -> None:
    function = getattr(system, role)
    if function is None and role in OPTIONAL:
        return
    if isinstance(system, Dynamic) and role == "absorb" and system.league is not None:
        arguments = (*arguments, "league")
    wanted = f"{role}({', '.join(arguments)})"
    if not inspect.isfunction(function):
        raise BadSystem(f"{system.name}: {wanted} is missing: give a plain Python function")
    given = inspect.signature(function).parameters
    if len(given) != len(arguments):
        raise BadSystem(
            f"{system.name}: {role} is called as {wanted}, but takes ({', '.join(given)})"
        )


def _check_params(system: System) -> None:
    for parameter in parameters(system).values():
        allowed = parameter.domain
        top = len(allowed.words) - 1 if isinstance(allowed, Choice) else allowed.high
        bottom = 0 if isinstance(allowed, Choice) else allowed.low
        if not bottom <= parameter.default <= top:
            raise BadSystem(
                f"{system.name}: the default of {parameter.name}, {parameter.default:g}, "
                f"is outside its own range, {parameter.described()}"
            )


def _check_words(system: Dynamic) -> None:
    if system.rounds not in ("any", "game", "period"):
        raise BadSystem(f"{system.name}: rounds is any, game or period, not {system.rounds!r}")
    try:
        period_of(system.clock)
    except BadPeriod as error:
        raise BadSystem(f"{system.name}: clock: {error}") from None
    if system.league is not None and system.drift is not None:
        raise BadSystem(f"{system.name}: a system with a league has no drift")
    in_days = system.clock == "1d" and not system.follows_period
    if system.league is not None and system.league.active_days and not in_days:
        raise BadSystem(
            f"{system.name}: a league that counts idle days needs clock='1d' and "
            "follows_period=False"
        )


def _check_by_running(system: Dynamic) -> None:
    """Play one game of each kind and look at what comes back."""
    p = settings(system, {})
    try:
        me = newcomer(system, p)
    except Exception as error:
        raise _failed(system, "newcomer", error) from error
    _check_shape(system, "newcomer", me, system.rating)
    league = () if system.league is None else (system.league.empty,)
    if system.league is not None and system.league.standing(p, me) != system.league.empty:
        raise BadSystem(f"{system.name}: a newcomer's standing in the league must be zero")
    for game in TRIED:
        chance = _called(system, "expected", p, me, me, game)
        if not isinstance(chance, int | float) or not 0.0 <= chance <= 1.0:
            raise BadSystem(f"{system.name}: expected returned {chance!r}, not a number in 0..1")
        evidence = _called(system, "evidence", p, me, me, game)
        _check_shape(system, "evidence", evidence, system.evidence_zero)
        after = _called(system, "absorb", p, me, evidence, *league)
        _check_shape(system, "absorb", after, system.rating)
        if system.credit is not None:
            _called(system, "credit", p, me, after, evidence)
    if system.drift is not None:
        _check_shape(system, "drift", _called(system, "drift", p, me, 1.0), system.rating)


def _called(system: Dynamic, role: str, *arguments: Any) -> Any:
    function: Callable[..., Any] = getattr(system, role)
    try:
        return function(*arguments)
    except Exception as error:
        raise _failed(system, role, error) from error


def _failed(system: Dynamic, role: str, error: Exception) -> BadSystem:
    return BadSystem(
        f"{system.name}: {role} failed on its first game: {type(error).__name__}: {error}"
    )


def _check_shape(system: Dynamic, role: str, value: Any, shape: Any) -> None:
    if type(value) is not type(shape):
        raise BadSystem(
            f"{system.name}: {role} returned {value!r:.60}, not a {type(shape).__name__}"
        )
    for name, number in value._asdict().items():
        if not isinstance(number, float):
            raise BadSystem(
                f"{system.name}: {role} returned {name}={number!r}; every field is a float, "
                "so that it compiles: write 0.0, not 0"
            )
