"""The audit of votes: ranks and tiers, fragility, voters, categories, covariates, bad input."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.engine.fits.comparisons import Comparisons, fit_comparisons
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from prowess.present.arena import render_audit
from prowess.study.arena import cut_tiers, overtake, relate, tell_apart, weigh_votes
from prowess.study.voters import judge_voters, krippendorff_alpha, permutation_tails
from tests.cli.command import answered, prowess as run, refused as refused_command
from tests.refusals import refused

ROOT = Path(__file__).parents[2]
MODELS = np.array(["alpha", "beta", "gamma", "delta"])
TRUE = np.array([0.6, 0.2, -0.2, -0.6])


def draw_votes(count: int = 600, seed: int = 0, voters: int = 30, **more: Any) -> dict[str, Any]:
    """Votes on four models in the order of MODELS, by voters who all vote alike."""
    random = np.random.default_rng(seed)
    a = random.integers(0, 4, count)
    b = (a + random.integers(1, 4, count)) % 4
    score = (random.random(count) < 1.0 / (1.0 + np.exp(TRUE[b] - TRUE[a]))).astype(float)
    score[random.random(count) < 0.2] = 0.5
    voter = [f"v{k}" for k in random.integers(0, voters, count)]
    return {"a": MODELS[a], "b": MODELS[b], "score": score, "voter": voter} | more


# -- ranks --


def test_pairs_are_told_apart_by_their_covariance():
    """Gaps of 1.9, 2.1 and 4 deviations: one at a time, and three together by Holm."""
    rating, covariance = np.array([4.0, 2.1, 0.0]), np.eye(3) / 2.0  # a gap has deviation 1
    found = tell_apart(rating, covariance, np.inf, 0.95)
    assert found.marginal.tolist() == [[False, False, True], [False, False, True], [False] * 3]
    # two-sided p: 0.057, 0.036, 0.00006; Holm's: 0.072, 0.072, 0.0002
    assert found.holm.tolist() == [[False, False, True], [False] * 3, [False] * 3]
    # Tukey's studentised range of 3 without end of freedom: 3.3145 at 5 %, 2^1/2 2.3437; 2 steps on
    assert found.together.tolist() == found.holm.tolist()
    few = tell_apart(rating, covariance, 3.0, 0.95)  # Student's t of 3: 3.18
    assert few.marginal.sum() == 1


def test_a_tier_ends_before_who_is_told_from_its_first():
    """Neighbours who are not told apart stand in two tiers where the first of them is."""
    above = np.zeros((5, 5), dtype=bool)
    above[0, 2:] = True  # the third and later are told from the first, not from the second
    above[2, 4] = True
    assert cut_tiers(above).tolist() == [1, 1, 2, 2, 3]


def test_the_board_is_ordered_and_its_ranks_hold():
    """Ratings by points, intervals of both kinds, of which the simultaneous ones are wider."""
    audit = prowess.arena(draw_votes(4_000), voter="voter")
    board = audit.board
    assert list(board["player"]) == list(MODELS)
    assert np.mean(board["rating"]) == approx(1500.0)
    gaps = 400.0 / np.log(10.0) * -np.diff(TRUE)
    assert -np.diff(board["rating"]) == approx(gaps, abs=35.0)  # deviations are about 12
    assert (board["low"] < board["rating"]).all()
    assert (board["rating"] < board["high"]).all()
    assert (board["sure_rank_low"] <= board["rank_low"]).all()
    assert (board["sure_rank_high"] >= board["rank_high"]).all()
    assert board["tier"].tolist() == [1, 2, 3, 4]
    assert audit.findings[0] == "alpha is first, told apart from all others together."


@pytest.mark.parametrize(("players", "freedom", "bound"), [(3, np.inf, 3.314), (6, 20.0, 4.445)])
def test_the_largest_gap_is_that_of_tukey(players, freedom, bound):
    """Of equal players with one error each 5 % of largest gaps exceed the studentised range.

    Bounds: tables of the studentised range at 5 % (Harter, Annals of Math. Stat. 31 (1960) 1122).
    """
    for part, apart in ((0.97, 0), (1.03, 1)):
        rating = np.zeros(players)
        rating[0] = part * bound / 2.0
        rating[1] = -rating[0]
        found = tell_apart(rating, np.eye(players), freedom, 0.95)
        assert found.together.sum() == apart


def test_steps_tell_more_apart_than_one():
    """Beyond the first pair that is told apart the others are compared without it; Holm's too."""
    rating = np.array([10.0, 2.9, 0.0])
    found = tell_apart(rating, np.eye(3) / 2.0 * 1.7, np.inf, 0.95)
    # 2.9 / 1.7^1/2 = 2.22 deviations: beyond 1.96, the bound of the last pair, not beyond 2.34
    assert found.together[1, 2]
    assert found.holm[1, 2]


def test_resampled_voters_say_what_the_sandwich_says():
    """Intervals of a bootstrap of voters beside those by cluster, and pairs told apart by it."""
    votes = draw_votes(3_000, voters=60)
    audit = prowess.arena(votes, voter="voter", bootstrap=1_000)
    board = audit.board
    assert board["bootstrap_high"] - board["bootstrap_low"] == approx(
        board["high"] - board["low"], rel=0.12
    )
    told = dict(zip(audit.certainty["method"], audit.certainty["told_apart"], strict=True))
    assert told["all together, bootstrap"] == told["all together, max-t"] == 6
    again = prowess.arena(votes, voter="voter", bootstrap=1_000, blocks="voter").board
    assert again["bootstrap_low"].tolist() == board["bootstrap_low"].tolist()
    with refused(BadArgument, "blocks_without_bootstrap"):
        prowess.arena(votes, blocks="voter")


# -- fragility --


def fewest_by_trying(rows: Comparisons, first: int, most: int) -> int | None:
    """The least number of rows without which another is first, by fits without any of them."""
    for count in range(1, most + 1):
        for gone in combinations(range(len(rows)), count):
            keep = np.ones(len(rows), dtype=bool)
            keep[list(gone)] = False
            try:
                fit = fit_comparisons(rows.select(keep))
            except Unidentifiable:
                continue
            if int(fit.ratings.argmax()) != first:
                return count
    return None


@pytest.mark.parametrize("seed", [1, 3, 4, 8, 9, 10])
def test_fragility_is_that_of_trying_all(seed):
    """On tables of 20 votes with a covariate the fewest votes are those of trying all sets."""
    random = np.random.default_rng(seed)
    a = random.integers(0, 3, 20)
    b = (a + random.integers(1, 3, 20)) % 3
    score = (random.random(20) < 0.5 + 0.1 * (b - a)).astype(float)
    x = random.normal(size=(20, 1))
    rows = Comparisons(3, a, b, score, x, np.ones(20))
    fit = fit_comparisons(rows)
    first = int(fit.ratings.argmax())
    tried = [overtake(fit, first, rival, 19) for rival in range(3) if rival != first]
    found = min(len(one) for one in tried if one is not None)
    fewest = fewest_by_trying(rows, first, 2)
    assert found == fewest or (fewest is None and found > 2)


def test_votes_of_the_first_place_are_named():
    """Whatever the order and the rows left out: sides, result and date of the very votes."""
    votes = draw_votes(300, voters=12)
    days = [f"2024-{12 - k // 28:02d}-{k % 28 + 1:02d}" for k in range(300)]  # the newest first
    audit = prowess.arena(votes | {"date": days}, voter="voter")
    given = set(zip(votes["a"], votes["b"], votes["score"], days, votes["voter"], strict=True))
    listed = set(zip(*audit.deciding.columns.values(), strict=True))
    assert list(audit.deciding.columns) == ["player_a", "player_b", "score", "date", "voter"]
    assert len(listed) == audit.fragility.votes
    assert listed <= given


def test_votes_of_the_first_place_are_rows():
    """Without the rows that an audit names the rival is first."""
    votes = draw_votes(200, seed=2)
    found = prowess.arena(votes).fragility
    keep = [k for k in range(200) if k not in found.rows]
    rest = {name: np.asarray(column)[keep] for name, column in votes.items()}
    assert len(found.rows) == found.votes
    assert prowess.arena(rest).board["player"][0] == found.rival


# -- voters --


def test_a_planted_voter_is_found_and_nobody_else():
    """One of 50 voters votes at random: found in all of four leagues, without a false alarm."""
    for seed in range(4):
        random = np.random.default_rng([3, seed])
        true, voter = random.normal(0.0, 0.9, 10), np.repeat(np.arange(50), 150)
        a = random.integers(0, 10, 7_500)
        b = (a + random.integers(1, 10, 7_500)) % 10
        theta = np.where(np.arange(50) == 17, 0.0, 1.0)
        chance = 1.0 / (1.0 + np.exp(-theta[voter] * (true[a] - true[b])))
        score = (random.random(7_500) < chance).astype(float)
        rows = Comparisons(10, a, b, score, np.ones((7_500, 1)), np.ones(7_500))
        found = judge_voters(fit_comparisons(rows), voter, seed=seed)
        assert np.flatnonzero(found.bad(0.95)).tolist() == [17]
        assert found.theta[17] < found.theta.mean()


def test_a_diagnosis_checks_voters():
    """A voter who turns every vote round is a warning; voters alike are fine."""
    votes = draw_votes(2_000, voters=10)
    assert prowess.diagnose(votes, voter="voter")["voters"].severity == "fine"
    turned = np.where(np.array(votes["voter"]) == "v3", 1.0 - votes["score"], votes["score"])
    found = prowess.diagnose(votes | {"score": turned}, voter="voter")["voters"]
    assert found.severity == "warning"
    assert found.numbers["some"][0]["voter"] == "v3"
    assert found.numbers["some"][0]["theta"] < 0.0
    assert str(prowess.diagnose(votes, voter="none")) == str(prowess.diagnose(votes))
    with refused(Unratable, "column_not_kept"):
        prowess.diagnose(prowess.read_games(votes), voter="judge")


def test_side_bias_and_draws_are_habits():
    """A voter who prefers the first side by 2 is found so, and their draws are counted."""
    random = np.random.default_rng(4)
    true, voter = random.normal(0.0, 0.7, 6), np.repeat(np.arange(20), 300)
    a = random.integers(0, 6, 6_000)
    b = (a + random.integers(1, 6, 6_000)) % 6
    z = true[a] - true[b] + 2.0 * (voter == 5)
    score = (random.random(6_000) < 1.0 / (1.0 + np.exp(-z))).astype(float)
    score[(voter == 7) & (random.random(6_000) < 0.5)] = 0.5
    rows = Comparisons(6, a, b, score, np.ones((6_000, 1)), np.ones(6_000))
    found = judge_voters(fit_comparisons(rows), voter)
    assert found.side.argmax() == 5
    assert found.side_low[5] < 2.0 - 0.1 < found.side_high[5] + 0.1  # 0.1: the position of all
    assert found.draws[7] == approx((score[voter == 7] == 0.5).mean())
    assert found.draws[0] == 0.0


def test_permutations_are_exact_on_values_of_a_kind(monkeypatch):
    """One voter has 3 of 5 low values among 10: the tail is the hypergeometric 1 / 12 + ..."""
    monkeypatch.setattr("prowess.study.voters.PERMUTATIONS", 20_000)
    values = np.array([-1.0] * 3 + [1.0] * 2 + [-1.0] * 2 + [1.0] * 3)
    voter = np.array([0] * 5 + [1] * 5)
    found = permutation_tails(values, np.ones(10), voter, 2, seed=1)
    # P(at least 3 of 5 low ones in 5 of 10) = (C(5,3) C(5,2) + C(5,4) C(5,1) + 1) / C(10,5)
    assert found[0] == approx(126.0 / 252.0, abs=0.015)
    assert found[1] == approx(226.0 / 252.0, abs=0.015)  # at least 2


def test_agreement_is_krippendorffs_alpha():
    """The example of Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): 0.849."""
    rows = ("1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3",
            ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .")  # fmt: skip
    known = [(k, float(x)) for row in rows for k, x in enumerate(row.split()) if x != "."]
    item, value = np.array([k for k, _ in known]), np.array([x for _, x in known])
    assert krippendorff_alpha(item, value) == approx(0.849, abs=5e-4)
    assert krippendorff_alpha(np.arange(3), np.ones(3)) is None


def test_habits_of_voters_forecast_votes():
    """On votes of people on language models habits bring the three-way log loss to .94 or less."""
    votes = ROOT / "examples" / "llmfao_votes.csv.gz"
    audit = prowess.arena(votes, voter="worker", warn=False)
    loss = {one.test.name: one.scores.get("log_loss_3") for one in audit.forecasts}
    assert loss["habits of voters"] <= 0.94
    assert loss["draws by Davidson"] == approx(1.013, abs=0.002)  # `davidson` of compare: 1.0141
    assert loss["ratings, position"] is None


# -- covariates, weights, categories --


def test_length_is_taken_out():
    """The worst model writes the longest: without control it leads, with it the true order."""
    random = np.random.default_rng(6)
    a = random.integers(0, 3, 4_000)
    b = (a + random.integers(1, 3, 4_000)) % 3
    size = np.array([100.0, 250.0, 640.0])
    length_a, length_b = (np.round(size[k] * random.lognormal(0.0, 0.6, 4_000)) for k in (a, b))
    true = np.array([0.4, 0.0, -0.4])
    z = true[a] - true[b] + 1.5 * (length_a - length_b) / (length_a + length_b)
    score = (random.random(4_000) < 1.0 / (1.0 + np.exp(-z))).astype(float)
    votes = {"a": MODELS[a], "b": MODELS[b], "score": score, "len_a": length_a, "len_b": length_b}
    audit = prowess.arena(votes, control="len")
    assert list(audit.board["player"]) == ["alpha", "beta", "gamma"]
    assert audit.board["rank_without"].tolist() == [3, 2, 1]
    assert list(audit.effects["covariate"]) == ["position", "len"]
    assert 1.16 <= audit.effects["coefficient"][1] <= 1.8
    assert [one for one in audit.findings if one.startswith("The effect of len is +")]


def test_relative_differences():
    """(a - b) / (a + b), 0 where both are 0, and plain differences where some are negative."""
    a, b = np.array([3.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0])
    assert relate(a, b).tolist() == [0.5, 0.0, 0.0]
    assert relate(a - 4.0, b).tolist() == [-2.0, -4.0, -4.0]


def test_categories_are_contrasts():
    """Words of either side are contrasts with the first of them, words of a row of the position."""
    random = np.random.default_rng(7)
    votes = draw_votes(500)
    form = np.array(["list", "prose"])
    more = {"form_a": form[random.integers(0, 2, 500)], "form_b": form[random.integers(0, 2, 500)],
            "task": np.array(["code", "chat"])[(random.random(500) < 0.7).astype(int)]}  # fmt: skip
    audit = prowess.arena(votes | more, control=["form", "task"])
    names = ["position", "form: prose", "position, task: code"]
    assert list(audit.effects["covariate"]) == names


def test_pairs_count_alike():
    """With balanced pairs the votes of each pair weigh the same, 1 on average."""
    games = prowess.read_games(draw_votes(300))
    weight = weigh_votes(games, "pairs")
    low, high = np.minimum(games.a, games.b), np.maximum(games.a, games.b)
    _, pair = np.unique(low * 10 + high, return_inverse=True)
    assert np.bincount(pair, weight) == approx(300.0 / 6.0)


def test_a_category_that_differs_is_found():
    """Ratings are turned round in one of four categories; in a table without that none differs."""
    votes = draw_votes(3_000, seed=8)
    task = np.random.default_rng(9).integers(0, 4, 3_000)
    words = np.array(["chat", "code", "maths", "prose"])[task]
    plain = prowess.arena(votes | {"task": words}, by="task").category_tests
    assert plain is not None
    assert min(plain["adjusted"]) > 0.05
    turned = np.where(task == 2, 1.0 - votes["score"], votes["score"])
    audit = prowess.arena(votes | {"task": words, "score": turned}, by="task")
    tests, boards = audit.category_tests, audit.categories
    assert tests is not None
    assert boards is not None
    chance = dict(zip(tests["category"], tests["adjusted"], strict=True))
    assert chance["maths"] < 1e-6
    first = {row["category"]: row["player"] for row in boards if row["rank"] == 1}
    assert first == {"chat": "alpha", "code": "alpha", "maths": "delta", "prose": "alpha"}


def test_draws_and_forecasts_are_judged_by_folds():
    """Models that know the players forecast better than the base rate, by votes and by voters."""
    audit = prowess.arena(draw_votes(2_000), voter="voter")
    names = [entry.test.name for entry in audit.forecasts]
    assert names[-1] == "base_rate"
    assert "draws by Davidson" in names
    assert audit.forecasts_by_voter is not None
    assert [entry.test.name for entry in audit.forecasts_by_voter][-1] == "base_rate"
    assert audit.draws["draws"][0] == "draws as halves"
    assert audit.draws["moved"][0] == 0


@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_one_drawn_vote_is_audited(ridge):
    """In the fold without the draw no chance of draws is known: these treatments are left out."""
    score = [1, 1, 0, 0, 1, 0.5, *[1, 1, 0, 0, 1, 1] * 9]
    votes = {"a": ["A", "B", "C"] * 20, "b": ["B", "C", "A"] * 20, "score": score}
    audit = prowess.arena(votes, ridge=ridge)
    assert list(audit.draws["draws"]) == ["draws as halves", "draws left out"]
    assert sum("no forecasts with draws by" in note for note in audit.notes) == 2


def test_votes_that_are_needed_shrink_with_the_gap():
    """Four times the votes for half the gap: (1.96 + 0.84)^2 / gap^2 less those that are there."""
    audit = prowess.arena(draw_votes(600))
    for row in audit.needed:
        assert row["further_votes"] >= 0.0
        if row["further_votes"] > 0.0:
            assert row["z"] < 1.96 + 0.8417
    told = list(prowess.arena(draw_votes(20_000)).needed)
    assert all(row["further_votes"] == 0.0 and row["sure_at_any_time"] for row in told)


# -- what cannot be audited --


@pytest.mark.parametrize(
    ("changes", "keywords", "kind", "code"),
    [
        ({"voter": ["u"] * 600}, {"voter": "voter"}, Unidentifiable, "one_cluster"),
        ({}, {"voter": "voter", "control": "voter"}, BadArgument, "control_is_cluster"),
        ({"size": [3] * 600}, {"control": "size"}, Unidentifiable, "constant_covariate"),
        ({"size": ["big"] * 600}, {"control": "size"}, Unidentifiable, "constant_covariate"),
        ({"size": ["big"] * 600}, {"by": "size"}, Unidentifiable, "one_category"),
        (
            {"voter": ["u"] * 600},
            {"blocks": "voter", "bootstrap": 9},
            Unidentifiable,
            "one_cluster",
        ),
        ({}, {"bootstrap": 1}, BadArgument, "not_a_count"),
        ({"score": [0.5] * 600}, {}, Unratable, "all_drawn"),
        ({}, {"ridge": "loose"}, BadArgument, "not_a_number"),
        ({}, {"ridge": -1.0}, BadArgument, "ridge_out_of_range"),
        ({}, {"ridge": 1e300}, BadArgument, "ridge_out_of_range"),
        ({}, {"control": "nothing"}, prowess.BadData, "no_such_column"),
    ],
)
def test_bad_votes_are_refused(changes, keywords, kind, code):
    """One voter, a constant column, draws alone, a negative ridge, a column that is not there."""
    with refused(kind, code):
        prowess.arena(draw_votes() | changes, **keywords)


def test_a_covariate_that_tells_every_result_is_named():
    """Its effect has no end; under a ridge of the ratings it has none either."""
    votes = draw_votes()
    sure = (2.0 * votes["score"] - 1.0) * np.random.default_rng(3).uniform(0.1, 9.0, 600)
    for ridge in (0.0, 1.0):
        with refused(Unidentifiable, "separated", about="leave margin_of_votes out"):
            prowess.arena(votes | {"margin_of_votes": sure}, control="margin_of_votes", ridge=ridge)


def test_groups_that_never_met_need_a_ridge():
    """Two pairs that never met are refused, and compared under a prior."""
    votes = {"a": ["x", "p"] * 15, "b": ["y", "q"] * 15, "score": [1, 0, 0, 1, 1] * 6}
    with refused(Unidentifiable, "groups_apart"):
        prowess.arena(votes)
    assert len(prowess.arena(votes, ridge=1.0).board) == 4


def test_a_fitted_ridge_lets_facts_of_players_be_covariates():
    """Random effects: the size of a model, which no fit of its own rating tells apart, has a slope.

    20 players are worth 0.8 of their size and N(0, 0.3) beside it.
    """
    random = np.random.default_rng(11)
    size = random.normal(size=20)
    true = 0.8 * size + random.normal(0.0, 0.3, 20)
    a = random.integers(0, 20, 6_000)
    b = (a + random.integers(1, 20, 6_000)) % 20
    score = (random.random(6_000) < 1.0 / (1.0 + np.exp(true[b] - true[a]))).astype(float)
    names = np.array([f"m{k}" for k in range(20)])
    votes = {"a": names[a], "b": names[b], "score": score, "size_a": size[a], "size_b": size[b]}
    with refused(Unidentifiable, "collinear"):
        prowess.arena(votes, control="size")
    audit = prowess.arena(votes, control="size", ridge="fitted")
    assert audit.effects["coefficient"][1] == approx(0.8, abs=3 * 0.3 / 20**0.5)
    assert "drawn from a normal distribution" in audit.notes[0]


def test_an_unbeaten_player_is_held_by_firths_correction():
    """A player who won all votes has a finite rating, and a note says how."""
    votes = draw_votes(300)
    won = np.where(votes["a"] == "alpha", 1.0, np.where(votes["b"] == "alpha", 0.0, votes["score"]))
    audit = prowess.arena(votes | {"score": won}, voter=None)
    assert audit.board["player"][0] == "alpha"
    assert np.isfinite(audit.board["rating"]).all()
    assert audit.notes[0].startswith("Firth's correction")


def test_a_table_of_winners_has_no_position():
    """Where the first column is the winner, position would tell every result."""
    votes = draw_votes(300)
    first = votes["score"] >= 0.5
    table = {"winner": np.where(first, votes["a"], votes["b"]),
             "loser": np.where(first, votes["b"], votes["a"])}  # fmt: skip
    audit = prowess.arena(table)
    assert len(audit.effects) == 0
    assert "position is left out" in " ".join(audit.notes)
    by_language = table | {"language": ["en", "de", "fr"] * 100}
    assert len(prowess.arena(by_language, control="language").effects) == 0
    assert prowess.arena(table, ridge=1.0).board["player"][0] == audit.board["player"][0]


def test_an_unbeaten_player_of_a_table_of_winners_is_first():
    """Firth's correction holds the unbeaten; position, which tells every result, is dropped."""
    winners = ["A", "A", "B", "C", "B"] * 12 + ["D", "D"]
    losers = ["B", "B", "A", "A", "C"] * 12 + ["A", "B"]
    audit = prowess.arena({"winner": winners, "loser": losers})
    assert audit.board["player"][0] == "D"
    assert len(audit.effects) == 0


def test_a_covariate_named_like_position_is_refused():
    """What follows from the players is refused, whatever its name."""
    votes = draw_votes()
    place = {name: k for k, name in enumerate(MODELS)}
    apart = [place[a] - place[b] for a, b in zip(votes["a"], votes["b"], strict=True)]
    with refused(Unidentifiable, "collinear"):
        prowess.arena(votes | {"position_bias": apart}, control="position_bias")


# -- columns of the table --


def test_a_heading_tells_the_voters():
    """`annotator_id` is taken for the voters, with a note, unless another option has it or none."""
    votes = draw_votes()
    votes["annotator_id"] = votes.pop("voter")
    rows = [dict(zip(votes, row, strict=True)) for row in zip(*votes.values(), strict=True)]
    audit, named = prowess.arena(iter(rows)), prowess.arena(votes, voter="annotator_id")
    assert audit.voters is not None
    assert audit.board["deviation"].tolist() == named.board["deviation"].tolist()
    assert any("column annotator_id" in one for one in audit.notes)
    assert prowess.arena(votes, voter="none").voters is None
    assert prowess.arena(votes, by="annotator_id").voters is None  # it is that of categories
    assert prowess.arena(votes | {"annotator_id": ["one"] * 600}).voters is None
    read = prowess.read_games(votes, facts="annotator_id", warn=False)
    assert prowess.arena(read).voters is not None
    others = {name: one for name, one in votes.items() if name != "annotator_id"}
    about = votes["annotator_id"]
    assert prowess.arena(others | {"subject": about}).voters is None  # what a vote is about
    assert prowess.arena(others | {"subject_id": about}).voters is not None
    of_users = {"user": votes["a"], "opponent": votes["b"], "score": votes["score"]}
    assert prowess.arena(of_users).voters is None  # they are players


def test_votes_without_a_voter_are_left_out_by_the_heading():
    """The remedy names the column as the table does, and works."""
    votes = draw_votes()
    votes["annotator_id"] = ["", *votes.pop("voter")[1:]]
    assert any(
        "(--exclude annotator_id=): 1 have none" in one for one in prowess.arena(votes).notes
    )
    assert prowess.arena(votes, exclude={"annotator_id": ""}).voters is not None


def test_players_of_one_voter_are_named():
    """Where one voter alone saw a player, clusters have no scatter: a wide interval, and a note."""
    votes = draw_votes(900)
    seen = (votes["a"] == "delta") | (votes["b"] == "delta")
    voter = np.where(seen, "v0", np.array(votes["voter"]))
    audit = prowess.arena(votes | {"voter": voter})
    plain = prowess.arena(votes, voter=None)
    assert any("delta" in one and "rough" in one for one in audit.notes)
    last = [list(one.board["player"]).index("delta") for one in (audit, plain)]
    widths = [
        one.board["high"][k] - one.board["low"][k]
        for one, k in zip((audit, plain), last, strict=True)
    ]
    assert widths[0] > widths[1]


def test_large_numbers_of_voters_stay_apart():
    """Voters with numbers from a million on, and beyond 2**53, each have a row of their own."""
    votes = draw_votes(voters=10)
    for base in (1_000_000, 10**17):
        names = [str(base + int(name[1:])) for name in votes["voter"]]
        audit = prowess.arena(votes | {"voter": names}, voter="voter")
        assert audit.voters is not None
        assert set(audit.voters["voter"]) == set(names)


def test_a_column_named_as_one_of_the_table_is_a_fact(tmp_path):
    """Round, length, weight or margin may be a covariate, a voter or a category like any other."""
    votes = draw_votes()
    numbers = np.random.default_rng(1).integers(1, 4, 600)
    for name in ("round", "length", "weight", "margin"):
        table = votes | {name: numbers}
        assert prowess.arena(table, control=name).effects["covariate"][1] == name
        audit = prowess.arena(table, by=name, voter=name)
        assert audit.category_tests is not None
        assert list(audit.category_tests["category"]) == ["1", "2", "3"]
    sides = votes | {"length_a": numbers, "length_b": numbers[::-1]}
    assert prowess.arena(sides, control="length").effects["covariate"][1] == "length"
    found = prowess.diagnose(votes | {"round": numbers}, voter="round")["voters"]
    assert found.numbers["voters"] == 3
    read = prowess.read_games(votes | {"round": numbers}, warn=False)
    assert prowess.arena(read, by="round").category_tests is not None


def test_columns_are_found_in_a_single_reading():
    """Covariates of both sides in results that can be read only once."""
    votes = draw_votes(voters=9) | {"size_a": [1, 2, 3] * 200, "size_b": [2, 2, 1] * 200}
    rows = [dict(zip(votes, row, strict=True)) for row in zip(*votes.values(), strict=True)]
    audit = prowess.arena(iter(rows), control="size")
    assert list(audit.effects["covariate"]) == ["position", "size"]


def test_an_absent_column_is_named_by_its_option():
    """The option that asked for the column, not facts=."""
    votes = draw_votes()
    with refused(prowess.BadData, "no_such_column", about=("voter= (--voter)", "nope")):
        prowess.diagnose(votes, voter="nope")
    with refused(prowess.BadData, "no_such_column", about=("by= (--by)", "nope")):
        prowess.arena(votes, by="nope")


# -- the verb --


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Votes as a CSV."""
    path = tmp_path_factory.mktemp("arena") / "votes.csv"
    votes = draw_votes(400)
    names = list(votes)
    rows = zip(*votes.values(), strict=True)
    path.write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]))
    return str(path)


def test_the_verb_says_what_the_library_says(file):
    """JSON of the verb equals that of the value; the text begins with the findings."""
    data = json.loads(answered("arena", file, "--voter", "voter", "--json"))
    audit = prowess.arena(file, voter="voter")
    assert data["findings"] == list(audit.findings)
    assert data["board"] == json.loads(audit.to_json())["board"]
    assert answered("arena", file).startswith(audit.board["player"][0])


def test_the_page_has_its_numbers_as_files(file, tmp_path):
    """Each section is there, and the download of the board is its CSV."""
    from base64 import b64decode
    from re import search

    page = tmp_path / "page.HTML"
    assert run("arena", file, "--voter", "voter", "-o", str(page)).returncode == 0
    text = page.read_text("utf-8")
    for heading in ("Who is best", "Is the first place solid?", "Are the voters good?"):
        assert heading in text
    found = search(r'download="board.csv" href="data:text/csv;base64,([^"]+)"', text)
    assert found is not None
    audit = prowess.arena(file, voter="voter")
    assert b64decode(found[1]).decode() == audit.board.to_csv()
    assert render_audit(audit, "Arena: votes") == text  # the same votes give the same page
    votes = search(r'download="votes-of-the-first-place.csv" href="data:[^,]+,([^"]+)"', text)
    assert votes is not None
    assert b64decode(votes[1]).decode() == audit.deciding.to_csv()


def test_options_of_one_form(file):
    """A title is for a page; a file and --json are two forms."""
    assert "--title" in refused_command(2, "arena", file, "--title", "Ours")
    assert "--clusters" in refused_command(
        3, "rate", file, "--system", "bradley_terry", "--clusters", "nope"
    )
    assert "--json" in refused_command(2, "arena", file, "--json", "-o", "x.html")
    assert "--by" in refused_command(2, "arena", file, "-o", "folder")


def test_a_folder_has_a_page_for_each_category(tmp_path):
    """`--by COLUMN -o FOLDER`: all votes, and each category that has votes enough; others noted."""
    votes = draw_votes(300, voters=9)
    tasks = ["chat"] * 200 + ["code"] * 90 + ["maths"] * 10
    rows = zip(*votes.values(), tasks, strict=True)
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["a,b,score,voter,task", *(",".join(map(str, row)) for row in rows)]))
    folder = tmp_path / "pages"
    done = run("arena", str(path), "--by", "task", "-o", str(folder))
    assert done.returncode == 0
    assert "no page of maths: give 20 votes or more" in done.stderr
    assert {one.name for one in folder.glob("*.html")} == {
        "index.html",
        "chat-1.html",
        "code-2.html",
    }
    assert 'href="code-2.html"' in (folder / "chat-1.html").read_text("utf-8")
