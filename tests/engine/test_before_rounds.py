"""What happens between two rounds: facts of players change, seasons begin. Ratings by hand and by a
fold that shares nothing with the engine.
"""

from __future__ import annotations

import json
import pickle
import random
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prowess
from prowess.engine.check import check_system
from prowess.engine.streams.rate_stream import StreamRun, rate_stream
from prowess.engine.system import BadSystem, Unratable
from prowess.games.arguments import BadArgument
from prowess.games.errors import BadData
from prowess.study.forecasting.performance import assess_game
from prowess.systems.catalogue import find
from prowess.systems.elo import FEDERATION_ELO, SEASON_ELO, FederationRating, Rating
from tests.engine.pieces import Stopped, TablePieces
from tests.refusals import refused

NAMES = [f"p{number}" for number in range(12)]
FIRST = date(2019, 3, 4)
K, NEW, YOUNG = 20.0, 40.0, 18


def make_games(count: int = 400, seed: int = 5) -> list[dict[str, Any]]:
    """Games of two years and a half, a season a summer, in the order of their days."""
    draw = random.Random(seed)
    days = sorted(draw.randrange(900) for _ in range(count))
    rows = []
    for day in days:
        a, b = draw.sample(NAMES, 2)
        when = FIRST + timedelta(day)
        season = when.year - (when.month < 7)
        rows.append(
            {"date": str(when), "a": a, "b": b, "score": draw.choice([0, 0.5, 1]), "season": season}
        )
    return rows


FACTS = [
    {"player": "p0", "date": "", "born": "2001", "k": ""},
    {"player": "p1", "date": "", "born": "2002-11-30", "k": "10"},
    {"player": "p1", "date": "2020-05-01", "born": "", "k": "35.5"},
    {"player": "p2", "date": "2019-12-24", "born": "", "k": "16"},
    {"player": "nobody", "date": "", "born": "1960", "k": "1"},
]


def fold_facts(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Elo with the K that each player has on the day of a game."""
    ratings = dict.fromkeys(NAMES, 1500.0)

    def k_of(name: str, day: str) -> float:
        k, born = 0.0, 0
        for fact in FACTS:
            if fact["player"] == name and fact["date"] <= day:
                k = float(fact["k"] or k)
                born = int(fact["born"][:4] or born)
        return k or (NEW if born and int(day[:4]) - born <= YOUNG else K)

    for row in rows:
        a, b, day = row["a"], row["b"], row["date"]
        gained = row["score"] - 1.0 / (1.0 + 10.0 ** ((ratings[b] - ratings[a]) / 400.0))
        ratings[a] += k_of(a, day) * gained
        ratings[b] -= k_of(b, day) * gained
    return ratings


def rate_federation(games: Any, **options: Any) -> Any:
    return prowess.rate(games, "federation_elo", k=K, k_new=NEW, young_age=YOUNG, **options)


def test_facts_hold_from_their_day():
    """The K of every game is that of the player on its day; age counts calendar years."""
    rows = make_games()
    found, expected = rate_federation(rows, player_facts=FACTS), fold_facts(rows)
    assert [found[name].rating for name in NAMES] == pytest.approx([*expected.values()], abs=1e-8)


@pytest.mark.parametrize("system", ["federation_elo", "season_elo"])
def test_batch_stream_plain_and_further_games_agree(system: str, tmp_path: Path):
    """Ratings are the same bits in one piece, many, compiled or not, and played on."""
    rows, file = make_games(), tmp_path / "games.csv"
    columns = ["date", "a", "b", "score", "season"]
    lines = [",".join(columns), *(",".join(str(row[name]) for name in columns) for row in rows)]
    file.write_text("\n".join(lines) + "\n")
    beside: dict[str, Any] = {"season": "season", "player_facts": FACTS}
    params = {"young_age": YOUNG} if system == "federation_elo" else {"keep": 0.6}
    batch = prowess.rate(file, system, params=params, compiled=False, **beside)
    whole = np.array([batch[name].rating for name in NAMES])
    others = [
        prowess.rate(file, system, params=params, compiled=True, **beside),
        prowess.rate(file, system, params=params, memory="1GB", **beside),
        prowess.rate_on(
            prowess.rate(rows[:150], system, params=params, **beside), rows[150:], **beside
        ),
        prowess.rate_on(
            prowess.rate(rows[:1], system, params=params, **beside), rows[1:], **beside
        ),
    ]
    table = prowess.read_games(rows, **beside)
    others += [
        rate_stream(TablePieces(table, cuts), find(system), params=params)
        for cuts in ((1, 2, 3, 50, 51, 399), range(7, 400, 7))
    ]
    dying = TablePieces(table, range(20, 400, 20))
    dying.most = 9
    run = StreamRun(resume=tmp_path / "checkpoints", every=0.0)
    with pytest.raises(Stopped):
        rate_stream(dying, find(system), params=params, run=run)
    again = TablePieces(table, range(20, 400, 20))
    others.append(rate_stream(again, find(system), params=params, run=run))
    for other in others:
        assert np.array_equal([other[name].rating for name in NAMES], whole)
    explained = batch.history(NAMES[1])
    assert explained[-1].after == others[0].history(NAMES[1])[-1].after
    saved = tmp_path / "saved.prowess"
    prowess.save(batch, saved)
    assert prowess.load(saved)[NAMES[2]].rating == batch[NAMES[2]].rating
    assert pickle.loads(pickle.dumps(batch))[NAMES[2]].rating == batch[NAMES[2]].rating
    assert not np.array_equal(
        whole, [prowess.rate(rows, system, params=params)[n].rating for n in NAMES]
    )


def fold_seasons(rows: list[dict[str, Any]], keep: float, mean: float) -> dict[str, float]:
    """Elo, and before the first game of a season a step to the mean for all who have played."""
    ratings: dict[str, float] = {}
    season = rows[0]["season"]
    for row in rows:
        if row["season"] != season:
            season, goal = row["season"], mean or sum(ratings.values()) / len(ratings)
            ratings = {name: keep * r + (1.0 - keep) * goal for name, r in ratings.items()}
        a, b = row["a"], row["b"]
        mine, theirs = ratings.setdefault(a, 1500.0), ratings.setdefault(b, 1500.0)
        gained = K * (row["score"] - 1.0 / (1.0 + 10.0 ** ((theirs - mine) / 400.0)))
        ratings[a], ratings[b] = mine + gained, theirs - gained
    return ratings


@pytest.mark.parametrize("season", ["season", "07-01"])
@pytest.mark.parametrize("mean", [0.0, 1505.0])
def test_a_season_keeps_a_part_of_each_lead(season: str, mean: float):
    """A new season moves all who have played, by a column or by the day; nobody else."""
    rows = make_games(60, seed=8)
    found = prowess.rate(rows, "season_elo", season=season, keep=2 / 3, mean=mean)
    for name, rating in fold_seasons(rows, 2 / 3, mean).items():
        assert found[name].rating == pytest.approx(rating, abs=1e-9)


def of_seasons(*seasons: str | int) -> list[dict[str, Any]]:
    """Games that Ann wins, a month each, of these seasons."""
    return [
        {"date": f"2020-{month:02d}-01", "a": "Ann", "b": "Bob", "score": 1, "season": season}
        for month, season in enumerate(seasons, 1)
    ]


def test_a_season_begins_before_its_frozen_forecasts():
    """All forecasts of a span are made from the ratings with which its season begins."""
    rows = of_seasons("x", "x", "x", "x", "x", "y", "y", "y")
    before = fold_seasons(rows[:5], 0.5, 0.0)
    gap = 0.5 * (before["Ann"] - before["Bob"])
    expected = [0.5] * 5 + [1.0 / (1.0 + 10.0 ** (-gap / 400.0))] * 3
    how: dict[str, Any] = {"season": "season", "frozen": "season", "keep": 0.5, "k": K}
    found = prowess.rate(rows, "season_elo", forecasts=True, **how)
    assert found.forecasts.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("pieces", [(), (1, 2, 3)])
def test_seasons_follow_one_another(pieces: tuple[int, ...]):
    """A season that returns after another one, or is missing, is no beginning: it is refused."""

    def rate(*seasons: str | int) -> Any:
        table = prowess.read_games(of_seasons(*seasons), season="season")
        return rate_stream(TablePieces(table, pieces), find("season_elo"))

    for seasons in (("2019-20", "2020", "2019-20", "2020"), (2019, 2020, 2019, 2020)):
        with refused(Unratable, "season_returns", about=("--by", *map(str, seasons[:2]))):
            rate(*seasons)
    with refused(Unratable, "season_missing", about="--exclude season="):
        rate("x", "x", "", "x")
    assert rate("y", "y", "x", "z")["Ann"].rating > 1500.0


@pytest.mark.parametrize("seasons", [("x", "x", "x", "y"), (1, 1, 1, 2)])
def test_further_games_have_the_season_of_the_ratings(seasons: tuple[Any, ...], tmp_path: Path):
    """Its column is read without being named again; games that lack it begin no season."""
    rows = of_seasons(*seasons)
    whole = prowess.rate(rows, "season_elo", season="season")
    first = prowess.rate(rows[:2], "season_elo", season="season")
    assert prowess.rate_on(first, rows[2:])["Ann"].rating == whole["Ann"].rating
    files = [tmp_path / "first.csv", tmp_path / "more.csv"]
    for file, part in zip(files, (rows[:2], rows[2:]), strict=True):
        cells = [",".join(map(str, row.values())) for row in part]
        file.write_text("\n".join([",".join(rows[0]), *cells]) + "\n")
    stream = prowess.rate(files[0], "season_elo", season="season", memory="1GB")
    assert prowess.rate_on(stream, files[1])["Ann"].rating == whole["Ann"].rating
    for one in (first, stream):
        with refused(Unratable, "season_missing", about="2 games"):
            prowess.rate_on(one, prowess.read_games(rows[2:], facts="none"))
        with refused(BadData, "no_such_column", about='season= names column "season"'):
            prowess.rate_on(one, [("2020-09-01", "Ann", "Bob", 1)])
    dated = prowess.rate_on(prowess.rate(rows[:2], "season_elo", season="03-01"), rows[2:])
    assert dated["Ann"].rating == prowess.rate(rows, "season_elo", season="03-01")["Ann"].rating
    plain = prowess.rate_on(prowess.rate(rows[:2], "elo", season="season"), files[1], facts="none")
    assert plain["Ann"].rating == prowess.rate(rows, "elo")["Ann"].rating


def test_one_more_game_is_of_the_last_season():
    """What a next result would change is asked within the season."""
    rows = of_seasons("x", "y")
    later = prowess.rate([*rows, {**rows[1], "date": "2020-03-01"}], "season_elo", season="season")
    found = prowess.rate(rows, "season_elo", season="season")
    win = assess_game(found, "Ann", "Bob")[0]
    gained = later["Ann"].rating - found["Ann"].rating
    assert win.a["rating"] == pytest.approx(gained, abs=1e-9)


def test_a_forecast_of_a_later_season_is_made_in_it():
    """A game on a day after the season's begin has the forecast that it gets when it is played."""
    rows = of_seasons(1, 1, 1)
    found = prowess.rate(rows, "season_elo", season="06-01")
    for day in ("2020-05-31", "2020-06-01", "2023-01-01"):
        played = [*rows, {"date": day, "a": "Ann", "b": "Bob", "score": 0}]
        run = prowess.rate(played, "season_elo", season="06-01", forecasts=True)
        asked = prowess.forecast(found, [("Ann", "Bob")], when=day)
        assert asked["expected"] == [run.forecasts[-1]]
    assert found["Ann"].rating == prowess.rate(rows, "season_elo", season="06-01")["Ann"].rating


@pytest.mark.parametrize("season", ["02-31", "13-01", "00-10", "x"])
def test_a_season_that_is_no_day_is_a_column(season: str):
    """A day that no year has is refused, under the name of the option."""
    with refused(BadData, "no_such_column", about=f'season= names column "{season}"'):
        prowess.rate(of_seasons("x"), "season_elo", season=season)
    assert prowess.rate(of_seasons("x"), "season_elo", season="02-29") is not None


def test_published_carry_over():
    """FiveThirtyEight: 3/4 (NFL 2/3) of the distance to 1505 is kept (specification)."""
    for rating, keep, after in (
        (1642.5, 0.75, 1608.125),
        (1642.5, 2 / 3, 1596.6666666666667),
        (1311.0, 0.75, 1359.5),
    ):
        p = SEASON_ELO.params._replace(keep=keep, mean=1505.0)
        assert SEASON_ELO.season is not None
        found = SEASON_ELO.season(p, Rating(rating), Rating(0.0))
        assert found.rating == pytest.approx(after, abs=1e-10)


@pytest.mark.parametrize(
    ("rating", "before", "age", "best", "k"),
    [
        (1500, 12, 30, 1500, 40), (1500, 30, 30, 1500, 20), (2290, 200, 16, 2290, 40),
        (2300, 200, 16, 2300, 20), (2410, 90, 25, 2410, 10), (2380, 90, 25, 2405, 10),
    ],
)  # fmt: skip
def test_k_of_fide(rating: float, before: float, age: float, best: float, k: float):
    """K by games before, age and best rating: FIDE B.02 of 1 March 2024, 8.3.3 (specification)."""
    params = {
        "k": 20, "k_new": 40, "new_games": 30, "k_high": 10, "high_rating": 2400, "young_age": 18,
        "young_rating": 2300,
    }  # fmt: skip
    p = FEDERATION_ELO.params._replace(**params)
    me = FederationRating(rating, 0.0, 0.0, best, age, before)
    game = FEDERATION_ELO.game._replace(score=1.0)
    even = FEDERATION_ELO.evidence(p, me, me._replace(rating=rating), game)
    assert even.change == 0.5 * k


def test_facts_of_a_rating_period():
    """A period is judged by the facts of the day of its first game."""
    rows = [
        {"date": "2020-01-10", "a": "Ann", "b": "Bob", "score": 1},
        {"date": "2020-01-20", "a": "Ann", "b": "Bob", "score": 1},
        {"date": "2020-02-10", "a": "Ann", "b": "Bob", "score": 0.5},
    ]
    facts = [{"player": "Ann", "date": "2020-01-15", "k": 4}]
    one = prowess.rate(rows[:2], "federation_elo", period="1mo", player_facts=facts, k=32)
    assert one["Ann"].rating == 1500 + 2 * 16  # the day lies inside the period
    both = prowess.rate(rows, "federation_elo", period="1mo", player_facts=facts, k=32)
    expected = 1.0 / (1.0 + 10.0 ** (-64.0 / 400.0))
    assert both["Ann"].rating == pytest.approx(1532 + 4 * (0.5 - expected))


def test_facts_in_contests_and_by_league():
    """Facts hold in contests of many too, and in each league by name."""
    rows = [
        {"contest": "1", "player": name, "place": place}
        for place, name in enumerate(("Ann", "Bob", "Cid"), 1)
    ]
    found = prowess.rate(rows, "federation_elo", player_facts={"Ann": {"k": 8}}, k=32)
    assert (found["Ann"].rating, found["Cid"].rating) == (1504.0, 1484.0)
    games = [{"league": league, "a": "Ann", "b": "Bob", "score": 1} for league in "AB"]
    apart = prowess.rate_leagues(games, "federation_elo", player_facts={"Ann": {"k": 8}}, k=32)
    assert [apart[league]["Ann"].rating for league in "AB"] == [1504.0, 1504.0]
    games[1] |= {"a": "Cid", "b": "Dee"}
    known = {"Ann": {"k": 8}, "Zed": {"k": 9}}
    apart = prowess.rate_leagues(games, "federation_elo", player_facts=known, k=32)
    assert (apart["A"]["Ann"].rating, apart["B"]["Cid"].rating) == (1504.0, 1516.0)
    assert [note for note in apart.notes if "without a game" in note] == [
        "facts of players without a game: 1 of 2 players (Zed)"
    ]
    with refused(Unratable, "no_such_players", about="Zed"):
        prowess.rate_leagues(games, "federation_elo", player_facts={"Zed": {"k": 9}})


def test_wrong_facts_are_refused():
    """One clear error for what cannot be used, with line and column where a cell is wrong."""
    games = [("Ann", "Bob", 1)]

    def rate(facts: Any) -> Any:
        return prowess.rate(games, "federation_elo", player_facts=facts)

    with refused(Unratable, "no_such_players", about="Zed"):
        rate({"Zed": {"k": 1}})
    with refused(Unratable, "no_such_facts", about="title"):
        rate({"Ann": {"title": "GM"}})
    with refused(BadData, "player_twice", about="Ann", line=2):
        rate([{"player": "Ann", "k": 1}, {"player": "Ann", "k": 2}])
    with refused(BadData, "not_a_number", about="x", line=1, column="k"):
        rate([{"player": "Ann", "k": "x"}])
    for fact, wrong in (
        ("k", -5),
        ("k", 1e12),
        ("born", 20200),
        ("born", 88),
        ("games_before", -1),
    ):
        with refused(BadData, "not_a_number", about=str(wrong), line=1, column=fact):
            prowess.rate(of_seasons(1), "federation_elo", player_facts={"Ann": {fact: wrong}})
    with refused(BadData, "no_players"):
        rate({"player": [], "k": []})
    with refused(BadData, "not_a_date", about="soon", line=1, column="date"):
        rate([{"player": "Ann", "date": "soon", "k": 1}])
    with refused(BadData, "wrong_columns"):
        rate([{"who": "Ann"}])
    with refused(BadData, "wrong_columns"):
        rate({"player": ["Ann"]})
    with refused(Unratable, "no_dates"):
        rate({"Ann": {"born": 2001}})
    with refused(Unratable, "no_dates"):
        prowess.rate(games, "season_elo", season="07-01")
    with refused(BadArgument, "not_shareable"):
        table = prowess.read_games(games, player_facts={"Ann": {"k": 1}})
        prowess.rate(table, "federation_elo", period="round", cluster=2)


def test_notes_say_what_is_used():
    """What a system takes from the facts, and what it leaves, is said."""
    games = [("Ann", "Bob", 1)]
    facts = {"Ann": {"k": 10, "title": "GM"}, "Zed": {"k": 20}}
    notes = prowess.rate(games, "federation_elo", player_facts=facts).notes
    assert any("k; not read: title" in note for note in notes)
    assert any("without a game: 1 of 2 players (Zed)" in note for note in notes)
    assert any(
        "reads no facts" in note for note in prowess.rate(games, "elo", player_facts=facts).notes
    )
    assert any("no seasons" in note for note in prowess.rate(games, "season_elo").notes)


def test_systems_hand_facts_on():
    """A system that drops a fact of the player is refused."""

    def forget(p: Any, me: Any, total: Any) -> Any:
        return FederationRating(me.rating, 0.0, me.games, me.best, me.age, me.games_before)

    with refused(BadSystem, "fact_changed", about="k"):
        check_system(replace(FEDERATION_ELO, name="forgets", absorb=forget))


def test_facts_as_plain_data():
    """JSON keeps facts as they are."""
    table = prowess.read_games([("Ann", "Bob", 1)], player_facts={"Ann": {"k": 10}})
    assert table.player_facts is not None
    again = type(table.player_facts).from_dict(json.loads(json.dumps(table.player_facts.to_dict())))
    assert again.cells == table.player_facts.cells


@pytest.mark.parametrize(
    ("system", "name", "values"),
    [("federation_elo", "k", (10.0, 20.0)), ("season_elo", "keep", (0.5, 0.8))],
)
def test_every_setting_of_a_bank_has_facts_and_seasons(
    system: str, name: str, values: tuple[float, float]
):
    """Each setting of a bank plays as it would alone."""
    rows, beside = make_games(), {"season": "07-01", "player_facts": FACTS}
    bank = prowess.rate(rows, system, params={name: list(values)}, **beside)
    for lane, value in enumerate(values):
        alone = prowess.rate(rows, system, params={name: value}, **beside)
        for player in NAMES:
            found = bank.state.rating[bank.index(player), lane]
            assert found == pytest.approx(alone[player].rating, abs=1e-9)


def test_comparisons_have_facts_and_seasons():
    """A backtest forecasts from ratings that facts and seasons moved."""
    table = prowess.read_games(make_games(), season="season", player_facts=FACTS)
    for system in ("federation_elo", "season_elo"):
        test = prowess.backtest(table, system, warm_up=0.0, frozen=None)
        rated = prowess.rate(table, system, forecasts=True)
        assert np.array_equal(test.expected, rated.forecasts)
        bare = table.replace(season=None, player_facts=None)
        plain = prowess.backtest(bare, system, warm_up=0.0, frozen=None)
        assert not np.array_equal(test.expected, plain.expected)
