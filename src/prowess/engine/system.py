"""What a rating system declares: a handful of pure functions of one player.

In a round (one game, a rating period or a contest) every opponent contributes a little
evidence, the contributions are added, and the new rating is a closed function of the old
one and the sum::

    newcomer(p)                         -> Rating    a player nobody has seen yet
    drift(p, me, elapsed)               -> Rating    time passes
    expected(p, me, opponent, game)     -> float     the forecast: expected score of `me`
    evidence(p, me, opponent, game)     -> Evidence  what this game says about `me`
    absorb(p, me, total)                -> Rating    the rating after all evidence of the round
    credit(p, me, after, one)           -> float     points of the change that one game brought

The functions are plain Python over numbers: `math`, `prowess.engine.numeric`, one another.
The engine runs them as they are on small tables and compiles them, unchanged, for large ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from prowess.engine.declared import Declared


class Game(NamedTuple):
    """One game as one of its two players sees it."""

    score: float = 0.5  # of this player: 1 won, 0.5 drawn, 0 lost, anything between
    side: float = (
        0.0  # +1 this player has the side advantage (White, home), -1 the other, 0 neutral
    )
    margin: float = 0.0  # by how much this player won; negative when lost; 0 when unknown
    length: float = 0.0  # rounds, moves or minutes; 0 when unknown
    mine: float = 0.0  # this player's own points; 0 when unknown
    theirs: float = 0.0  # the opponent's points; 0 when unknown


@dataclass(frozen=True)
class Range:
    """The closed interval a parameter may take, and its unit."""

    low: float
    high: float
    unit: str = ""


@dataclass(frozen=True, init=False)
class Choice:
    """A parameter that is one of several words; the tuple holds the word's number."""

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        object.__setattr__(self, "words", words)


@dataclass(frozen=True)
class League:
    """A sum over all players known so far that `absorb` receives as its fourth argument.

    `standing(p, me)` is what one player adds to the sum: a NamedTuple of floats shaped like
    `empty`, and equal to `empty` for a newcomer. `active_days` names the
    parameter that holds after how many idle days a player stops counting (0: never), or is None.
    """

    empty: Any
    standing: Callable[..., Any]
    active_days: str | None = None


@dataclass(frozen=True, eq=False)
class Dynamic(Declared):
    """A dynamic rating system: a value made of pure functions.

    `clock` is the unit in which `drift` is told elapsed time. When `follows_period` is true and
    a rating period is given, that period is the unit instead. `absorb_takes` is the number of
    units that `absorb` itself accounts for (Glicko-2's update contains one step of time).
    `breaks` names the laws that a system breaks on purpose, each with the reason.
    """

    name: str
    params: Any  # a NamedTuple, every field annotated with a Range or a Choice
    rating: Any  # a NamedTuple whose first field is `rating`
    evidence_zero: Any  # a NamedTuple of floats, all zero
    expected: Callable[..., float]
    evidence: Callable[..., Any]
    absorb: Callable[..., Any]
    drift: Callable[..., Any] | None = None
    newcomer: Callable[..., Any] | None = None
    credit: Callable[..., float] | None = None
    league: League | None = None
    clock: str = "30d"
    follows_period: bool = True
    absorb_takes: float = 0.0
    rounds: str = "any"  # any | game (rounds of one game, or contests) | period (needs rounds)
    contest_share: bool = False  # a pair in a contest of n counts 1 / (n - 1)
    weights: bool = True  # a game of weight w counts as w games of the round
    by_period: bool = False  # its source rates whole periods: game by game is another system
    keeps_sum: bool = False  # the sum of all ratings stays, so inflation rules may be added
    rest: str = "rest"  # what the part of a change is called that no single game brought
    inner: tuple[str, ...] = ()  # fields of the rating that only serve the formula
    uses: tuple[str, ...] = ()  # columns beside the score that the functions read
    breaks: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def exchange(self) -> bool:
        """Whether one side's evidence is minus the other's: points only, and nothing counted."""
        return self.keeps_sum and len(self.evidence_zero) == 1

    @property
    def home(self) -> str:
        """The module that declares it."""
        return self.expected.__module__

    @property
    def doc(self) -> str:
        """The docstring of the module that states the formulas."""
        return sys.modules[self.home].__doc__ or ""
