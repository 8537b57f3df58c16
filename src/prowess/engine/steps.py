"""Steps of a history: what each game did to a rating, in points and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from prowess.engine.tabular import Columns, Tabular, choose_rows, moments
from prowess.engine.text_table import format_signed
from prowess.games.arguments import BadArgument, is_number
from prowess.games.dates import format_date
from prowess.games.reading import format_count

LEAST_TOLD = 0.05  # points of a part that is told
GENERAL = "general"  # the part of a game's change that is the player's own
OF_TIME = "between games"  # the part of a change that time and rules made before the game
REWEIGHED = "settings weighed anew"  # the part of a change that a bank's new weights made
LAST_BITS = "last bits"  # a term that no system has: arimaa has one called rounding
DEEDS = {1.0: "won", 0.5: "drew", 0.0: "lost"}


class ContestPlace(NamedTuple):
    """How a player came in, in a contest that the system judges as a whole."""

    place: int  # 1 is the best; the same for all who share it
    shared: bool
    of: int  # sides in the contest
    expected: float  # 1 + the sum of the chances to come in behind each other side

    def __str__(self) -> str:
        """`2nd of 4`, shared `2nd= of 4`."""
        return f"{format_ordinal(self.place)}{'=' if self.shared else ''} of {self.of}"


class Step(NamedTuple):
    """One game of one player, or one contest.

    A contest that a system judges as a whole has a `placing`, means over the other sides in
    `opponent_rating`, `score` and `expected`, no `opponent`, and a step for each other side in
    `meetings`. Under a system that judges a contest in pairs each pair is a step.

    `terms` are points; their exact sum (`math.fsum`) is `change` = `after` - `before`. In a round
    of several games the steps lead from the rating before the round to the one after it.

    `parts` are the points that the game gave the player (`general`, the term `game`) and every
    member that stood beside the player, such as `on clay`, `side advantage` or `family`; of a bank
    they are means by the weights before the game.
    """

    row: int  # of the table as it was played; in a contest (its number: `round`) the member's
    round: int
    time: float | None  # days since 1970
    opponent: str
    opponent_rating: float
    score: float
    expected: float
    before: float
    after: float
    change: float
    terms: dict[str, float]
    values: Any  # the system's values after the round, as displayed
    partners: str = ""  # the other players on the player's side
    parts: Mapping[str, float] = {}
    margin: float | None = None  # by how much the player won, where the table says
    at_least: float | None = None  # chance that had been given to this result or a better one
    at_most: float | None = None  # and to this or a worse one; None: the system has no chances
    placing: ContestPlace | None = None
    meetings: tuple[Step, ...] = ()  # by other side, where there is a placing

    @property
    def sentence(self) -> str:
        """The result, how good it was for what was foreseen, and what it gave to whom."""
        if self.placing is not None:
            return describe_placing(self.placing, self.parts)
        return describe_game(self.score, self.margin, self.at_least, self.at_most, self.parts)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, the time as an ISO date; partners, margin and parts where there are some.

        Of a contest with a placing `place`, `sides`, `expected_place` and the `opponents`.
        """
        data = self._asdict() | {"parts": dict(self.parts), "sentence": self.sentence}
        del data["placing"], data["meetings"]
        if self.placing is not None:
            data |= {"place": self.placing.place, "sides": self.placing.of}
            data |= {"expected_place": self.placing.expected}
            data["opponents"] = [
                {"opponent": one.opponent, "opponent_rating": one.opponent_rating,
                 "score": one.score, "expected": one.expected}
                for one in self.meetings
            ]  # fmt: skip
        absent = {
            "opponent": self.placing is not None,
            "partners": not self.partners,
            "margin": self.margin is None,
            "at_least": self.at_least is None,
            "at_most": self.at_most is None,
            "parts": len(self.parts) < 2,
        }
        data = {name: value for name, value in data.items() if not absent.get(name)}
        data["time"] = None if self.time is None else format_date(self.time)
        data["values"] = self.values._asdict()
        return data


def describe_placing(placing: ContestPlace, parts: Mapping[str, float]) -> str:
    """A contest as a sentence.

    >>> describe_placing(ContestPlace(2, False, 4, 1.62), {"general": -16.0})
    '2nd of 4, 1.6th was expected: -16.0'
    """
    text = (
        f"{placing}, {placing.expected:.1f}th was expected: {format_signed(fsum(parts.values()))}"
    )
    return f"{text}, of which {told}" if (told := describe_division(parts)) else text


def format_ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    end = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{end}"


def describe_game(
    score: float,
    margin: float | None,
    at_least: float | None,
    at_most: float | None,
    parts: Mapping[str, float],
) -> str:
    """A game as a sentence.

    >>> describe_game(1.0, 12.0, 0.31, 0.73, {"general": 7.0, "on clay": 2.0})
    'won by 12 (31 % chance of that or better): +9.0, of which +7.0 general, +2.0 on clay'
    """
    text = DEEDS.get(score, f"scored {score:.2f}")
    if margin:
        text += f" by {abs(margin):g}"
    if chance := describe_chance(at_least, at_most):
        end, _, percent = chance.partition(" ")
        text += f" ({percent} chance of that or {'better' if end == 'upper' else 'worse'})"
    text += f": {format_signed(fsum(parts.values()))}"
    return f"{text}, of which {told}" if (told := describe_division(parts)) else text


def describe_surprise(step: Step) -> str:
    """The result beside what was expected of it, such as `a draw that was less than expected`.

    Less than 0.02 of a point apart is as expected, up to 0.25 a little, from 0.65 on much.
    """
    deed = {1.0: "a win", 0.5: "a draw", 0.0: "a loss"}.get(step.score, "a result")
    if step.placing is not None:
        deed = f"a {format_ordinal(step.placing.place)} place"
    beyond = step.score - step.expected
    if abs(beyond) < 0.02:
        return f"{deed} as expected"
    degree = "a little " if abs(beyond) < 0.25 else "much " if abs(beyond) >= 0.65 else ""
    return f"{deed} that was {degree}{'more' if beyond > 0.0 else 'less'} than expected"


def describe_contrary(
    score: float, expected: float, change: float, terms: Mapping[str, float]
) -> str:
    """Why a rating moved against the result, such as a fall after a win; empty where it did not.

    >>> describe_contrary(1.0, 0.63, -1.0, {"game": 37.0, OF_TIME: -42.6, REWEIGHED: 4.6})
    'the results of others and the time since moved it more than this game'
    >>> describe_contrary(1.0, 0.75, -1.2, {"game": -1.2})
    'the win was by less than expected'
    >>> describe_contrary(1.0, 0.75, 1.2, {"game": 1.2})
    ''
    """
    surplus = score - expected
    if abs(change) < LEAST_TOLD or change * surplus >= 0.0:
        return ""
    if terms.get("game", change) * surplus >= 0.0:
        return "the results of others and the time since moved it more than this game"
    by = {1.0: "the win was by less", 0.0: "the loss was by less"}.get(score, "it was otherwise")
    return f"{by} than expected"


def describe_chance(at_least: float | None, at_most: float | None) -> str:
    """The smaller of both ends of a forecast in which a result lies, such as `upper 31 %`."""
    if at_least is None or at_most is None:
        return ""
    end, chance = ("upper", at_least) if at_least <= at_most else ("lower", at_most)
    percent = f"{100.0 * chance:.0f} %" if chance >= 0.01 else f"{100.0 * chance:.1g} %"
    return f"{end} {percent}"


def describe_division(parts: Mapping[str, float]) -> str:
    """What went to whom, without what rounds to nothing; empty where all is the player's own.

    >>> describe_division({"general": 7.0, "on clay": 2.0, "matchup": 0.01})
    '+7.0 general, +2.0 on clay'
    """
    told = {n: x for n, x in parts.items() if n == GENERAL or abs(x) >= LEAST_TOLD}
    return describe_parts(told) if len(told) > 1 else ""


def describe_parts(parts: Mapping[str, float]) -> str:
    """What went to whom, such as `+7.0 general, +2.0 on clay`."""
    return ", ".join(f"{format_signed(points)} {name}" for name, points in parts.items())


@dataclass(frozen=True, eq=False, repr=False)
class History(Tabular):
    """All steps of a player in order of play: a sequence of `Step`, and a table of them."""

    player: str
    system: str
    steps: tuple[Step, ...]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __getitem__(self, index: int) -> Step:
        try:
            return self.steps[index]
        except (TypeError, IndexError):
            if is_number(index, Integral):  # ends a loop over the steps, too
                raise IndexError(f"give a number below {len(self)}, not {index}") from None
            raise BadArgument.of("no_such_step", index=index) from None

    @property
    def caption(self) -> str:
        """The player and the number of games, or of contests judged as a whole."""
        unit = "contest" if self.steps and self.steps[0].placing is not None else "game"
        return f"{self.player} under {self.system}: {format_count(len(self), unit)}"

    def to_columns(self) -> Columns:
        """See Tabular: a row a step; partners, margin and chances where something is known."""
        steps = self.steps
        plain = ("row", "round", "opponent", "opponent_rating", "score", "expected", "before",
                 "after", "change")  # fmt: skip
        found: dict[str, Any] = {}
        if steps and steps[0].time is not None:
            found["date"] = moments(np.array([step.time for step in steps]))
        found |= {name: [getattr(step, name) for step in steps] for name in plain}
        further = steps[0].values._fields[1:] if steps else ()
        found |= {
            f"{name}_after" if name in found else name: [getattr(s.values, name) for s in steps]
            for name in further
        }
        if steps and steps[0].placing is not None:
            del found["opponent"]
            placings = [step.placing for step in steps if step.placing is not None]
            found["opponents"] = [len(step.meetings) for step in steps]
            found["place"] = [one.place for one in placings]
            found["expected_place"] = [one.expected for one in placings]
        found["partners"] = [step.partners for step in steps]
        for name in ("margin", "at_least", "at_most"):
            found[name] = [getattr(step, name) for step in steps]
        found["sentence"] = [step.sentence for step in steps]
        optional = ("partners", "margin", "at_least", "at_most")
        return {
            name: column
            for name, column in found.items()
            if name not in optional or any(value not in ("", None) for value in column)
        }

    def cells(self, most: int | None = None) -> list[list[str]]:
        """See Tabular: in few words; a column of which nothing is known is left out."""
        steps = [self.steps[row] for row in choose_rows(len(self), most)]
        margins = ["" if s.margin is None else format_signed(s.margin, "+g") for s in steps]
        if any(step.placing is not None for step in steps):
            met = {
                "place": [str(step.placing or "") for step in steps],
                "expected place": [f"{s.placing.expected:.1f}" if s.placing else "" for s in steps],
                "margin": margins,
            }
        else:
            met = {
                "opponent": [step.opponent for step in steps],
                "their rating": [f"{step.opponent_rating:.1f}" for step in steps],
                "score": [f"{step.score:g}" for step in steps],
                "margin": margins,
                "expected": [f"{step.expected:.3f}" for step in steps],
            }
        columns = {
            "date": ["" if s.time is None else format_date(s.time) for s in steps],
            "with": [step.partners for step in steps],
            **met,
            "chance": [describe_chance(step.at_least, step.at_most) for step in steps],
            "before": [f"{step.before:.1f}" for step in steps],
            "after": [f"{step.after:.1f}" for step in steps],
            "change": [format_signed(step.change) for step in steps],
            "of which": [describe_division(s.parts) for s in steps],
        }
        optional = ("date", "with", "margin", "chance", "of which")
        shown = [name for name in columns if name not in optional or any(columns[name])]
        return [shown, *map(list, zip(*(columns[name] for name in shown), strict=True))]


# --- contests that a system judges as a whole -----------------------------------------------------
#
# The system moves the rating by the contest, not by one opponent of the field, so no meeting has
# points of its own.


def join_meetings(meetings: Sequence[Step], sides: Sequence[int]) -> Step:
    """One step of the meetings of a contest, in order; terms and parts are their sums.

    `sides` are the numbers of the own side, one for each meeting: of a member of two sides, such as
    a car, the placing is that of the better side. The expected place is 1 + the sum of 1 - expected
    score over the other sides; the player shares their place with those they drew with.
    """
    first, last = meetings[0], meetings[-1]
    count = len(meetings)
    terms = _sum_by_name([step.terms for step in meetings])
    change = last.after - first.before
    settle_terms(terms, change)
    return last._replace(
        row=first.row,
        opponent="",
        opponent_rating=fsum(step.opponent_rating for step in meetings) / count,
        score=fsum(step.score for step in meetings) / count,
        expected=fsum(step.expected for step in meetings) / count,
        before=first.before,
        change=change,
        terms=terms,
        parts=_sum_by_name([step.parts for step in meetings]),
        margin=None,
        at_least=None,
        at_most=None,
        placing=min(_place_side(meetings, sides, one) for one in set(sides)),
        meetings=tuple(meetings),
    )


def _place_side(meetings: Sequence[Step], sides: Sequence[int], side: int) -> ContestPlace:
    met = [step for step, own in zip(meetings, sides, strict=True) if own == side]
    return ContestPlace(
        place=1 + sum(step.score == 0.0 for step in met),
        shared=any(step.score == 0.5 for step in met),
        of=1 + len(met),
        expected=1.0 + fsum(1.0 - step.expected for step in met),
    )


def separate_meetings(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with each contest as its meetings: one entry for each other side."""
    return tuple(each for step in steps for each in step.meetings or (step,))


def _sum_by_name(columns: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for column in columns for name in column)
    return {name: fsum(column.get(name, 0.0) for column in columns) for name in names}


def settle_terms(terms: dict[str, float], change: float) -> None:
    """Put the last bits of rounding into the largest term, so that the sum is exact.

    A change far smaller than its terms is not reached so: what is left is a term of its own.
    """
    for _ in range(8):
        error = fsum((change, *(-term for term in terms.values())))
        if error == 0.0:
            return
        largest = max(terms, key=lambda name: abs(terms[name]))
        if terms[largest] + error == terms[largest]:
            largest = LAST_BITS
        terms[largest] = terms.get(largest, 0.0) + error
