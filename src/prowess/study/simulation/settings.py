"""Settings of a simulated league, with ranges and units.

Strengths and ratings are in points, times in days. Options of the command line, checks and help
texts are made from the annotations here.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple

from prowess.engine.params import BadSetting, display_settings, parameters, settings
from prowess.engine.system import Choice, Range
from prowess.engine.win_probability import CURVES

MATCHMAKING = ("random", "near", "rating", "swiss", "round_robin", "ladder")
RANDOM, NEAR, RATING, SWISS, ROUND_ROBIN, LADDER = range(len(MATCHMAKING))
DRAW_MODELS = ("even", "davidson", "threshold")
EVEN, DAVIDSON, THRESHOLD = range(len(DRAW_MODELS))
ACTIVITIES = ("equal", "pareto")
EQUAL, PARETO = range(len(ACTIVITIES))
LEARNING_FORMS = ("logarithmic", "constant")
LOGARITHMIC, CONSTANT = range(len(LEARNING_FORMS))
AGES = ("days", "games")
DAYS, GAMES = range(len(AGES))
LIFE_LAWS = ("exponential", "fixed")
EXPONENTIAL, FIXED = range(len(LIFE_LAWS))
BEGINNINGS = ("young", "settled")
YOUNG, SETTLED = range(len(BEGINNINGS))
NO, YES = range(2)

MOST_PLAYERS = 5e6  # over the whole history of a league
SECONDS = 86400.0  # in a day: times are whole seconds, so that a file says them exactly
WHOLE = ("players", "games", "candidates", "reach", "swiss_rounds")


class LeagueSettings(NamedTuple):
    """All settings of a league; words are numbered, as in a system's parameters."""

    players: Annotated[float, Range(2, 2e6, "players at the start")] = 100.0
    games: Annotated[float, Range(1, 1e8, "games")] = 10000.0
    first_day: Annotated[float, Range(-36500, 73000, "days since 1970")] = 18262.0  # 2020-01-01
    days: Annotated[float, Range(0.01, 73000, "days from first to last game")] = 365.0
    # how a game ends
    curve: Annotated[int, Choice(*CURVES)] = 0
    scale: Annotated[float, Range(50, 2000, "points of odds of ten to one")] = 400.0
    advantage: Annotated[float, Range(-1000, 1000, "points for the first side")] = 0.0
    neutral: Annotated[float, Range(0, 1, "share of games without sides")] = 0.0
    draws: Annotated[float, Range(0, 0.99, "share of draws among equals")] = 0.0
    draw_model: Annotated[int, Choice(*DRAW_MODELS)] = EVEN
    cyclic: Annotated[float, Range(0, 2000, "points, the most that styles can add")] = 0.0
    margins: Annotated[int, Choice("no", "yes")] = NO
    # how strong players are
    mean: Annotated[float, Range(-10000, 10000, "points, of newcomers")] = 1500.0
    spread: Annotated[float, Range(0, 2000, "points, deviation of newcomers")] = 200.0
    drift: Annotated[float, Range(0, 500, "points per sqrt(day)")] = 0.0
    learning: Annotated[float, Range(0, 1000, "points per day (or game) of age, at birth")] = 0.0
    learning_form: Annotated[int, Choice(*LEARNING_FORMS)] = LOGARITHMIC
    # who lives
    births: Annotated[float, Range(0, 1e5, "players per day")] = 0.0
    life: Annotated[float, Range(0, 1e6, "days (or games), the mean; 0: for ever")] = 0.0
    life_law: Annotated[int, Choice(*LIFE_LAWS)] = EXPONENTIAL
    age: Annotated[int, Choice(*AGES)] = DAYS
    beginning: Annotated[int, Choice(*BEGINNINGS)] = YOUNG
    # who plays whom
    activity: Annotated[int, Choice(*ACTIVITIES)] = EQUAL
    tail: Annotated[float, Range(1.05, 20, "index of the Pareto law of activity")] = 1.5
    matchmaking: Annotated[int, Choice(*MATCHMAKING)] = RANDOM
    candidates: Annotated[float, Range(1, 50, "opponents of whom the nearest plays")] = 5.0
    k: Annotated[float, Range(0, 200, "points, of the Elo rating that pairs players")] = 32.0
    swiss_rounds: Annotated[float, Range(1, 50, "rounds of a tournament")] = 9.0
    reach: Annotated[float, Range(1, 50, "places up a ladder that a challenge goes")] = 3.0


def shape(params: LeagueSettings) -> Any:
    """Return a league's settings in the form of a system's, to check them alike."""
    return SimpleNamespace(name="a league", params=params)


LEAGUE = shape(LeagueSettings())


def league_settings(**given: float | str) -> LeagueSettings:
    """Return the settings of a league: the defaults with the given ones replaced, all checked.

    Words are given as words: `league_settings(players=50, curve="normal", draws=0.3)`. Raises
    BadSetting for a name that does not exist, a value outside its range, or two that contradict
    each other.
    """
    p: LeagueSettings = settings(LEAGUE, given)
    for name in WHOLE:
        value = getattr(p, name)
        if value != int(value):
            raise BadSetting(f"give {name} as a whole number, not {value:g}")
    _refuse_contradictions(p)
    return p


def check_settings(p: LeagueSettings) -> LeagueSettings:
    """Check settings and return them; raises BadSetting."""
    given: dict[str, Any] = {}
    for name, known in parameters(LEAGUE).items():
        value, domain = getattr(p, name), known.domain
        if isinstance(domain, Choice) and not (
            isinstance(value, int) and 0 <= value < len(domain.words)
        ):
            raise BadSetting(
                f"{name} = {value!r}: not one of {', '.join(domain.words)} "
                "(league_settings takes words)"
            )
        given[name] = known.display(value)
    return league_settings(**given)


def written_settings(p: LeagueSettings) -> dict[str, float | str]:
    """Return the settings with words for choices."""
    return display_settings(LEAGUE, p)


def _refuse_contradictions(p: LeagueSettings) -> None:
    """Raise BadSetting for settings that would have no effect or never end."""
    if p.beginning == SETTLED and not p.life:
        raise BadSetting("beginning = settled: ages need a mean life; give life, or begin young")
    if p.activity != EQUAL and p.matchmaking in (SWISS, ROUND_ROBIN):
        raise BadSetting(
            f"activity = {ACTIVITIES[p.activity]}: all players play every round of "
            f"{MATCHMAKING[p.matchmaking]}; choose another matchmaking, or equal activity"
        )
    if p.neutral and p.matchmaking == ROUND_ROBIN:
        raise BadSetting("neutral: a round_robin has sides; choose another matchmaking")
    people = p.players + p.births * p.days
    if people > MOST_PLAYERS:
        raise BadSetting(
            f"births = {p.births:g} a day for {p.days:g} days make {people:,.0f} players: "
            f"at most {MOST_PLAYERS:,.0f}"
        )
