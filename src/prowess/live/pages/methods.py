"""How ratings are made, as plain values: formula, constants, and how good the forecasts were."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from prowess.engine.params import parameters
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Range, Unratable
from prowess.study.backtest import Backtest, NoForecast, base_rate_backtest
from prowess.study.figures.refusal import Undrawable
from prowess.study.figures.reliability_curve import Reliability, reliability
from prowess.study.report import own_forecasts

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

HEADINGS = ("Formula", "Source", "Units", "Differs")  # of every system's docstring
HEADING = re.compile(rf"^({'|'.join(HEADINGS)})[ ]+", re.MULTILINE)


class Setting(NamedTuple):
    """A constant of the system."""

    name: str
    value: str
    unit: str
    default: str


class Judgement(NamedTuple):
    """How the forecasts of the system turned out on the games themselves."""

    games: int
    log_loss: float | None  # None: contests
    brier: float
    by_nobody: float | None  # log loss of who knows no player
    drawing: Reliability | None  # None: too few games
    words: str


class Method(NamedTuple):
    """A system and its constants; `parts` are the headings of its docstring."""

    system: str
    summary: str
    parts: tuple[tuple[str, str], ...]
    settings: tuple[Setting, ...]
    period: str | None
    game_by_game: bool
    notes: tuple[str, ...]
    judged: Judgement | None
    unjudged: str  # why there is no judgement


def method(ratings: Ratings, judged: Judgement | None, unjudged: str = "") -> Method:
    """What there is to say about how these ratings were made."""
    system = ratings.system
    head, *rest = HEADING.split(system.doc.strip())
    parts = tuple(zip(rest[::2], map(outdented, rest[1::2]), strict=True))
    known = parameters(system)
    settings = []
    for name, value in ratings.params.items():
        domain = known[name].domain
        default = known[name].shown(known[name].default)
        unit = domain.unit if isinstance(domain, Range) else ""
        settings.append(Setting(name, _setting_text(value), unit, _setting_text(default)))
    return Method(
        system=system.name,
        summary=" ".join(head.split()),
        parts=parts,
        settings=tuple(settings),
        period=ratings.period,
        game_by_game=isinstance(ratings, DynamicRatings),
        notes=tuple(ratings.notes),
        judged=judged,
        unjudged=unjudged,
    )


def judgement(ratings: Ratings, test: Backtest | None = None) -> tuple[Judgement | None, str]:
    """How good forecasts were, and why it is not known.

    They are those of a test, or those that the ratings were made with (`forecasts=True`).
    """
    try:
        test = test or own_forecasts(ratings)
    except (Unratable, NoForecast) as reason:
        return None, str(reason)
    if test is None:
        return None, f"{ratings.system.name} has no model of a game, so it forecasts none"
    if not test.count:
        return None, "no game has been played after the first ones, when everybody is new"
    try:
        drawing, words = reliability(test), ""
    except Undrawable as reason:
        drawing, words = None, str(reason)
    scores = test.scores
    judged = Judgement(
        games=test.count,
        log_loss=scores.get("log_loss"),
        brier=scores["brier"],
        by_nobody=_by_nobody(test),
        drawing=drawing,
        words=words,
    )
    return judged, ""


def _by_nobody(test: Backtest) -> float | None:
    """The log loss, on the same games, of the forecast that knows no player."""
    if not test.table.duels:
        return None
    return base_rate_backtest(test.table).only(test.judged).scores["log_loss"]


def outdented(text: str) -> str:
    """Lines after the first moved left as far as they all can be."""
    first, *rest = text.rstrip().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([first, *(line[margin:] for line in rest)])


def _setting_text(value: float | str | list[float | str]) -> str:
    if isinstance(value, list):  # of a bank
        return " or ".join(map(_setting_text, value))
    return value if isinstance(value, str) else f"{value:.10g}"
