"""The contract of dynamic rating systems: pure functions of one side of a game.

In a round (one game, a rating period or a contest) every game contributes a little evidence, the
contributions are added, and the new rating is a closed function of the old one and the sum::

    newcomer(p)                         -> Rating    a player without a game
    drift(p, me, elapsed)               -> Rating    the rating after idle time
    season(p, me, field)                -> Rating    the rating when a new season begins
    part(p, me, share)                  -> Side      what a member brings to a side; sides are added
    expected(p, mine, theirs, game)     -> float     the forecast: expected score of `mine`
    chances(p, mine, theirs, game)      -> Chances   the forecast of win and draw, where it has one
    at_least(p, mine, theirs, game)     -> float     the chance given to this result or a better one
    performance(p, mine)                -> (float, float)  mean and deviation of what a side shows
    evidence(p, mine, theirs, game)     -> Evidence  the evidence of a game about the side `mine`
    contest(p, sides, place, out)       -> None      the same of a whole contest, all sides at once
    due(p, me, share, mine, one)        -> Evidence  a member's part of the side's evidence
    absorb(p, me, total)                -> Rating    the rating after all evidence of the round
    carry(p, me, after, number)         -> Rating    what opponents see of a player in a second pass
    credit(p, me, after, one)           -> float     points of the change that one game contributed

Without `part` a side is one player, and `mine` and `theirs` are ratings. The functions are plain
Python over numbers: `math`, `prowess.engine.numeric`, one another. The engine runs them as they
are on small tables and compiles them, unchanged, for large ones.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, nan
from pathlib import Path
from pickle import PicklingError, UnpicklingError
from types import MappingProxyType, ModuleType
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

from prowess.games.errors import WordedError

__all__ = [  # what systems of users may rely on
    "Chances", "Choice", "Common", "Dynamic", "Fact", "Game", "League", "Mirror", "Range",
    "complement", "negated", "same", "swapped",
]  # fmt: skip


@dataclass(frozen=True)
class Range:
    """The closed interval in which a parameter is tuned, and its unit.

    `limits` are the least and the greatest value that may be given, where they lie beyond it.
    """

    low: float
    high: float
    unit: str = ""
    limits: tuple[float, float] | None = None

    @property
    def allowed(self) -> tuple[float, float]:
        """The least and the greatest value that may be given."""
        return self.limits or (self.low, self.high)


@dataclass(frozen=True, init=False)
class Choice:
    """A parameter that is one of several words; the tuple holds the word's number."""

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        object.__setattr__(self, "words", words)


class PointsChoice(Choice):
    """A choice whose word "share" reads a game as the share of its points, which are 0 or more."""


class Undeclared(WordedError, PicklingError):
    """A system that no other process could find."""


def place_of(system: Any) -> tuple[str, str, str | None]:
    """The module in which a system stands, its name there, and the file.

    Raises Undeclared for a value that has no name in any module.
    """
    modules = dict(sys.modules)
    home = modules.get(system.home)
    for module in (home, *modules.values()):
        if isinstance(module, ModuleType):
            for name, value in vars(module).items():
                if value is system:
                    return module.__name__, name, getattr(module, "__file__", None)
    raise Undeclared.of("system_not_found", system=system.name)


def system_at(home: str, name: str, file: str | None, source: str | None = None) -> Any:
    """The system of that name; raises UnpicklingError where it is no longer there.

    `source` is what stood in a file of the user, which another process need not see, or has run in
    another version.
    """
    try:
        if source is not None and file is not None:
            if getattr(sys.modules.get(home), SOURCE, None) != source:
                import_file(home, Path(file), source)
        elif home not in sys.modules and importlib.util.find_spec(home) is None and file:
            import_file(home, Path(file))
        return getattr(importlib.import_module(home), name)
    except (ImportError, AttributeError, OSError, ValueError):
        where = home if file is None else file
        raise UnpicklingError(
            f"put back {where} with {name} in it: the system of these ratings was declared there"
        ) from None


SOURCE = "__prowess_source__"  # in a module that was imported from a file of the user


def import_file(name: str, file: Path, source: str | None = None) -> ModuleType:
    """Execute a file of Python, or its source, as the module of that name.

    One that fails is forgotten.
    """
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file}: not a Python file")
    if source is None:
        source = importlib.util.decode_source(file.read_bytes())
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    setattr(module, SOURCE, source)
    try:
        exec(compile(source, str(file), "exec"), vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    return module


class Declared:
    """A value that stands for itself: a copy is the value, another process finds it by its name."""

    home: Any  # the module that declares it
    summary: str  # what it is, in a sentence, where that is not the first line of the module

    @property
    def doc(self) -> str:
        """The docstring of the module that states the formulas."""
        return sys.modules[self.home].__doc__ or ""

    @property
    def line(self) -> str:
        """What it is and how it differs from its variants, in a sentence."""
        return self.summary or self.doc.strip().partition("\n")[0]

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        home, name, file = place_of(self)
        return system_at, (home, name, file, getattr(sys.modules[home], SOURCE, None))


LineUp = int | Sequence[tuple[int, float]]  # a player by number, or players with their shares


class BadSystem(WordedError, TypeError):
    """A system that is not complete."""


class Unratable(WordedError, ValueError):
    """A table that a system cannot rate, or ratings that are no longer finite."""


@dataclass(frozen=True)
class Mirror:
    """How a number changes when a game is seen from the other side.

    `term` is an expression of the number x, or of `other`, the name of another field; `column`
    is the column of the table that holds it, where that has another name.
    """

    term: str
    other: str = ""
    column: str = ""


same = Mirror("x")  # of the game: its length
negated = Mirror("-x")  # a margin
complement = Mirror("1.0 - x")  # a score


def swapped(other: str, column: str = "") -> Mirror:
    """A number of one side; the other side's stands in the field `other`."""
    return Mirror("x", other, column)


class Game(NamedTuple):
    """One game as one of its two sides sees it; 0 where the table does not say.

    A system that wants other facts declares a NamedTuple of its own: `score` first, then fields
    that have the names of columns of the table, each saying how it mirrors.
    """

    score: Annotated[float, complement] = 0.5  # of this side: 1 won, 0.5 drawn, 0 lost, or between
    side: Annotated[float, negated] = 0.0  # +1 this side has the advantage (White, home), -1 other
    margin: Annotated[float, negated] = 0.0  # by how much this side won; negative when lost
    length: Annotated[float, same] = 0.0  # rounds, moves or minutes
    mine: Annotated[float, swapped("theirs", "points_a")] = 0.0  # this side's own points
    theirs: Annotated[float, swapped("mine", "points_b")] = 0.0  # the other side's points


class Chances(NamedTuple):
    """The chances of win and draw of the first side of a game; the rest is the chance of a loss.

    Without a model of draws `draw` is None and `win` is the expected score.
    """

    win: float
    draw: float | None = None

    @property
    def expected(self) -> float:
        """The expected score: the chance of winning and half that of a draw."""
        return self.win if self.draw is None else self.win + 0.5 * self.draw

    @property
    def loss(self) -> float:
        """The chance of a loss; without a model of draws 1 minus the expected score."""
        return max(0.0, 1.0 - self.win - (self.draw or 0.0))

    def at_least(self, score: float) -> float:
        """The chance of this score or a better one; nan for a draw without a model of draws.

        >>> Chances(0.5, 0.3).at_least(0.5)
        0.8
        """
        if score == 0.5 and self.draw is not None:
            return self.win + self.draw
        return {1.0: self.win, 0.0: 1.0}.get(score, nan)


@dataclass(frozen=True)
class Fact:
    """A field of the rating that no game moves: a fact of the player, as a table of them says.

    The functions of the system get it with the rating, and hand it on unchanged. `column` is what
    the table calls it, where that is another name. With `years` the column holds a year or a date,
    and the field the calendar years since: one more from each 1 January on. Other values lie within
    `limits`. Where nothing is known it has the default of the declared rating.
    """

    column: str = ""
    years: bool = False
    limits: tuple[float, float] = (-inf, inf)


def credit_change(p: Any, me: Any, after: Any, one: Any) -> float:
    """The points that one game contributed, where its evidence is the change itself."""
    return one.change  # type: ignore[no-any-return]


def mirrors_of(shape: Any) -> dict[str, Mirror] | None:
    """How each field of a NamedTuple mirrors; None where some field does not say."""
    found = annotations_of(shape, Mirror)
    return found if len(found) == len(shape) else None


T = TypeVar("T")


def annotations_of(shape: Any, kind: type[T]) -> dict[str, T]:
    """What is said in this way of fields of a NamedTuple, by their names."""
    hints = get_type_hints(type(shape), include_extras=True)
    said = ((name, getattr(hints[name], "__metadata__", ())) for name in shape._fields)
    return {name: one for name, each in said for one in each if type(one) is kind}


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
class Common:
    """Numbers that all games share, learnt from each game.

    They are rows shaped like `row`. `start(p)` gives all of them before the first game. `named(p,
    game)` says which of them a game reads and teaches: a tuple with the fields of `shape`, the
    place of a row each. The functions of the system then get a tuple like `shape` as their last
    argument, the rows themselves; of a contest they are the rows that a drawn game of two names.

    `gradient(p, mine, theirs, game, common, of, one)` is what a game says about these rows, with
    its chances `of` and the evidence `one` about `mine`: a tuple like `gradient_zero`, added over
    the pairs of a contest. After the game `learn(p, which, row, below,
    above, total, sides)` returns the new row, asked once for each field, in order: `which` is the
    number of the field, `below` and `above` are the neighbours of the row (`row` at the ends), and
    `sides` is the number of sides. A field that `taught` does not name is read only, and so is one
    with the place -1, for which the functions receive `row`.

    The shares of members of a role may be multiplied by a factor that is learnt: `factor(p)` is the
    place of its row, whose first field is the factor, for members with the parameters p; -1 for
    none. Everything that gets a share gets the product. `pull(p, me, share, one)` is what a game
    says about the factor, added over its members; `one` is the evidence about their side, `share`
    the one without the factor. After the game `learn_factor(p, row, total)` returns the new row.

    `company` is a role whose factor says how much of the distance to their opponent a newcomer has
    already come, in a game of two single players of whom the other is known. Its `pull` gets the
    distance as the rating, and a share of 1.
    """

    row: Any  # a NamedTuple of floats
    shape: Any  # a NamedTuple of rows
    gradient_zero: Any  # a NamedTuple of floats, all zero
    start: Callable[..., Any]
    named: Callable[..., Any]
    gradient: Callable[..., Any]
    learn: Callable[..., Any]
    taught: tuple[str, ...]
    factor: Callable[[Any], float] | None = None
    pull: Callable[..., float] | None = None
    learn_factor: Callable[..., Any] | None = None
    company: str = ""


def whole_game(sides: float) -> float:
    """The games that a pair in a contest is worth, by default: 1."""
    return 1.0


def share_of_contest(sides: float) -> float:
    """The games that a pair is worth where a contest is one game to each side: 1 / (n - 1)."""
    return 1.0 / (sides - 1.0)


def _expected_of(chances: Callable[..., Chances], common: Common | None) -> Callable[..., float]:
    """The function (p, mine, theirs, game) -> expected score that the chances of a game give."""

    def expected_score(p: Any, mine: Any, theirs: Any, game: Any) -> float:
        of_game = chances(p, mine, theirs, game)
        return of_game.win + 0.5 * of_game.draw  # type: ignore[operator]

    def expected_score_with_common(p: Any, mine: Any, theirs: Any, game: Any, common: Any) -> float:
        of_game = chances(p, mine, theirs, game, common)
        return of_game.win + 0.5 * of_game.draw  # type: ignore[operator]

    made: Any = expected_score if common is None else expected_score_with_common
    made.made_of_chances = True
    return made  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class Dynamic(Declared):
    """A dynamic rating system: a value made of pure functions.

    Without `newcomer` a player begins with `rating`, in which the parameter `start` replaces the
    rating and a parameter `start_NAME` the field NAME.

    A system that declares `part` and `side` (a NamedTuple of floats, all zero) rates teams: the
    parts of the members are added field by field, `evidence` is asked once a side, and `due` says
    what falls to one member (default: all of it). Where every field of the evidence says how it
    mirrors (`Annotated[float, negated]`), the other side's is derived, not asked.

    A system with `common` learns numbers that all games share: its newcomer, expected, chances,
    at_least and evidence get them as a last argument, and every game is a round (`rounds="game"`).

    `at_least` is for explanations: the chance that had been given to the result of `game` or a
    better one, where the system forecasts margins (default: made of `chances`); nan if not known.

    A contest of many is foreseen as performances in order, which follow Gumbel's law, or are
    `normal`. Their means and deviations are `performance`; without it, chances of pairs decide.

    `roles` gives the parameters of members of a role other than the player's, by its name or kind
    (`per`, `with`): a function of `p`. A role it does not name has `p` itself.
    `crew(p, size)` gives the parameters of players who first stood on a side of so many, from 2.

    `prepare(p, table)` returns the settings and the table as it is played: with further members
    on the sides, which follow the players in the roster, and facts that the functions read; the
    notes of that table say what was used. The third result is the table as its games are foreseen,
    each from the start of a run of games whose numbers are `span`, [games]; without it that is the
    second. What games tell of what was before others is that of those which are `taught`, [games].
    For games to come `prepare` gets as a third argument what `remember(p, table)` made of those
    that were rated, and each is the next one. `bank` has the settings where the
    caller gives none, in parts: all combinations of the values of each. The system is then a bank.

    `season(p, me, field)` is asked of each player who has played, when a season of the table
    begins; `field` is the mean rating of all of them, field by field, as they stood before.

    With `passes` 2 the games of a rating period are judged a second time: each player by the rating
    before the period, as in the first pass, but opponents by that after it. The sum of the last
    pass counts, and forecasts are those of the first. `carry(p, me, after, number)` is what
    opponents see of a player in pass `number`, of the rating before the period and that after the
    pass before; without it `after`. Such a system rates whole periods (`rounds="period"`).

    `clock` is the unit of the time that `drift` receives. When `follows_period` is true and
    a rating period is given, that period is the unit instead. `absorb_takes` is the number of
    units that `absorb` itself accounts for (Glicko-2's update contains one step of time).
    `fading` has the two steps of `drift`: (p, elapsed) -> a number, and (p, me, elapsed, number) ->
    the rating. The first is asked once for four settings of a bank in which it is the same.
    `breaks` names the laws that a system breaks on purpose, each with the reason.
    """

    name: str
    params: Any  # a NamedTuple; a field is annotated with a Range or a Choice, and its meaning
    rating: Any  # a NamedTuple whose first field is `rating`
    evidence_zero: Any  # a NamedTuple of floats, all zero
    expected: Callable[..., float] = None  # type: ignore[assignment] # made of `chances`, else
    evidence: Callable[..., Any] = None  # type: ignore[assignment] # left out beside `contest`
    absorb: Callable[..., Any] = None  # type: ignore[assignment]
    passes: int = 1  # over the games of a rating period
    carry: Callable[..., Any] | None = None  # what opponents see in a further one
    drift: Callable[..., Any] | None = None
    fading: tuple[Callable[..., float], Callable[..., Any]] | None = None  # `drift` in two steps
    season: Callable[..., Any] | None = None
    newcomer: Callable[..., Any] | None = None
    credit: Callable[..., float] | None = None
    chances: Callable[..., Chances] | None = None
    at_least: Callable[..., float] | None = None
    performance: Callable[..., tuple[float, float]] | None = None
    normal: bool = False  # performances in a contest of many are; else they follow Gumbel's law
    side: Any = None  # a NamedTuple of floats, all zero
    part: Callable[..., Any] | None = None
    due: Callable[..., Any] | None = None
    contest: Callable[..., None] | None = None
    room: Any = None  # a NamedTuple of floats: columns of numbers that `contest` works on
    room_length: int = 0  # numbers a column has at least; as many as sides in any case
    game: Any = Game()  # noqa: RUF009 - an immutable value: what the functions learn of a game
    roles: Mapping[str, Callable[[Any], Any]] = field(default_factory=lambda: MappingProxyType({}))
    absent: Callable[[Any], bool] | None = None  # whether members with these p take no part
    still: Callable[[Any], bool] | None = None  # whether `drift` leaves them as they are
    crew: Callable[..., Any] | None = None  # (p, size) -> parameters, see `Games.crew`
    common: Common | None = None
    prepare: Callable[..., tuple[Any, Any, Any]] | None = None  # (p, table) as they are played
    remember: Callable[[Any, Any], Any] | None = None  # (p, table), for games to come: see prepare
    prepare_pieces: Any = None  # the same for a stream: see engine.streams.prepared_pieces
    bank: tuple[Mapping[str, tuple[float, ...]], ...] = ()
    league: League | None = None
    clock: str = "30d"
    untimed: float = 0.0  # units that pass between two games of a member where games have no times
    follows_period: bool = True
    absorb_takes: float = 0.0
    summary: str = ""  # of a variant: how it differs, in a sentence; else the module's first line
    rounds: str = "any"  # any | game (rounds of one game, or contests) | period (needs rounds)
    pair_weight: Callable[[float], float] = whole_game  # of a pair in a contest of n sides
    weights: bool = True  # a game of weight w counts as w games
    by_period: bool = False  # its source rates whole periods: game by game is another system
    keeps_sum: bool = False  # the sum of all ratings stays, so inflation rules may be added
    rest: str = "rest"  # what the part of a change is called that no single game brought
    inner: tuple[str, ...] = ()  # fields of the rating that only serve the formula
    uses: tuple[str, ...] = ()  # columns beside the score that the functions read
    breaks: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        given = vars(self)["expected"]
        if given is None or hasattr(given, "made_of_chances"):  # `replace` hands on the latter
            found = None if self.chances is None else _expected_of(self.chances, self.common)
            object.__setattr__(self, "expected", found)

    @cached_property
    def mirrors(self) -> dict[str, Mirror] | None:
        """How the evidence of one side becomes the other's; None: each side is asked."""
        return mirrors_of(self.evidence_zero)

    @cached_property
    def facts(self) -> dict[str, Fact]:
        """The fields of the rating that are facts of the player."""
        return annotations_of(self.rating, Fact)

    @cached_property
    def side_shape(self) -> Any:
        """The shape of a side: of a system that rates single players that of the rating."""
        return self.rating if self.side is None else self.side

    @cached_property
    def teams(self) -> bool:
        """Whether sides may have several members."""
        return self.part is not None

    def alone(self, p: Any, me: Any) -> Any:
        """The side of one player."""
        return me if self.part is None else self.part(p, me, 1.0)

    def make_room(self, sides: int) -> tuple[Any, ...]:
        """What `contest` gets after `out`: lists for `room`, where it is declared."""
        if self.room is None:
            return ()
        length = max(sides, self.room_length)
        return (type(self.room)(*([0.0] * length for _ in self.room)),)

    @property
    def home(self) -> str:
        """The module that declares it."""
        return self.absorb.__module__


def no_finite_rating(system: Dynamic, player: str, when: str = "") -> Unratable:
    """The error for a rating that is no longer a finite number; `when` begins with a blank."""
    reason = system.breaks.get("finite", "")
    return Unratable(
        f"try shorter periods or smaller constants: the rating of {player!r} by {system.name} "
        f"is no finite number{when}{reason and f' ({reason})'}",
        code="no_finite_rating",
    )
