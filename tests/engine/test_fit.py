"""Whole-table systems: what the engine makes of a declaration, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import prowess
from prowess.engine.check import check_system
from prowess.engine.fit import NoModel, fit_table
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.params import BadSetting
from prowess.engine.system import BadSystem, Chances, Unratable
from prowess.engine.whole_table import Fit, Normal, WholeTable
from prowess.games.games import Games
from tests.engine.tables import START, contests, games
from tests.refusals import refused

ROWS = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 1.0), ("Ada", "Cleo", 1.0), ("Dan", "Ada", 0.0)]
TABLE = games(ROWS, time=[START, START + 1, START + 2, START + 3])


class Params(NamedTuple):
    """None."""


def wins(p, table, anchors):
    """The number of wins, known to within one."""
    won = np.bincount(table.a, table.score, len(table.players))
    won += np.bincount(table.b, 1.0 - table.score, len(table.players))
    for player, rating in anchors.items():
        won[player] = rating
    columns = {"rating": won, "deviation": np.ones(len(won))}
    sure = Normal(np.eye(len(won)))
    return Fit(
        columns,
        ("a note of the system",),
        {"total": float(won.sum())},
        sure,
        lambda count, seed, _: np.random.default_rng(seed).normal(won, 2.0, (count, len(won))),
    )


def likely(p, fit, a, b, side):
    """A fifth of the games is drawn."""
    lead = fit.columns["rating"][a] - fit.columns["rating"][b]
    return Chances(0.4 + 0.1 * lead + 0.05 * side, 0.2)


WINS = WholeTable("wins", Params(), ("rating", "deviation"), wins, likely, anchored=True)


@pytest.mark.parametrize("system", ["batch_elo", "keener", "map"])
def test_ratings_do_not_depend_on_the_number_of_cores(system):
    """Linear algebra adds in another order on two threads; a fit always takes one."""
    random = np.random.default_rng(3)
    a = random.integers(0, 700, 20_000)
    b = (a + random.integers(1, 700, len(a))) % 700
    players, score = [f"p{k:03}" for k in range(700)], random.integers(0, 2, len(a)).astype(float)
    table = Games(players, a.astype(np.uint32), b.astype(np.uint32), score)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(fit_table(table, prowess.systems()[system]).strength.tobytes())
    assert found[0] == found[1]


def test_ratings_like_any_other():
    """Leaderboard, rows, JSON and forecasts look as those of a dynamic system."""
    ratings = prowess.rate(TABLE, WINS)
    assert ratings.leaderboard().columns["player"] == ["Ada", "Ben", "Cleo", "Dan"]
    assert ratings.leaderboard().columns["rank"] == [1, 2, 3, 3]
    assert ratings["Ada"].rating == 3.0
    assert ratings["Ada"].low == pytest.approx(3.0 - 1.959963985)
    data = json.loads(ratings.to_json(1))
    assert data["system"] == "wins"
    assert data["figures"] == {"total": 4.0}
    assert (data["level"], data["reference"]) == (0.95, None)
    assert data["notes"] == ["a note of the system"]
    assert list(data["leaderboard"][0]) == [
        "rank", "player", "rating", "deviation", "low", "high", "rank_low", "rank_high", "games",
    ]  # fmt: skip
    assert "wins, 4 games, 4 players" in repr(ratings)


def test_forecasts_share_out_the_draws():
    """win + draw + loss = 1 and expected = win + draw / 2."""
    forecast = prowess.rate(TABLE, WINS).forecast("Ada", "Ben", 1.0)
    assert forecast.expected == pytest.approx(0.75)
    assert (forecast.win, forecast.draw, forecast.loss) == pytest.approx((0.65, 0.2, 0.15))


def test_level_and_reference():
    """Intervals have the level asked for and are about the player named."""
    ratings = fit_table(TABLE, WINS, level=0.5, reference="Ben")
    assert ratings["Ben"].deviation == 0.0
    assert ratings["Ada"].deviation == pytest.approx(np.sqrt(2.0))
    assert ratings["Ada"].high == pytest.approx(3.0 + 0.674489750 * np.sqrt(2.0))


def test_superiority_of_chosen_players():
    """Rows and columns in the order of the names given."""
    better = fit_table(TABLE, WINS).superiority(["Cleo", "Ada"])
    assert better.shape == (2, 2)
    assert better[1, 0] > 0.97
    assert better[0, 1] < 0.03
    with refused(UnknownPlayer, "unknown_player", about="Adam"):
        fit_table(TABLE, WINS).superiority(["Adam"])


def test_a_bootstrap_replaces_the_intervals():
    """The spread of the resamplings is shown, and the same seed gives the same numbers."""
    ratings = fit_table(TABLE, WINS)
    one, other = ratings.bootstrap(2000, seed=3), ratings.bootstrap(2000, seed=3)
    assert one.column("deviation") == pytest.approx([2.0] * 4, rel=0.1)
    assert np.array_equal(one.column("low"), other.column("low"))
    assert "2,000 resamplings" in one.notes[-1]
    with refused(Unratable, "too_few_resamplings"):
        ratings.bootstrap(1)


def test_games_after_the_day_do_not_count():
    """`as_of` leaves later games out."""
    assert fit_table(TABLE, WINS, as_of=START)["Ada"].rating == 1.0
    assert len(fit_table(TABLE, WINS, as_of=START).leaderboard()) == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"period": "7d"}, ("option_not_taken",)),
        ({"initial": {"Ada": {"rating": 1.0}}}, ("option_not_taken",)),
        ({"forecasts": True}, ("option_not_taken",)),
        ({"level": 95}, ("not_a_level",)),
        ({"k": 3}, ("unknown_setting", "k")),
    ],
)
def test_options_without_meaning_are_refused(options, words):
    """What a whole-table system would have to ignore is refused."""
    with refused(BadSetting, words[0], about=words[1:]):
        prowess.rate(TABLE, WINS, **options)


def test_a_dynamic_system_takes_no_anchors():
    """Nor a reference."""
    with refused(BadSetting, "option_not_taken", about="anchors"):
        prowess.rate(TABLE, "elo", anchors={"Ada": 1500.0})
    with refused(BadSetting, "option_not_taken", about="reference"):
        prowess.rate(TABLE, "elo", reference="Ada")


def test_anchors():
    """Anchors are named players with finite ratings, and not all of them."""
    assert fit_table(TABLE, WINS, anchors={"Ada": 7.0})["Ada"].rating == 7.0
    with pytest.raises(UnknownPlayer):
        fit_table(TABLE, WINS, anchors={"Eva": 7.0})
    with refused(Unratable, "anchor_not_finite"):
        fit_table(TABLE, WINS, anchors={"Ada": float("inf")})
    with refused(Unratable, "all_anchored"):
        fit_table(TABLE, WINS, anchors=dict.fromkeys(TABLE.players, 1.0))
    with refused(Unratable, "anchors_unknown"):
        fit_table(TABLE, replace(WINS, anchored=False), anchors={"Ada": 7.0})


def test_tables_that_a_system_cannot_read():
    """Ballots, weights and missing columns are refused with the remedy."""
    with refused(Unratable, "unreadable_kind", about="wins"):
        fit_table(contests([[("Ada", 1), ("Ben", 2)]]), WINS)
    weighted = TABLE.replace(weight=np.ones(4))
    with refused(Unratable, "weights_not_taken"):
        fit_table(weighted, replace(WINS, weights=False))
    with refused(Unratable, "column_needed", about="margin"):
        fit_table(TABLE, replace(WINS, needs=("margin",)))


def test_what_a_system_does_not_know_is_refused():
    """No interval, no superiority, no reference, no forecast, no history from nothing."""
    plain = replace(WINS, fit=lambda p, t, a: replace(wins(p, t, a), uncertainty=None))
    ratings = fit_table(TABLE, replace(plain, chances=None))
    assert "low" not in ratings.columns
    with refused(NoModel, "no_uncertainty", about="wins"):
        ratings.superiority()
    with refused(NoModel, "no_model", about="wins"):
        ratings.forecast("Ada", "Ben")
    with refused(NoModel, "no_uncertainty", about="reference"):
        fit_table(TABLE, plain, reference="Ada")
    with refused(Unratable, "not_continued", about="whole"):
        prowess.rate_on(ratings, TABLE)


def test_levels_rank_the_lowest_first():
    """A system may count levels from 1, the best."""
    ratings = fit_table(TABLE, replace(WINS, lowest_first=True))
    assert ratings.leaderboard().columns["player"][-1] == "Ada"
    assert ratings["Ada"].rank == 4


def test_an_order_of_its_own_ranks():
    """Where a fit has an order, it ranks and not the first column; equal ones share a rank."""
    places = np.array([1.0, 3.0, 3.0, 2.0])
    ratings = fit_table(
        TABLE, replace(WINS, fit=lambda p, t, a: replace(wins(p, t, a), order=places))
    )
    assert ratings.leaderboard().columns["player"] == ["Ben", "Cleo", "Dan", "Ada"]
    assert ratings.leaderboard().columns["rank"] == [1, 1, 3, 4]
    assert ratings["Ada"].rank == 4


def test_columns_the_table_says_nothing_about_may_be_left_out():
    """Only the first of the declared columns must be there."""
    ratings = fit_table(
        TABLE, replace(WINS, fit=lambda p, t, a: Fit({"rating": wins(p, t, a).columns["rating"]}))
    )
    assert ratings.fields == ("rating",)
    assert list(ratings.leaderboard().columns) == ["rank", "player", "rating", "games"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fit": lambda p, table: None}, ("wrong_arguments",)),
        ({"columns": "rating"}, ("columns_no_names",)),
        ({"reads": ("tables",)}, ("reads_nothing_known",)),
        ({"params": 3}, ("not_a_tuple", "NamedTuple")),
    ],
)
def test_incomplete_declarations(change, words):
    """What is missing is said to whoever writes a system."""
    with refused(BadSystem, words[0], about=words[1:]):
        check_system(replace(WINS, **change))


@pytest.mark.parametrize(
    ("fit", "words"),
    [
        (lambda p, t, a: 3, ("wrong_return", "Fit")),
        (lambda p, t, a: Fit({"deviation": np.ones(4)}), ("wrong_columns",)),
        (
            lambda p, t, a: Fit({"rating": np.ones(4)}, order=np.ones(3)),
            ("wrong_columns",),
        ),
        (lambda p, t, a: Fit({"rating": np.ones(3), "deviation": np.ones(4)}), ("wrong_columns",)),
    ],
)
def test_incomplete_fits(fit, words):
    """So is what a fit lacks."""
    with refused(BadSystem, words[0], about=words[1:]):
        fit_table(TABLE, replace(WINS, fit=fit))


def test_who_has_not_played_yet_is_not_asked_about():
    """Before Cleo's first game she is no anchor, no reference, no opponent and has no standing."""
    ratings = fit_table(TABLE, WINS, as_of=START)
    for ask in (
        lambda: ratings["Cleo"],
        lambda: ratings.forecast("Ada", "Cleo"),
        lambda: ratings.superiority(["Ada", "Cleo"]),
        lambda: fit_table(TABLE, WINS, as_of=START, reference="Cleo"),
        lambda: fit_table(TABLE, WINS, as_of=START, anchors={"Cleo": 7.0}),
    ):
        with refused(UnknownPlayer, "player_without_games", about="Cleo"):
            ask()
    assert ratings.superiority().shape == (2, 2)


@pytest.mark.parametrize(
    ("weight", "level", "kind", "code"),
    [
        (1e12, 0.95, Unratable, "sizes_too_far_apart"),
        (1e-12, 0.95, Unratable, "sizes_too_far_apart"),
        (1.0, 1.0 - 1e-16, BadSetting, "not_a_level"),
    ],
)
def test_sizes_past_the_limits_are_refused(weight, level, kind, code):
    """Weights whose sums would lose digits, and intervals that are everything, are refused."""
    table = TABLE.replace(weight=np.array([1.0, 1.0, 1.0, weight]))
    with refused(kind, code):
        fit_table(table, WINS, level=level)


def test_the_mean_is_a_reference_unless_somebody_is_called_so():
    """`mean` measures from the mean of who has played."""
    assert fit_table(TABLE, WINS, reference="mean")["Ada"].deviation == pytest.approx(np.sqrt(0.75))
    named = TABLE.replace(players=("mean", "Ben", "Cleo", "Dan"))
    assert fit_table(named, WINS, reference="mean")["mean"].deviation == 0.0
