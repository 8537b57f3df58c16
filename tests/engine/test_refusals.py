"""What cannot be rated is refused in one sentence."""

from __future__ import annotations

from datetime import date

import pytest

import prowess
from prowess.engine.inflation import NewcomersMean
from prowess.engine.params import BadSetting
from prowess.engine.periods import BadPeriod
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from tests.refusals import refused

ROUNDS = {"round": ["1", "2"], "a": ["A", "A"], "b": ["B", "C"], "result": [1, 1]}
DATED = {"date": ["2020-01-01", "2020-02-01"], "a": ["A", "A"], "b": ["B", "C"], "result": [1, 0]}


def test_a_round_is_not_continued() -> None:
    """Whether a labelled round goes on in a second table cannot be told, so it is refused."""
    begun = prowess.rate(ROUNDS, "elo", period="round")
    with refused(Unratable, "rounds_not_continued"):
        prowess.rate_on(begun, {"round": ["2"], "a": ["C"], "b": ["B"], "result": [1]})


def test_a_day_needs_dates() -> None:
    """A table without dates has no state as of a day, and no day is not a number."""
    with refused(Unratable, "no_dates"):
        prowess.rate(ROUNDS, "elo", as_of="2020-01-01")
    with refused(BadArgument, "not_a_number", about=("as_of", "nan")):
        prowess.rate(DATED, "elo", as_of=float("nan"))


def test_a_date_is_a_day() -> None:
    """A date object means the end of its day, as its text does."""
    by_text = prowess.rate(DATED, "elo", as_of="2020-01-01")
    by_date = prowess.rate(DATED, "elo", as_of=date(2020, 1, 1))
    assert len(by_text.table) == len(by_date.table) == 1


@pytest.mark.parametrize(
    ("system", "values"),
    [("glicko", {"deviation": -50.0}), ("codechef", {"volatility": 0.0}), ("arimaa", {"k": -40.0})],
)
def test_impossible_beginnings(system: str, values: dict[str, float]) -> None:
    """A start with an impossible deviation or count is refused."""
    with refused(Unratable, "start_out_of_range"):
        prowess.rate(DATED, system, initial={"A": values})


def test_settings_of_a_run() -> None:
    """A period that is no text, a rule that is none and an absurd mean are refused by name."""
    with refused(BadPeriod, "not_a_period"):
        prowess.rate(DATED, "elo", period=7)
    with refused(BadSetting, "not_a_rule", about="Redistribution"):
        prowess.rate(DATED, "elo", rules=[1])  # type: ignore[list-item]
    with refused(BadArgument, "not_a_number", about="newcomers"):
        prowess.rate(DATED, "elo", rules=[NewcomersMean(float("nan"))])


def test_what_a_reader_should_know_is_noted() -> None:
    """Weights that were guessed and contests of one are said aloud."""
    weighted = prowess.rate({**DATED, "weight": [81.5, 1.0]}, "elo")
    assert "weight, from 1 to 81.5" in weighted.notes[0]
    alone = {"contest": ["x", "y", "y"], "player": ["A", "B", "C"], "place": [1, 1, 2]}
    assert prowess.rate(prowess.read_games(alone), "elo").notes[-1:] == (
        "contests of a single player, which are not rated: 1",
    )


def test_an_advantage_that_moves_nothing_is_noted() -> None:
    """Where no game has a side, or contests have none, a side advantage that is set says so."""
    (idle,) = prowess.rate(DATED, "elo", advantage=100).notes
    assert idle == (
        "advantage = 100 moves nothing: the table has no sides (--sides a: the first side has it)"
    )
    sided = prowess.read_games(DATED, side="a")
    assert prowess.rate(sided, "elo", advantage=100).notes == ()
    assert prowess.rate(DATED, "elo").notes == ()
    race = {"contest": ["x", "x"], "player": ["A", "B"], "place": [1, 2]}
    *_, idle = prowess.rate(race, "weng_lin", advantage=5).notes
    assert idle == "advantage = 5 moves nothing: contests have no sides"
    levels = {"a": ["A", "B", "C"], "b": ["B", "C", "A"], "result": [1, 1, 1]}
    notes = prowess.rate(levels, "iterated_mean", advantage=100).notes
    assert any(note.startswith("advantage = 100 moves nothing") for note in notes)


def test_the_unit_of_time_is_noted() -> None:
    """Who ages says in what unit: its own, or the period; without dates that no time passes."""

    def unit(table: object, system: str, period: str | None = None) -> list[str]:
        notes = prowess.rate(table, system, period=period).notes
        return [note.partition(" is ")[2] for note in notes if note.startswith("the unit of time")]

    assert unit(DATED, "glicko") == ["30 days"]
    assert unit(DATED, "glicko2", "1mo") == ["the rating period, 1mo"]
    assert unit(ROUNDS, "glicko", "round") == ["a round of the table"]
    assert unit(ROUNDS, "glicko") == ["30 days, and the table has no dates: no time passes"]
    assert unit(DATED, "arimaa", "1mo") == ["7 days"]  # it does not follow the period
    assert unit(DATED, "elo") == []
