"""What was planted in a league is found, and a league without fault is left in peace.

How often in 100 leagues stands in docs/diagnose.md; here each kind is tried once or twice.
"""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import settings
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from prowess.study.diagnosis.anomalies import thinnest
from prowess.study.diagnosis.diagnose import CHECKS, diagnose
from prowess.study.diagnosis.history import ESTABLISHED, replay_league
from prowess.study.diagnosis.trends import step_of
from prowess.systems.catalogue import find
from tests.engine.tables import games
from tests.refusals import refused
from tests.study.diagnosis_leagues import (
    CLEAN,
    PLANTED,
    bogey,
    closed,
    diagnosed,
    doubled,
    fed,
    growing_side,
    league,
    learnt,
    speaking,
    two_pools,
)

LARGE = {"normal curve", "timesharing curve", "learning and leaving", "large differences, k = 8"}


def named(kinds):
    """Names of leagues; those of many games are marked as slow."""
    return [pytest.param(k, marks=pytest.mark.slow) if k in LARGE else k for k in kinds]


@pytest.mark.parametrize("name", named(CLEAN))
def test_clean_leagues_are_left_in_peace(name):
    """Nothing but advice on constants is said of a league that has no fault."""
    make, params = CLEAN[name]
    found = diagnosed(make(1), **params)
    assert [one.says for one in found if one.severity != "fine" and not one.advice] == []
    assert len(found.findings) >= 14


@pytest.mark.parametrize("name", named(PLANTED))
def test_what_was_planted_is_found(name):
    """Every planted fault is named by the check that looks for it."""
    make, params, wanted = PLANTED[name]
    assert set(wanted) & speaking(diagnosed(make(1), **params))


def test_ratings_are_those_of_the_history():
    """Ratings before and after every game are those that the history of a player tells."""
    table = league(2, games=400, players=12, draws=0.3)
    system = find("glicko")
    whole = replay_league(table, system)
    from prowess.engine.rate import rate

    told = rate(table, system).history(table.players[3])
    mine = whole.appearances.player == 3
    assert whole.appearances.before[mine] == approx([step.before for step in told])
    assert whole.appearances.after[mine] == approx([step.after for step in told])
    assert whole.appearances.age[mine].tolist() == list(range(len(told)))
    assert whole.appearances.row[mine].tolist() == [step.row for step in told]


def test_judged_games_are_of_established_players():
    """A game counts after the warm-up, and when both have enough games, by plain counting."""
    table = league(3, games=900, players=12)
    whole = replay_league(table, find("elo"))
    count = np.zeros(12, int)
    for row, (a, b) in enumerate(zip(table.a, table.b, strict=True)):
        old = min(count[a], count[b]) >= ESTABLISHED and row >= 0.2 * len(table)
        assert bool(whole.judged[row]) == old
        count[[a, b]] += 1
    assert whole.judged.any()


@pytest.mark.parametrize(
    ("name", "params", "h"),
    [
        ("elo", {"k": 20.0}, 40.0),
        ("smith", {"h": 50.0}, 50.0),
        ("smith_by_games", {}, None),  # its h falls with the games
        ("glicko", {}, None),
    ],
)
def test_the_step_is_read_off_the_system(name, params, h):
    """Elo's h is 2 K; a system without a constant step has none."""
    found = step_of(replay_league(league(1, games=50, players=5), find(name), params=params))
    assert (found and found.h) == (h and approx(h))


def test_noise_is_what_theory_expects():
    """A league of constant strengths shows the noise of h / 4 Q, within the interval it states."""
    table = league(4, games=40_000, players=100, spread=150)
    numbers = diagnosed(table, k=24.0)["noise of ratings"].numbers
    assert numbers["expected"] == approx((48.0 / (4 * np.log(10) / 400)) ** 0.5, rel=0.03)
    assert numbers["measured"] == approx(numbers["expected"], rel=0.08)  # 3 to 5 % by large h
    assert numbers["drift"] < 2.0


def test_a_walk_is_told_from_noise():
    """A walk of 12 points a root of a day, 1.8 games each day, is measured beside the noise."""
    numbers = diagnosed(league(5, games=40_000, players=60, drift=12, days=365))[
        "noise of ratings"
    ].numbers
    games_a_day = 2 * 40_000 / 60 / 365
    assert numbers["drift"] == approx(12 / games_a_day**0.5, rel=0.25)
    assert numbers["measured"] == approx(numbers["expected"], rel=0.15)


def test_matched_inflation_in_points():
    """Ratings of the same people rise by what they learnt, as far as points can be had."""
    found = diagnosed(learnt(2))["matched inflation"].numbers
    assert 0.2 * 0.5 * 365 < found["slope"] < 0.5 * 365  # 0.5 points a day were learnt


def test_pools_are_cut_where_they_were_joined():
    """The thinnest bridge between two leagues is the ten games that were put there."""
    table = two_pools(3)
    bridge = thinnest(replay_league(table, find("elo")))
    assert bridge is not None
    assert bridge.across == 10
    inside = {name for name, here in zip(table.players, bridge.inside, strict=True) if here}
    assert {name.startswith("x") for name in inside} in ({True}, {False})
    assert len(inside) == 50
    # ten games among equals or so: 174 / sqrt(10 / 4) = 110 points at best
    assert bridge.deviation == approx(110.0, rel=0.3)


def test_the_feeder_is_named():
    """The pair that met too often is named, with its games and those that chance would make."""
    table = fed(1)
    worst = diagnosed(table)["repeated pairs"].numbers["worst"][0]
    assert ({worst["player"], worst["opponent"]}, worst["games"]) == ({"Ada", "Ben"}, 60)
    # by plain counting: in each of 16 spans, games of Ada times games of Ben by twice all games
    assert table.time is not None
    span = np.minimum(16 * (table.time - table.time[0]) // np.ptp(table.time), 15)
    names = np.array(table.players)
    one, other = names[table.a], names[table.b]
    expected = 0.0
    for k in range(16):
        here = span == k
        ada, ben = (((one == who) | (other == who))[here].sum() for who in ("Ada", "Ben"))
        expected += ada * ben / (2.0 * here.sum())
    assert worst["expected"] == approx(expected, rel=0.05)  # nobody meets himself: 1 % more


def test_who_takes_from_whom():
    """Of a pair in which always the same one wins, he is named as the one who takes."""
    worst = diagnosed(bogey(1))["points from one opponent"].numbers["worst"][0]
    assert (worst["player"], worst["opponent"]) == ("P001", "P002")
    assert worst["surplus"] > 10.0
    assert worst["points"] == approx(32.0 * worst["surplus"], rel=0.01)  # K = 32


def half_turned(table):
    """The same games, every other row naming its players the other way round."""
    other = np.arange(len(table)) % 2 == 0
    return table.replace(
        a=np.where(other, table.b, table.a),
        b=np.where(other, table.a, table.b),
        score=np.where(other, 1.0 - table.score, table.score),
        side=np.where(other, -table.side, table.side),
    )


def test_a_row_the_other_way_round_is_the_same_row():
    """A game that stands twice is found also where it names the players the other way."""
    assert diagnosed(half_turned(doubled(1)))["duplicated rows"].numbers["rows"] == 20


def test_a_table_that_holds_every_row_twice():
    """Rows that all stand twice are found: games of their own would differ now and then."""
    table = closed(1)
    rows = np.repeat(np.arange(len(table)), 2)
    found = diagnosed(table.select(rows))["duplicated rows"]
    assert found.severity == "warning"
    assert found.numbers["rows"] == len(table)


def test_a_side_that_grows_whoever_is_named_first():
    """A growing advantage is measured in points, also where the second player has it."""
    found = diagnosed(half_turned(growing_side(2)))["side advantage over time"].numbers
    # 120 points over the whole, of which the last 80 % are judged; two tables of other strengths
    # are mixed, so that a rating says less, which the advantage does not feel
    assert found["low"] < 0.8 * 120.0 < found["high"]
    assert found["high"] - found["low"] < 80.0


def test_names_and_order_of_rows_do_not_matter():
    """Renamed players, and sides written the other way round, get the same diagnosis."""
    table = league(6, games=4000, players=40, draws=0.2)
    assert table.side is not None
    turned = table.replace(players=[f"Q{name}" for name in table.players], a=table.b, b=table.a,
        score=1.0 - table.score, side=-table.side,
    )  # fmt: skip
    one, other = diagnosed(table), diagnosed(turned)
    assert [f.severity for f in one] == [f.severity for f in other]
    for name in ("residuals by gap", "noise of ratings", "side advantage", "inflation"):
        assert one[name].p == approx(other[name].p, rel=1e-6)


def test_same_seed_same_answer():
    """A diagnosis is the same each time it is made."""
    table = league(7, games=3000, players=30)
    assert diagnosed(table).as_dict() == diagnosed(table).as_dict()


def test_every_check_answers_or_says_why_not():
    """Each check stands among the findings or among those left out, with a reason."""
    names = {check.name for check in CHECKS}
    for table in (closed(1), league(1, games=30, players=10)):
        found = diagnose(table, find("elo"))
        assert {one.name for one in found} | {one.name for one in found.skipped} == names
        assert all(one.why for one in found.skipped)


def test_small_tables_are_not_judged():
    """A handful of games makes no accusation, and no error."""
    few = games([("A", "B", 1.0), ("B", "C", 0.5), ("C", "A", 0.0)])
    assert speaking(diagnosed(few)) == set()
    always = diagnosed(games([("A", "B", 1.0)] * 500))
    assert [one.name for one in always if one.severity != "fine" and not one.advice] == []


def test_refusals():
    """whole-table systems and impossible levels are refused with a reason."""
    from prowess.games.games import Games

    contests = Games(["A", "B"], start=np.array([0, 2]), player=np.array([0, 1], np.uint32),
                     place=np.array([1.0, 2]))  # fmt: skip
    with refused(Unratable, "no_duels"):
        diagnose(contests, find("elo"))
    with refused(Unratable, "not_followed"):
        diagnose(closed(1), find("bradley_terry"))
    with refused(BadArgument, "not_a_level"):
        diagnose(closed(1), find("elo"), level=5.0)


def test_systems_of_other_kinds():
    """Systems with deviations, other curves or ratios are diagnosed too."""
    table = league(8, games=5000, players=50)
    for name, params in (
        ("glicko2", {}),
        ("normal_elo", {}),
        ("ratio_elo", {"k": 2}),
        ("arimaa", {}),
    ):
        found = diagnosed(table, name, **params)
        assert {one.name for one in found} >= {"isolated pools", "sudden jumps", "residuals by gap"}
    by_shares = diagnosed(table, "ratio_elo", k=2)
    assert "form of the curve" in {one.name for one in by_shares.skipped}


def test_levels_are_honoured():
    """What is significant at 5 % but not at one in a million is not said at the latter."""
    make, params, _ = PLANTED["another in the chair"]
    table, system = make(1), find("elo")
    assert settings(system, params)
    assert diagnose(table, system, level=0.05)["sudden jumps"].severity == "warning"
    assert diagnose(table, system, level=1e-6)["sudden jumps"].severity == "fine"
