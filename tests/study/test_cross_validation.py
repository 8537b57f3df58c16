"""Cross-validation: folds, and forecasts against the obvious way, one row at a time."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest

import prowess
from prowess.engine.periods import BadRounds
from prowess.engine.rate import rate
from prowess.engine.system import Dynamic, Unratable
from prowess.games.arguments import BadArgument
from prowess.games.games import Games
from prowess.study.backtest import NoForecast, backtest
from prowess.study.compare import compare
from prowess.study.cross_validation import (
    cross_validate,
    cross_validate_base_rate,
    run_folds,
)
from prowess.study.folds import BadFolds, Folds, folds_by_column, random_folds
from prowess.study.judging import Selection
from prowess.systems.catalogue import catalogue, find
from tests.cli.command import ROOT, answered, prowess as run, refused
from tests.engine.tables import contests
from tests.engine.test_roles import ROLED, races
from tests.engine.test_shared_numbers import LEARNING
from tests.refusals import refused as refusal
from tests.study.teams import doubles, team_contests, team_games

VOTES = ROOT / "examples" / "llmfao_votes.csv.gz"
DYNAMIC = [s for s in catalogue().values() if isinstance(s, Dynamic)]
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")


def votes(count: int = 60, seed: int = 1, **columns: Any) -> Games:
    """Votes of seven voters on five; those who come first in the roster win more often."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(5, 2, replace=False) for _ in range(count)])
    lead = pairs[:, 1] - pairs[:, 0] + rng.normal(0.0, 3.0, count)
    given: dict[str, Any] = {
        "score": np.where(np.abs(lead) < 0.7, 0.5, np.where(lead > 0.0, 1.0, 0.0)),
        "points_a": rng.uniform(1.0, 9.0, count),
        "points_b": rng.uniform(1.0, 9.0, count),
        "length": rng.uniform(5.0, 30.0, count),
        "facts": {"voter": rng.integers(0, 7, count).astype(np.float64)},
    }
    a, b = (pairs[:, k].astype(np.uint32) for k in (0, 1))
    return Games(NAMES, a, b, **given | columns)


# --- folds ----------------------------------------------------------------------------------------


def test_rows_are_dealt_evenly_and_by_the_seed():
    """Folds differ by one row at most; equal seeds deal equally, other seeds otherwise."""
    folds = random_folds(votes(64), 10, seed=3)
    assert sorted(np.bincount(folds.number).tolist()) == [6] * 6 + [7] * 4
    assert random_folds(votes(64), 10, seed=3).number.tolist() == folds.number.tolist()
    assert random_folds(votes(64), 10, seed=4).number.tolist() != folds.number.tolist()
    assert folds.how.startswith("10 folds, rows dealt at random (seed 3)")
    assert len(np.unique(folds.block)) == 60  # six parts of each fold
    assert all(len(np.unique(folds.number[folds.block == part])) == 1 for part in range(60))


def test_the_rows_of_a_voter_stay_together():
    """No voter is in two folds, folds have about equally many rows, and voters are the blocks."""
    table = prowess.read_games(VOTES, facts="worker", warn=False)
    folds = folds_by_column(table, "worker", 10, seed=1)
    worker = table.facts["worker"]
    for one in np.unique(worker):
        assert len(np.unique(folds.number[worker == one])) == 1
    assert len(np.unique(folds.block)) == 124
    size = np.bincount(folds.number)
    assert size.sum() == 8_931
    assert size.max() - size.min() < 30  # 893 each
    again = folds_by_column(table, "worker", 10, seed=2)
    assert again.number.tolist() != folds.number.tolist()


def test_few_voters_are_left_out_one_by_one():
    """With no more voters than folds each voter is a fold, whatever the seed."""
    table = votes()
    folds = folds_by_column(table, "voter", 10)
    assert folds.number.tolist() == table.facts["voter"].tolist()
    assert folds.how.startswith("7 folds, one for each voter")


def test_folds_that_cannot_be():
    """Too few or too many folds, an absent column, one value only, empty cells."""
    with refusal(BadFolds, "too_many_folds", about="60"):
        random_folds(votes(), 61)
    with refusal(BadFolds, "too_few_folds"):
        folds_by_column(votes(), "voter", 1)
    with refusal(BadFolds, "column_not_kept", about="--facts"):
        folds_by_column(votes(), "town")
    with refusal(BadFolds, "one_value"):
        folds_by_column(votes(facts={"voter": np.ones(60)}), "voter")
    rare = votes(labels={"voter": ("x", "y", "", "z", "u", "v", "w")})
    count = int((rare.facts["voter"] == 2.0).sum())
    with refusal(BadFolds, "value_missing", about=("--exclude", "voter=", str(count))):
        folds_by_column(rare, "voter")


# --- forecasts ------------------------------------------------------------------------------------


def assert_forecasts(table: Games, system: Dynamic, **params: Any) -> None:
    """Every row is forecast as the last row of the other folds' table, before it is played."""
    folds = random_folds(table, 4, seed=1)
    test = cross_validate(table, system, folds, params=params)
    start = np.arange(len(table) + 1) if table.pairwise else table.start
    for row in range(0, len(table), 3):
        others = np.flatnonzero(folds.number != folds.number[row])
        last = table.select(np.append(others, row)).replace(time=None)
        slow = rate(last, system, params=params, forecasts=True)
        assert slow.forecasts is not None
        count = int(start[row + 1] - start[row])
        np.testing.assert_allclose(
            test.expected[start[row] : start[row + 1]], slow.forecasts[-count:], rtol=1e-9
        )
        if slow.draws is not None:
            assert test.draw is not None
            assert test.draw[row] == pytest.approx(slow.draws[-1], rel=1e-9)
        else:
            assert test.draw is None


@pytest.mark.parametrize(
    "system", [s for s in DYNAMIC if s.rounds != "period"], ids=lambda s: s.name
)
def test_a_dynamic_system_plays_the_other_folds_and_stops(system):
    """Every dynamic system forecasts a held row as if it were played last, and learns nothing."""
    # the opening of a table, of which a system may take constants, is not a share of both tables
    fixed = {"opening": 10.0} if system.prepare is not None else {}
    assert_forecasts(votes(), system, **fixed)


def test_contests_teams_roles_banks_and_shared_numbers():
    """The same with contests, line-ups, members by role, several settings, learnt numbers."""
    rng = np.random.default_rng(2)
    fields = [[(NAMES[k], at) for at, k in enumerate(rng.permutation(5))] for _ in range(20)]
    assert_forecasts(contests(fields), find("elo"))
    assert_forecasts(team_games(doubles(20)).replace(time=None), find("trueskill"))
    sides = [((("Ann", "Bob"), 1), (("Cid",), 2), (("Dee", "Eve"), 3)) for _ in range(12)]
    assert_forecasts(team_contests(sides).replace(time=None), find("weng_lin"))
    assert_forecasts(votes(), find("elo"), k=[8.0, 32.0])
    assert_forecasts(votes(), LEARNING)
    cars = [[(int(d), 4 + int(d) % 2) for d in rng.permutation(4)[:3]] for _ in range(20)]
    assert_forecasts(races(cars, [0.0] * 20, False).replace(time=None), ROLED)


def test_rounds_of_the_table_are_played_whole():
    """A system that needs rounds takes the table's own, without the rows held back."""
    table = votes(round=np.repeat(np.arange(12), 5).astype(np.int32))
    folds = random_folds(table, 5)
    test = cross_validate(table, find("tournament_elo"), folds, period="round")
    held = folds.number == 2
    ratings = rate(table.select(~held), find("tournament_elo"), period="round")
    for row in np.flatnonzero(held).tolist():
        slow = ratings.chances(int(table.a[row]), int(table.b[row]), 0.0)
        assert test.expected[row] == pytest.approx(slow.expected, rel=1e-12)


@pytest.mark.parametrize("name", ["map", "davidson", "batch_elo"])
def test_a_whole_table_system_is_fitted_to_the_other_folds(name):
    """The forecast of a held row is that of a fit to all rows of the other folds."""
    table = votes(200)
    folds = folds_by_column(table, "voter")
    test = cross_validate(table, find(name), folds)
    for fold in range(folds.count):
        ratings = prowess.rate(table.select(folds.number != fold), name)
        for row in np.flatnonzero(folds.number == fold)[:5].tolist():
            slow = ratings.forecast(NAMES[table.a[row]], NAMES[table.b[row]])
            assert test.expected[row] == pytest.approx(slow.expected, rel=1e-9)


def test_results_held_back_are_not_seen():
    """Other results in one fold change no forecast of that fold."""
    table, folds = votes(200), random_folds(votes(200), 4)
    turned = table.replace(score=np.where(folds.number == 1, 1.0 - table.score, table.score))
    for name in ("elo", "glicko2", "map"):
        one, other = (cross_validate(games, find(name), folds) for games in (table, turned))
        held = folds.number == 1
        assert one.expected[held].tolist() == other.expected[held].tolist()
        assert one.expected[~held].tolist() != other.expected[~held].tolist()


def test_the_base_rate_is_that_of_the_other_folds():
    """Wins of the favoured side and draws of the other folds, with one win, draw and loss more."""
    side = np.where(np.arange(60) % 3 > 0, 1.0, 0.0)
    table = votes(side=side)
    folds = random_folds(table, 5, seed=9)
    test = cross_validate_base_rate(table, folds)
    others = (folds.number != 3) & (side > 0.0)
    score = (float(table.score[others].sum()) + 1.5) / (int(others.sum()) + 3.0)
    drawn = (float((table.score[others] == 0.5).sum()) + 1.0) / (int(others.sum()) + 3.0)
    held = folds.number == 3
    assert test.expected[held & (side > 0.0)] == pytest.approx(score, rel=1e-12)
    assert test.expected[held & (side == 0.0)].tolist() == [0.5] * int((held & (side == 0)).sum())
    assert test.draw is not None
    assert test.draw[held & (side > 0.0)] == pytest.approx(drawn, rel=1e-12)


def test_players_of_one_fold_only():
    """The base rate stands in where a fit knows a player not; a dynamic system takes a newcomer."""
    table = votes()
    alone = np.array([*table.b[:-1], 5], dtype=np.uint32)
    table = table.replace(players=(*NAMES, "Fay"), b=alone)
    folds = random_folds(table, 4)
    test = cross_validate(table, find("map"), folds)
    assert test.expected[-1] == cross_validate_base_rate(table, folds).expected[-1]
    assert any("1 game of players not in the other folds" in note for note in test.notes)
    elo = cross_validate(table, find("elo"), folds)
    ratings = prowess.rate(table.select(folds.number != folds.number[-1]), "elo")
    gap = ratings.columns["rating"][table.a[-1]] - 1500.0
    assert elo.expected[-1] == pytest.approx(1.0 / (1.0 + 10.0 ** (-gap / 400.0)), rel=1e-12)


def test_side_advantages_are_fitted_to_the_other_folds():
    """A side advantage that is not named is fitted without the rows that it helps to forecast."""
    rng = np.random.default_rng(5)
    table = votes(600, side=np.ones(600))
    table = table.replace(score=np.where(rng.random(600) < 0.75, 1.0, 0.0))
    folds = random_folds(table, 5)
    found = run_folds(table, [Selection("elo", find("elo"), {}, None)], folds)
    note = next(note for note in found.notes if "side advantage" in note)
    low, high = (float(text) for text in note.split(": ")[-1].split(" to "))
    points = 400.0 * np.log10(0.75 / 0.25)
    assert points - 60.0 < low < high < points + 60.0
    assert {one.test.name for one in compare(found.tests)} == {"base_rate", "elo"}


def test_a_system_that_learns_the_side_advantage_is_not_said_to_have_none():
    """`prowess` has members for sides in place of a parameter; `ratio_elo` has neither."""
    table = votes(side=np.ones(60))
    chosen = [Selection(name, find(name), {}, None) for name in ("prowess", "ratio_elo")]
    found = run_folds(table, chosen, random_folds(table, 5))
    without = [note for note in found.notes if "side advantage 0" in note]
    assert without == ["ratio_elo: side advantage 0: the system has none"]


def test_who_is_left_out():
    """Systems without a model of a game, and those that want dates."""
    folds = random_folds(votes(), 4)
    with refusal(NoForecast, "no_model", about="massey"):
        cross_validate(votes(), find("massey"), folds)
    with refusal(BadRounds, "period_needed"):
        cross_validate(votes(), find("tournament_elo"), folds)
    sure = votes(score=np.where(votes().a < votes().b, 1.0, 0.0))
    with refusal(Unratable, "no_part_fitted", about="tables"):
        cross_validate(sure, find("bradley_terry"), folds)


# --- intervals ------------------------------------------------------------------------------------


def test_voters_are_the_blocks_of_intervals():
    """The deviation of a difference is that of the voters' sums, by hand; n - 1 voters are free."""
    rng = np.random.default_rng(3)
    table = votes(400, facts={"voter": rng.integers(0, 25, 400).astype(np.float64)})
    folds = folds_by_column(table, "voter", 5)
    tests = [cross_validate_base_rate(table, folds), cross_validate(table, find("map"), folds)]
    found = compare(tests)
    assert found.blocks == 25
    assert "of other values of voter (scatter of its 25 values)" in found.target
    best, second = (entry.test.losses["log_loss"] for entry in found)
    apart = second - best
    sums = [float((apart[folds.block == v] - apart.mean()).sum()) for v in range(25)]
    deviation = sqrt(25 / 24 * sum(one * one for one in sums)) / 400
    behind = found.entries[1].behind
    assert behind.mean == pytest.approx(float(apart.mean()), rel=1e-12)
    assert 1.8 < (behind.high - behind.low) / 2.0 / deviation < 2.2  # 2.064 with t of 24


def test_forward_and_crossed_forecasts_are_not_compared():
    """All tests of a comparison have the same folds, or none."""
    table = votes(200)
    crossed = cross_validate(table, find("elo"), random_folds(table))
    with refusal(BadArgument, "folds_differ"):
        compare([crossed, backtest(table, find("elo"))])
    again = replace(crossed, folds=Folds(*vars(random_folds(table)).values()))
    with refusal(BadArgument, "folds_differ"):
        compare([crossed, again])


# --- the command ----------------------------------------------------------------------------------


def test_compare_says_what_was_done():
    """Folds, seed, voters and what the intervals are about stand in the output."""
    chosen = ("compare", VOTES, "--systems", "elo:k=8,davidson")
    done = run(*chosen, "--folds", 5, "--by-column", "worker", "--seed", 7)
    assert "5 folds, the rows of each of the 124 values of worker together" in done.stderr
    assert "(seed 7)" in done.stderr
    assert "8,931 forecasts judged" in done.stderr
    assert done.stdout.splitlines()[1].startswith("davidson ")
    by_vote = run(*chosen, "--folds", 10)
    assert "10 folds, rows dealt at random (seed 0)" in by_vote.stderr
    assert "scatter of 60 random parts" in " ".join(by_vote.stderr.split())


def test_dates_are_noted_and_wrong_use_is_refused(tmp_path):
    """A table with dates may be cross-validated, with a note; folds that cannot be are refused."""
    lines = [f"2024-01-{day:02},{'ab'[day % 2]},{'cd'[day % 3 // 2]},1-0" for day in range(1, 29)]
    lines += [f"2024-02-{day:02},{'cd'[day % 2]},{'ab'[day % 3 // 2]},1-0" for day in range(1, 29)]
    file = tmp_path / "games.csv"
    file.write_text("date,player_a,player_b,result\n" + "\n".join(lines) + "\n")
    done = run("compare", file, "--systems", "elo", "--folds", 10)
    assert "forecasts know later games" in done.stderr
    assert "later games" not in run("compare", file, "--systems", "elo").stderr
    assert "at most 56 folds" in refused(2, "compare", file, "--folds", 57)
    assert "leave --warm-up out" in refused(2, "compare", file, "--folds", 5, "--warm-up", 0.1)
    assert "voter" in refused(3, "compare", file, "--by-column", "voter")
    assert answered("compare", file, "--systems", "elo", "--folds", 10, "--csv").count("\n") == 3


def test_rounds_of_the_table_can_be_the_column():
    """A column that the table has anyway, such as its rounds, is no fact and still deals folds."""
    bots = ROOT / "examples" / "axelrod_bot_rumble.csv.gz"
    done = run("compare", bots, "--by-column", "round", "--systems", "elo", "--folds", 4)
    assert "values of round together" in done.stderr + done.stdout
