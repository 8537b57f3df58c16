"""Check that a system is complete: each error names what is missing and how to add it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from math import isfinite
from typing import Any

import numpy as np

from prowess.engine.params import parameters, rows_of, settings
from prowess.engine.periods import BadPeriod, parse_period
from prowess.engine.rows import common_at, first_rows, game_rules, make_mirror, make_sum
from prowess.engine.state import newcomer
from prowess.engine.system import BadSystem, Chances, Common, Dynamic, mirrors_of
from prowess.engine.whole_table import BALLOTS, GAMES, WholeTable

System = Dynamic | WholeTable

ARGUMENTS = {
    "newcomer": ("p",),
    "drift": ("p", "me", "elapsed"),
    "season": ("p", "me", "field"),
    "part": ("p", "me", "share"),
    "expected": ("p", "mine", "theirs", "game"),
    "chances": ("p", "mine", "theirs", "game"),
    "at_least": ("p", "mine", "theirs", "game"),
    "evidence": ("p", "mine", "theirs", "game"),
    "performance": ("p", "mine"),
    "contest": ("p", "sides", "place", "out"),
    "due": ("p", "me", "share", "mine", "one"),
    "absorb": ("p", "me", "total"),
    "carry": ("p", "me", "after", "number"),
    "credit": ("p", "me", "after", "one"),
}
# they get what all games share as well
COMMON = ("newcomer", "expected", "chances", "at_least", "evidence")
OPTIONAL = (
    "newcomer", "drift", "season", "part", "chances", "at_least", "performance", "contest", "due",
    "credit", "carry",
)  # fmt: skip
# what all games share, and its factor where one is declared
LEARNING = {
    "start": ("p",),
    "named": ("p", "game"),
    "gradient": ("p", "mine", "theirs", "game", "common", "of", "one"),
    "learn": ("p", "which", "row", "below", "above", "total", "sides"),
}
STEERING = {
    "factor": ("p",),
    "pull": ("p", "me", "share", "one"),
    "learn_factor": ("p", "row", "total"),
}
EMPTY = {"evidence_zero": "evidence of nothing", "side": "a side without members"}
TRIED: tuple[dict[str, float], ...] = (
    {"score": 1.0},
    {"score": 0.5},
    {"score": 0.0, "side": 1.0, "margin": -2.0, "length": 15.0, "mine": 1.0, "theirs": 3.0},
)
SHARES = (1.0, 0.5)  # of the members that a side is tried with
PLACES = (1.0, 2.0, 2.0)  # of the sides that a contest is tried with
ROUNDING_ERROR = 1e-9


def check_system(system: System) -> System:
    """The system itself if it is complete; raises BadSystem with what is missing otherwise."""
    if not isinstance(system, Dynamic | WholeTable):
        raise BadSystem.of("not_a_system", system=system)
    return _check_once(system)


@cache
def _check_once(system: System) -> System:
    _check_whole_table(system) if isinstance(system, WholeTable) else _check_dynamic(system)
    return system


def _check_whole_table(system: WholeTable) -> None:
    check_tuple(system.name, "params", system.params)
    _check_function(system, "fit", ("p", "table", "anchors", *["priors"] * system.priors))
    if system.chances is not None:
        moment = ("when",) if system.moves else ()
        _check_function(system, "chances", ("p", "fit", "a", "b", "side", *moment))
    if system.scores is not None:
        _check_function(system, "scores", ("p", "fit", "a", "b", "side"))
    if system.newcomer is not None:
        _check_function(system, "newcomer", ("p",))
    _check_params(system)
    if not system.columns or type(system.columns) is not tuple:
        raise BadSystem.of("columns_no_names", system=system.name)
    if not system.reads or not set(system.reads) <= {GAMES, BALLOTS}:
        raise BadSystem.of("reads_nothing_known", system=system.name, games=GAMES, ballots=BALLOTS)


def _check_dynamic(system: Dynamic) -> None:
    name = system.name
    for part in ("params", "rating", "evidence_zero", "game"):
        check_tuple(name, part, getattr(system, part))
    if system.rating._fields[0] != "rating":
        raise BadSystem.of("no_field_rating", system=name, rating=system.rating)
    for role, arguments in ARGUMENTS.items():
        _check_function(system, role, arguments)
    for role in ("side", "due"):
        if system.part is None and getattr(system, role) is not None:
            raise BadSystem.of("no_part", system=name, role=role)
    if system.part is not None:
        if system.side is None:
            raise BadSystem.of("no_side", system=name)
        check_tuple(name, "side", system.side)
    _check_game(system)
    _check_params(system)
    _check_words(system)
    check_common(system, [_game(system, known) for known in TRIED])
    _check_by_running(system)
    _check_learning(system)


def _check_game(system: Dynamic) -> None:
    """Raise BadSystem where a game cannot be seen from its other side."""
    shape, name = system.game, system.name
    for field, mirror in (mirrors_of(shape) or {}).items():
        if mirror.other and mirror.other not in shape._fields:
            raise BadSystem(
                f"{name}: {type(shape).__name__}.{field} is swapped with {mirror.other!r}, which "
                f"is no field; the fields are {', '.join(shape._fields)}", code="unknown_field"
            )  # fmt: skip
    try:
        rules = game_rules(shape)
    except TypeError as error:
        raise BadSystem(f"{name}: {error}", code="fields_not_mirrored") from None
    game = shape._make(0.25 + number for number in range(len(shape)))
    for field, once, twice in zip(
        shape._fields, game, rules.mirror(rules.mirror(game)), strict=True
    ):
        if abs(twice - once) > ROUNDING_ERROR:
            raise BadSystem.of("fields_not_mirrored.game", system=name, shape=shape, field=field)


def _check_function(system: System, role: str, arguments: tuple[str, ...]) -> None:
    function = getattr(system, role)
    judges_contests = role == "evidence" and getattr(system, "contest", None) is not None
    if function is None and (role in OPTIONAL or judges_contests):
        return
    if isinstance(system, Dynamic):
        arguments += ("league",) * (role == "absorb" and system.league is not None)
        arguments += ("common",) * (role in COMMON and system.common is not None)
        arguments += ("room",) * (role == "contest" and system.room is not None)
    check_arguments(system.name, role, function, arguments)


def _check_params(system: System) -> None:
    for parameter in parameters(system).values():
        low, high = parameter.bounds
        if not low <= parameter.default <= high:
            raise BadSystem(
                f"{system.name}: the default of {parameter.name}, {parameter.default:g}, "
                f"is outside its own range, {parameter.describe()}", code="default_out_of_range"
            )  # fmt: skip


def _check_words(system: Dynamic) -> None:
    if system.rounds not in ("any", "game", "period"):
        raise BadSystem.of("unknown_rounds", system=system.name, rounds=system.rounds)
    try:
        parse_period(system.clock)
    except BadPeriod as error:
        raise BadSystem.of("bad_clock", system=system.name, error=error) from None
    if not isinstance(system.roles, Mapping):
        raise BadSystem.of("roles_no_functions.dict", system=system.name)
    for role, of_role in system.roles.items():
        if not (inspect.isfunction(of_role) and len(inspect.signature(of_role).parameters) == 1):
            raise BadSystem.of("roles_no_functions.role", system=system.name, role=role)
    if system.league is not None and system.drift is not None:
        raise BadSystem.of("league_with_drift", system=system.name)
    if system.league is not None and (system.season is not None or system.facts):
        raise BadSystem.of("league_between_rounds", system=system.name)
    if type(system.passes) is not int or system.passes < 1:
        raise BadSystem.of("not_a_count.check", system=system.name, passes=system.passes)
    alone = system.league is None and vars(system)["evidence"] is not None
    if system.passes > 1 and not (system.rounds == "period" and alone):
        raise BadSystem.of("passes_without_periods", system=system.name)
    if system.carry is not None and system.passes == 1:
        raise BadSystem.of("no_second_pass", system=system.name)
    in_days = system.clock == "1d" and not system.follows_period
    if system.league is not None and system.league.active_days and not in_days:
        raise BadSystem.of("league_without_clock", system=system.name)


def _check_by_running(system: Dynamic) -> None:
    """Play one game of each kind and look at what comes back."""
    p = rows_of(settings(system, {}))[0]
    me = attempt_call(system, "newcomer", newcomer, system, p)
    check_shape(system, "newcomer", me, system.rating)
    me = me._replace(**{name: 0.5 + k for k, name in enumerate(system.facts)})
    league = () if system.league is None else (system.league.empty,)
    if system.league is not None and system.league.standing(p, me) != system.league.empty:
        raise BadSystem.of("newcomers_not_zero", system=system.name)
    for role, of_role in system.roles.items():
        row = attempt_call(system, f"roles[{role!r}]", of_role, p)
        if type(row) is not type(p):
            raise BadSystem.of("wrong_return.role", system=system.name, role=role, row=row, p=p)
        if not all(map(isfinite, row)):
            raise BadSystem.of("not_finite.role", system=system.name, role=role, row=row)
    for shares in (SHARES[:1], SHARES) if system.teams else (SHARES[:1],):
        mine = _side(system, p, me, shares)
        for known in TRIED:
            game = _game(system, known)
            _check_forecast(system, p, mine, game)
            if vars(system)["evidence"] is not None:  # may be left out beside `contest`
                one = _call(system, "evidence", p, mine, mine, game)
                check_shape(system, "evidence", one, system.evidence_zero)
                _check_mirrored(system, p, mine, game, one)
                _check_member(system, (p, me, mine), shares[0], one, league)
        if system.contest is not None:
            _check_contest(system, (p, me, mine), shares[0], league)
    if system.drift is not None:
        _check_rating(system, "drift", me, _call(system, "drift", p, me, 1.0))
    if system.carry is not None:
        _check_rating(system, "carry", me, _call(system, "carry", p, me, me, 2.0))
    if system.season is not None:
        _check_rating(system, "season", me, _call(system, "season", p, me, me))


def _check_rating(system: Dynamic, role: str, me: Any, after: Any) -> None:
    """Raise BadSystem for what is no rating, or has other facts of the player than before."""
    check_shape(system, role, after, system.rating)
    for name in system.facts:
        if getattr(after, name) != getattr(me, name):
            raise BadSystem.of("fact_changed", system=system.name, role=role, name=name)


def _side(system: Dynamic, p: Any, me: Any, shares: tuple[float, ...]) -> Any:
    """A side of newcomers."""
    if system.part is None:
        return me
    side, add = system.side, make_sum(system.side)
    for share in shares:
        part = _call(system, "part", p, me, share)
        check_shape(system, "part", part, system.side)
        side = add(side, part)
    return side


def _check_forecast(system: Dynamic, p: Any, mine: Any, game: Any) -> None:
    if system.chances is not None:
        chances = _call(system, "chances", p, mine, mine, game)
        if type(chances) is not Chances:
            raise BadSystem.of("wrong_return.chances", system=system.name, chances=chances)
        for name, number in chances._asdict().items():
            if not isinstance(number, float) or not 0.0 <= number <= 1.0 + ROUNDING_ERROR:
                raise BadSystem.of(
                    "not_a_chance.chances", system=system.name, name=name, number=number
                )
        if sum(chances) > 1.0 + ROUNDING_ERROR:  # type: ignore[arg-type]
            raise BadSystem.of("chances_above_one", system=system.name, chances=chances)
    chance = _call(system, "expected", p, mine, mine, game)
    if not isinstance(chance, int | float) or not 0.0 <= chance <= 1.0:
        raise BadSystem.of("not_a_chance.expected", system=system.name, chance=chance)
    if system.at_least is not None:
        chance = _call(system, "at_least", p, mine, mine, game)
        if not isinstance(chance, float) or chance < 0.0 or chance > 1.0 + ROUNDING_ERROR:
            raise BadSystem.of("not_a_chance.at_least", system=system.name, chance=chance)


def _check_mirrored(system: Dynamic, p: Any, mine: Any, game: Any, one: Any) -> None:
    """Raise BadSystem where evidence does not mirror as its fields say."""
    if system.mirrors is None:
        return
    asked = _call(system, "evidence", p, mine, mine, game_rules(system.game).mirror(game))
    derived = make_mirror(system.evidence_zero, system.mirrors)(one)
    for name, wanted, number in zip(asked._fields, asked, derived, strict=True):
        if abs(wanted - number) > ROUNDING_ERROR * (1.0 + abs(wanted)):
            raise BadSystem(
                f"{system.name}: {type(one).__name__}.{name} does not mirror as it says: the "
                f"other side's is {wanted:g}, not {number:g}; leave the annotations out, and each "
                "side is asked", code="fields_not_mirrored"
            )  # fmt: skip


def _check_member(
    system: Dynamic, playing: tuple[Any, Any, Any], share: float, one: Any, league: tuple[Any, ...]
) -> None:
    """Let a member have what is due of a side's evidence, and absorb it."""
    p, me, mine = playing
    if system.due is not None:
        one = _call(system, "due", p, me, share, mine, one)
        check_shape(system, "due", one, system.evidence_zero)
    after = _call(system, "absorb", p, me, one, *league)
    _check_rating(system, "absorb", me, after)
    if system.credit is not None:
        _call(system, "credit", p, me, after, one)


def _check_contest(
    system: Dynamic, playing: tuple[Any, Any, Any], share: float, league: tuple[Any, ...]
) -> None:
    """Judge a contest of equal sides at once."""
    _, _, mine = playing
    zero, n = system.evidence_zero, len(PLACES)
    sides = type(mine)(*([number] * n for number in mine))
    out = type(zero)(*([0.0] * n for _ in zero))
    room = system.make_room(n)
    if _call(system, "contest", playing[0], sides, list(PLACES), out, *room) is not None:
        raise BadSystem.of("wrong_return.contest", system=system.name)
    for row in zip(*out, strict=True):
        one = type(zero)(*row)
        check_shape(system, "contest", one, zero)
        _check_member(system, playing, share, one, league)


def _call(system: Dynamic, role: str, *arguments: Any) -> Any:
    """What a function of the system returns; raises BadSystem where it fails."""
    if system.common is not None and role in COMMON:
        arguments = (*arguments, *_first_common(system, arguments[0], arguments[-1]))
    return attempt_call(system, role, getattr(system, role), *arguments)


def _first_common(system: Dynamic, p: Any, game: Any) -> tuple[Any, ...]:
    """What all games share before the first, as a game reads it."""
    rows = first_rows(system, (p,))
    assert rows is not None
    return common_at(system, p, rows, game)


def _check_learning(system: Dynamic) -> None:
    """Let what all games share learn from a game of each kind, and look at what comes back."""
    common = system.common
    if common is None:
        return
    p = rows_of(settings(system, {}))[0]
    side = system.alone(p, newcomer(system, p))
    for known in TRIED:
        game = _game(system, known)
        (learnt,) = _first_common(system, p, game)
        of, one = (_call(system, role, p, side, side, game) for role in ("chances", "evidence"))
        total = attempt_call(
            system, "common.gradient", common.gradient, p, side, side, game, learnt, of, one
        )
        check_shape(system, "common.gradient", total, common.gradient_zero)
        for which, row in enumerate(learnt):
            if learnt._fields[which] in common.taught:
                given = (p, which, row, row, row, total, 2.0)
                new = attempt_call(system, "common.learn", common.learn, *given)
                check_shape(system, "common.learn", new, common.row)


def _game(system: Dynamic, known: Mapping[str, float]) -> Any:
    """A game of a kind that is tried."""
    fields = {name: value for name, value in known.items() if name in system.game._fields}
    return system.game._replace(**fields)


def check_tuple(name: str, part: str, value: Any) -> None:
    if not hasattr(value, "_fields"):
        raise BadSystem.of("not_a_tuple.part", system=name, part=part, value=value)
    for field_name, number in value._asdict().items():
        if not isinstance(number, int | float) or not isfinite(number):
            raise BadSystem.of(
                "not_finite.field", system=name, part=part, field=field_name, number=number
            )
    if part in EMPTY and any(value):
        raise BadSystem.of("not_zero", system=name, part=part, what=EMPTY[part])


def check_arguments(name: str, role: str, function: Any, arguments: tuple[str, ...]) -> None:
    wanted = f"{role}({', '.join(arguments)})"
    if not inspect.isfunction(function):
        raise BadSystem.of("function_missing", system=name, wanted=wanted)
    given = inspect.signature(function).parameters
    if len(given) != len(arguments):
        raise BadSystem.of("wrong_arguments", system=name, role=role, wanted=wanted, given=given)


def attempt_call(system: Dynamic, role: str, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        raise BadSystem.of("function_fails", system=system.name, role=role, error=error) from error


def check_shape(system: Dynamic, role: str, value: Any, shape: Any) -> None:
    if type(value) is not type(shape):
        raise BadSystem.of(
            "wrong_return.function", system=system.name, role=role, value=value, shape=shape
        )
    for name, number in value._asdict().items():
        if not isinstance(number, float):
            raise BadSystem.of(
                "not_a_float", system=system.name, role=role, name=name, number=number
            )


def check_common(system: Dynamic, games: Sequence[Any]) -> None:
    """Raise BadSystem where what all games share is not declared as the engine needs it."""
    common, name = system.common, system.name
    if common is None:
        return
    if not isinstance(common, Common):
        raise BadSystem.of("not_common", system=name)
    if system.rounds != "game":
        raise BadSystem.of("common_in_rounds", system=name)
    if system.chances is None:
        raise BadSystem.of("common_without_chances", system=name)
    check_tuple(name, "common.row", common.row)
    check_tuple(name, "common.gradient_zero", common.gradient_zero)
    if not hasattr(common.shape, "_fields"):
        raise BadSystem.of("not_a_tuple.shape", system=name)
    for role, arguments in LEARNING.items():
        check_arguments(name, f"common.{role}", getattr(common, role), arguments)
    for role, arguments in STEERING.items():
        if common.factor is not None:
            check_arguments(name, f"common.{role}", getattr(common, role), arguments)
    p = rows_of(settings(system, {}))[0]
    started = attempt_call(system, "common.start", common.start, p)
    rows = attempt_call(system, "common.start", partial(np.array, dtype=np.float64), started)
    if rows.shape[1:] != (len(common.row),) or not len(rows) or not np.isfinite(rows).all():
        raise BadSystem.of("wrong_return.start", system=name, row=common.row, started=started)
    for game in games:
        places = attempt_call(system, "common.named", common.named, p, game)
        if common.shape._fields != getattr(places, "_fields", None):
            raise BadSystem.of("wrong_return.named", system=name)
        for field, at in places._asdict().items():
            if not -1 <= int(at) < len(rows):
                raise BadSystem(
                    f"{name}: common.named returned {field}={at!r}, and common.start has "
                    f"{len(rows)} rows, 0 to {len(rows) - 1}", code="row_out_of_range"
                )  # fmt: skip
