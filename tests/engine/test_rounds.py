"""Which games are judged together."""

from __future__ import annotations

import numpy as np
import pytest

from prowess.engine.periods import BadPeriod, BadRounds, rounds_of
from prowess.engine.rate import rate
from prowess.systems.catalogue import find
from tests.engine.tables import START, contests, games
from tests.refusals import refused

ELO, GLICKO, GLICKO2 = find("elo"), find("glicko"), find("glicko2")
ROWS = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 1.0), ("Cleo", "Ada", 1.0), ("Ada", "Ben", 0.0)]
TABLE = games(ROWS, time=[START, START + 1, START + 40, START + 41])
FIELD = contests([[("Ada", 1), ("Ben", 2), ("Cleo", 3)]], time=[START])


def test_no_period_is_game_by_game():
    """Without a period every game is a round."""
    rounds = rounds_of(ELO, TABLE, None)
    assert rounds.bounds is None
    assert rounds.order is None
    assert rounds.clock is None  # nothing of Elo changes with time
    assert rounds_of(GLICKO, TABLE, None).clock is not None


def test_games_of_a_period_are_a_round():
    """The bounds cut where the period changes."""
    assert rounds_of(ELO, TABLE, "1mo").bounds.tolist() == [0, 2, 4]
    assert rounds_of(ELO, TABLE, "1y").bounds.tolist() == [0, 4]


def test_the_period_is_the_clock_of_who_follows_it():
    """Glicko's clock counts the periods, the empty ones too; a system of its own clock does not."""
    skipping = TABLE.replace(time=TABLE.time + np.array([0, 0, 60, 60]))  # January, April
    months, weeks = (rounds_of(s, skipping, "1mo").clock for s in (GLICKO, find("arimaa")))
    assert months is not None
    assert weeks is not None
    assert np.diff(months).tolist() == [3]
    assert np.diff(weeks) == pytest.approx([100 / 7])


def test_labels_are_rounds_in_order_of_appearance():
    """Rows of one label are brought together, in their own order."""
    table = TABLE.replace(round=np.array([7, 3, 7, 3], dtype=np.int32))
    rounds = rounds_of(ELO, table, "round")
    assert rounds.order.tolist() == [0, 2, 1, 3]
    assert rounds.bounds.tolist() == [0, 2, 4]


def test_labels_already_together_move_nothing():
    """A table whose rounds are runs of rows is played as it stands."""
    table = TABLE.replace(round=np.array([7, 7, 3, 3], dtype=np.int32))
    assert rounds_of(ELO, table, "round").order is None


def test_a_postponed_game_is_of_its_round():
    """A round may last months, as long as no gap in it is half a year."""
    table = TABLE.replace(time=START + np.array([0.0, 170.0, 340.0, 510.0]))
    table = table.replace(round=np.zeros(4, dtype=np.int32))
    assert rounds_of(ELO, table, "round").bounds.tolist() == [0, 4]


def test_a_label_used_again_is_refused():
    """Round 1 of the next season is not round 1 of this one, and the error says what to do."""
    table = TABLE.replace(time=START + np.array([0.0, 7.0, 365.0, 372.0]))
    table = table.replace(round=np.array([1, 2, 1, 2], dtype=np.int32))
    with refused(BadRounds, "round_overlaps", about="365"):
        rounds_of(ELO, table, "round")


def test_a_pause_between_rounds_is_fine():
    """Only a gap within a round is a mistake."""
    table = TABLE.replace(time=START + np.array([0.0, 1.0, 900.0, 901.0]))
    table = table.replace(round=np.array([1, 1, 2, 2], dtype=np.int32))
    assert rounds_of(ELO, table, "round").bounds.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("system", "table", "period", "message"),
    [
        (ELO, TABLE.replace(time=None), "1mo", "no_dates"),
        (ELO, TABLE, "round", "no_rounds"),
        (ELO, FIELD, "1mo", "period_of_contests"),
        (find("tournament_elo"), TABLE, None, "period_needed"),
        (find("codechef"), TABLE, "1mo", "no_periods"),
    ],
)
def test_what_cannot_be_cut_is_refused(system, table, period, message):
    """Each error says what is missing or what to leave out."""
    with refused(BadRounds, message):
        rate(table, system, period=period)


def test_a_bad_period_is_refused():
    """A text that is no period is not taken for one."""
    with pytest.raises(BadPeriod):
        rate(TABLE, ELO, period="monthly")


def forecasts_of(table, system, period):
    """The forecast of every row of a table."""
    return rate(table, system, period=period, forecasts=True).forecasts.tolist()


def test_forecasts_stand_in_table_order():
    """Rounds may reorder the games; forecast i is still that of row i."""
    table = TABLE.replace(round=np.array([7, 3, 7, 3], dtype=np.int32))
    forecasts = forecasts_of(table, GLICKO2, "round")
    together = games([ROWS[row] for row in (0, 2, 1, 3)], ["Ada", "Ben", "Cleo"]).replace(
        round=np.array([7, 7, 3, 3], dtype=np.int32),
    )
    in_order = forecasts_of(together, GLICKO2, "round")
    assert len(set(in_order)) > 1
    assert [forecasts[row] for row in (0, 2, 1, 3)] == in_order


def test_rounds_judge_by_the_ratings_before():
    """Nobody's game in a round knows of another game of it: two equal players expect a half."""
    assert forecasts_of(TABLE, ELO, "1y") == [0.5] * 4
    assert forecasts_of(TABLE, ELO, None)[1] != 0.5
