"""Settings of a system: the annotations of its `Params` say ranges, words, units and meanings."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, Protocol, get_type_hints

from prowess.engine.half_life import HALF_LIFE, why_no_half_life
from prowess.engine.system import Choice, Dynamic, Range
from prowess.games.errors import WordedError

if TYPE_CHECKING:
    from prowess.compile.numbers import Floats


class HasParams(Protocol):
    """Anything with a name and settings, as a system has them."""

    @property
    def name(self) -> str:
        """What errors call it."""

    @property
    def params(self) -> Any:
        """A NamedTuple of defaults, every field annotated with a Range or a Choice."""


class BadSetting(WordedError, ValueError):
    """A parameter that does not exist, or a value outside its range."""


@dataclass(frozen=True)
class Prepared(Range):
    """The range of a parameter that `prepare` sets: callers cannot give it, displays omit it."""


@dataclass(frozen=True)
class Parameter:
    """One setting: its name, default, what it may be, and what it means (a text in `Annotated`)."""

    name: str
    default: float
    domain: Range | Choice
    meaning: str = ""

    def parse(self, value: Any) -> float | int:
        """The number for a given value; raises BadSetting with what is allowed."""
        if isinstance(self.domain, Choice):
            if isinstance(value, str) and value in self.domain.words:
                return self.domain.words.index(value)
            raise self.refuse(value)
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise self.refuse(value) from None
        low, high = self.domain.allowed
        if isinstance(value, bool) or not low <= number <= high:
            raise self.refuse(value)
        return number

    def refuse(self, value: Any) -> BadSetting:
        """The error to raise for a value: what to give, and what came instead."""
        if isinstance(self.domain, Choice):
            allowed = f"one of {', '.join(self.domain.words)}"
        elif self.domain.high >= ANY:
            allowed = "a finite number"
        else:
            (low, high), unit = self.domain.allowed, self.domain.unit
            allowed = f"a number from {low:g} to {high:g}{unit and f' ({unit})'}"
        return BadSetting.of("setting_out_of_range", name=self.name, allowed=allowed, value=value)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value; of words their numbers."""
        if isinstance(self.domain, Choice):
            return 0, len(self.domain.words) - 1
        return self.domain.low, self.domain.high

    def display(self, number: float) -> float | str:
        """The value as a person wrote it: a word for a choice."""
        return self.domain.words[int(number)] if isinstance(self.domain, Choice) else number

    def describe(self) -> str:
        """The range and unit, or the words, for help texts and errors."""
        if isinstance(self.domain, Choice):
            return " | ".join(self.domain.words)
        low, high = self.domain.allowed
        return f"{low:g} to {high:g} {self.domain.unit}".rstrip()


def parameters(system: HasParams) -> dict[str, Parameter]:
    """Every parameter of a system that a caller may set, in the order of its `Params`."""
    kind = type(system.params)
    hints = get_type_hints(kind, vars(sys.modules[kind.__module__]), include_extras=True)
    found = (read_parameter(one, getattr(system.params, one), hints[one]) for one in kind._fields)
    return {one.name: one for one in found if not isinstance(one.domain, Prepared)}


def read_parameter(name: str, default: float, hint: Any) -> Parameter:
    """A setting by its annotation; without a Range or a Choice it is any number."""
    domain: Range | Choice = Range(-ANY, ANY)
    meaning = ""
    for one in getattr(hint, "__metadata__", ()):
        if isinstance(one, str):
            meaning = one
        elif isinstance(one, Range | Choice):
            domain = one
    return Parameter(name, default, domain, meaning)


def settings(system: HasParams, given: Mapping[str, Any]) -> Any:
    """The `Params` of a system with some values replaced; choices are ints, all else floats.

    A parameter with several values (a list, an array, a range) makes a `Bank` of all combinations.
    Raises BadSetting for an unknown name (with the nearest ones), a value out of range, or a bank
    too large.
    """
    known = parameters(system)
    grid: dict[str, list[float]] = {}
    # compiled code expects words as int, all else as float
    values: dict[str, float] = {
        name: (int if isinstance(one.domain, Choice) else float)(one.default)
        for name, one in known.items()
    }
    for name, value in given.items():
        if name not in known:
            if name in METHODS:
                remedy, what = METHODS[name], f"{system.name} has no parameter {name!r}"
                raise BadSetting(f"{remedy}: {what}", code="method_as_setting")
            if name == HALF_LIFE:
                raise BadSetting(why_no_half_life(system), code="no_half_life")
            from difflib import get_close_matches

            near = get_close_matches(name, known, n=1)
            hint = f"take one of {', '.join(known)}:" if known else f"leave {name} out:"
            hint = f"did you mean {near[0]}?" if near else hint
            raise BadSetting.of("unknown_setting", hint=hint, system=system.name, name=name)
        if _is_series(value):
            grid[name] = _distinct(known[name], value)
        else:
            values[name] = known[name].parse(value)
    p = type(system.params)(**values)
    if grid:
        return _bank(system, p, grid)
    default = getattr(system, "bank", ())
    own = [{n: several for n, several in part.items() if n not in given} for part in default]
    if not any(own):
        return p
    return replace(Bank.of(p, *own), is_default=own == [*default])


def _is_series(value: Any) -> bool:
    """Whether a value has others in order: a list, tuple, range, or an array of one dimension."""
    if isinstance(value, str | bytes | Mapping) or getattr(value, "ndim", 1) != 1:
        return False
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


def _distinct(parameter: Parameter, values: Any) -> list[float]:
    """The values of one parameter of a bank; raises BadSetting."""
    plain = values.tolist() if hasattr(values, "tolist") else values  # NumPy's numbers as Python's
    found = [parameter.parse(value) for value in plain]
    if not found or len(set(found)) < len(found):
        raise BadSetting.of("values_twice", parameter=parameter.name)
    return found


def _bank(system: HasParams, p: Any, grid: Mapping[str, Sequence[float]]) -> Any:
    """The bank of all combinations, of one alone the parameters; raises BadSetting."""
    if not isinstance(system, Dynamic):
        raise BadSetting.of("no_bank.whole_table", system=system.name)
    if system.league is not None:
        raise BadSetting.of("no_bank.sum", system=system.name)
    count = prod(map(len, grid.values()))
    if count > MOST_SETTINGS:
        raise BadSetting.of("bank_too_large", count=count, most=MOST_SETTINGS)
    bank = Bank.of(p, grid)
    return bank if count > 1 else bank.rows[0]


def display_settings(system: HasParams, p: Any) -> dict[str, Any]:
    """Parameters as a person would write them; of a bank a list of values where they differ."""
    known = parameters(system)
    row = p.rows[0] if isinstance(p, Bank) else p
    values: dict[str, Any] = {name: known[name].display(getattr(row, name)) for name in known}
    if isinstance(p, Bank):
        values |= {name: [known[name].display(one) for one in several] for name, several in p.grid}
    return values


@dataclass(frozen=True)
class Bank:
    """The settings of a bank: a row of parameters each. It stands where parameters stand.

    Vector instructions work on eights: the rows are filled up with the last one. What is behind
    the first `count` has no weight.
    """

    grid: tuple[tuple[str, tuple[float, ...]], ...]  # the parameters that differ, and their values
    rows: tuple[Any, ...]  # of parameters, one a setting
    count: int  # of settings
    is_default: bool = False  # the system's own values, which `prepare` may replace

    @classmethod
    def of(cls, p: Any, *grids: Mapping[str, Sequence[Any]]) -> Bank:
        """All combinations of the values of each grid, the last parameter changing fastest.

        A setting that two grids have is there once.
        """
        rows = tuple(
            dict.fromkeys(
                p._replace(**dict(zip(grid, values, strict=True)))
                for grid in grids
                for values in product(*grid.values())
            )
        )
        filling = rows[-1:] * (-len(rows) % EIGHT)
        values: dict[str, dict[Any, None]] = {}
        for grid in grids:
            for name, several in grid.items():
                values.setdefault(name, {}).update(dict.fromkeys(several))
        known = tuple((name, tuple(each)) for name, each in values.items())
        return cls(known, (*rows, *filling), len(rows))

    def __hash__(self) -> int:  # a key of caches: computed once, of numbers, so of any process
        known = vars(self)
        if "hash" not in known:
            known["hash"] = hash(self.rows)
        return int(known["hash"])

    def matrix(self) -> Floats:
        """The parameters, [settings, parameters]."""
        import numpy as np

        return np.array([list(map(float, row)) for row in self.rows[: self.count]])


def rows_of(p: Any) -> tuple[Any, ...]:
    """The rows of parameters: of a bank all, else the one."""
    return p.rows if isinstance(p, Bank) else (p,)


ANY = 1e300  # either end of a range that takes every number
METHODS = {  # what is asked of ratings after the fit, not of the system
    "bootstrap": "take .bootstrap(1000) of the ratings (--bootstrap 1000)",
    "clusters": 'take .cluster_errors(["voter"]) of the ratings (--clusters voter)',
    "superiority": "take .superiority() of the ratings (--superiority FILE)",
    "top": "take .leaderboard(10) of the ratings (--top 10)",
}
MOST_SETTINGS = 256
EIGHT = 8

# Parameters that several systems have in one sense: range, unit, meaning.

EloStart = Annotated[
    float, Range(0, 4000, "points", (-100_000.0, 100_000.0)), "rating of a newcomer"
]
Start = Annotated[float, Range(-10000.0, 10000.0, "points"), "rating of a newcomer"]
StartDeviation = Annotated[float, Range(10.0, 500.0, "points"), "deviation of a newcomer"]
DeviationMax = Annotated[float, Range(50.0, 500.0, "points"), "greatest deviation"]
StartVolatility = Annotated[
    float, Range(0.001, 1.0, "natural units a period"), "volatility of a newcomer"
]
VolatilityChange = Annotated[
    float, Range(0.1, 2.0, "natural units"), "how fast volatilities change"
]
K = Annotated[float, Range(0, 200, "points", (0.0, 10_000.0)), "most that one game moves a rating"]
Scale = Annotated[float, Range(50, 2000, "points"), "lead at which the odds are ten to one"]
Advantage = Annotated[float, Range(-400, 400, "points"), "lead of the side with the advantage"]
PeriodAdvantage = Annotated[
    float, Range(-100.0, 200.0, "points"), "lead of the side with the advantage"
]
FittedAdvantage = Annotated[
    int, Choice("none", "fitted"), "whether the side advantage is fitted with the ratings"
]
Mean = Annotated[float, Range(-10_000, 10_000, "points"), "mean rating of all players"]
BattleScale = Annotated[
    float, Range(10.0, 10000.0, "points"), "lead at which the odds are `base` to one"
]
Base = Annotated[float, Range(1.1, 1000.0, "odds"), "odds at a lead of `scale`"]
H = Annotated[float, Range(0, 400, "points"), "twice the most that one game moves a rating"]
HOf = Annotated[
    int, Choice("constant", "games"), "h is the same for all, or shrinks with games played"
]
Sigma = Annotated[
    float, Range(1, 1000, "points"), "typical difference of two players, for h by games"
]
