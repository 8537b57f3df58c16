"""Forecasts from the ratings as they stood when a day, a week or a round began."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import prowess
from prowess.engine.losses import ForecastScores
from prowess.engine.params import settings
from prowess.engine.rate import rate, rate_on
from prowess.engine.replay import forecast_frozen
from prowess.engine.streams.rate_stream import StreamRun, rate_stream
from prowess.engine.system import Dynamic, Unratable
from prowess.games.arguments import BadArgument
from prowess.study.cross_validation import play_out, prepare_apart
from prowess.systems.catalogue import catalogue, find
from prowess.verbs.judge import stack_trials
from prowess.verbs.tables import take_selections
from tests.engine.pieces import TablePieces
from tests.engine.tables import START, contests, games
from tests.refusals import refused

SYSTEMS = [
    name
    for name, one in catalogue().items()
    if isinstance(one, Dynamic) and one.prepare is None and one.rounds != "period"
]
PLAYERS = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Fay")


def league(count=60, seed=1, days=2.0):
    """Games of six players, several on a day, with draws and a newcomer late."""
    random = np.random.default_rng(seed)
    rows, time = [], []
    for k in range(count):
        a, b = random.choice(len(PLAYERS) - (k < count // 2), size=2, replace=False)
        rows.append((PLAYERS[a], PLAYERS[b], float(random.choice([0.0, 0.5, 1.0]))))
        time.append(START + 2 + days * (k // 3) + 0.25 * (k % 3))
    return games(rows, players=list(PLAYERS), time=time)


def one_after_another(table, system, number, **options):
    """The slow way: the ratings before the span alone, then the one game."""
    found = []
    for row in range(len(table)):
        first = int(np.flatnonzero(number == number[row])[0])
        rows = np.append(np.arange(first), row)
        end: Any = rate(table.select(rows), system, forecasts=True, **options)
        size = 1 if table.pairwise else int(np.diff(table.start)[row])
        found += end.forecasts[-size:].tolist()
    return found


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_forecast_knows_nothing_of_its_span(name):
    """It is, to the bit, that of the games before the span and this game alone; ratings move on."""
    table, system = league(30), find(name)
    number = np.floor((table.time - np.floor(table.time[0])) / 7.0)
    found = rate(table, system, forecasts=True, frozen="7d")
    assert found.forecasts.tolist() == one_after_another(table, system, number)
    assert (found.values == rate(table, system).values).all()
    if found.draws is not None:
        assert np.isfinite(found.draws).all()


@pytest.mark.parametrize("name", ["elo", "trueskill", "codeforces", "weng_lin_pl"])
def test_contests_are_frozen_too(name):
    """Contests of several a week, of sides in another order each: the same law."""
    random = np.random.default_rng(2)
    fields = [
        [(PLAYERS[k], place + 1) for place, k in enumerate(random.permutation(5).tolist())]
        for _ in range(8)
    ]
    table = contests(fields, players=list(PLAYERS), time=[START + 3.0 * k for k in range(8)])
    number = np.floor(3.0 * np.arange(8) / 7.0)
    found = rate(table, find(name), forecasts=True, frozen="1w")
    assert found.forecasts.tolist() == one_after_another(table, find(name), number)
    assert np.isfinite(found.pair_losses).all()


def test_a_bank_keeps_its_weights_for_the_span():
    """The weights of settings are those of the span's start, too."""
    table, bank = league(30), {"k": (8, 16, 64)}
    number = np.floor((table.time - np.floor(table.time[0])) / 7.0)
    found = rate(table, find("elo"), forecasts=True, frozen="7d", bank=bank)
    assert found.forecasts.tolist() == one_after_another(table, find("elo"), number, bank=bank)


def test_the_default_system_is_frozen():
    """Whatever the results of a week are, no forecast of that week changes a bit."""
    table, system = league(60), find("prowess")
    found: Any = rate(table, system, forecasts=True, frozen="7d")
    number = np.floor((table.time - np.floor(table.time[0])) / 7.0)
    random = np.random.default_rng(3)
    for week in np.unique(number).tolist()[1::3]:
        score = table.score.copy()
        score[number == week] = random.permutation(score[number == week])
        score[number > week] = random.permutation(score[number > week])
        other: Any = rate(table.replace(score=score), system, forecasts=True, frozen="7d")
        early = number <= week
        assert (other.forecasts[early] == found.forecasts[early]).all()
    free = rate(table, system, forecasts=True)
    assert (free.values == found.values).all()
    assert (free.forecasts != found.forecasts).any()


def test_months_rounds_and_columns_are_spans():
    """Months go by the calendar, `round` and a column by their values; a game a span is as ever."""
    table = league(30, days=5.0)
    month = table.time.astype("datetime64[D]").astype("datetime64[M]").astype(int)
    by_month = rate(table, find("elo"), forecasts=True, frozen="1mo")
    assert by_month.forecasts.tolist() == one_after_another(table, find("elo"), month)
    rounds = table.replace(round=np.arange(30) // 4)
    by_round = rate(rounds, find("elo"), forecasts=True, frozen="round")
    assert by_round.forecasts.tolist() == one_after_another(table, find("elo"), rounds.round)
    fact = table.replace(facts={"matchday": np.arange(30) // 4})
    by_fact = rate(fact, find("elo"), forecasts=True, frozen="matchday")
    assert by_fact.forecasts.tolist() == by_round.forecasts.tolist()
    alone = rate(
        rounds.replace(round=np.arange(30)), find("glicko"), forecasts=True, frozen="round"
    )
    assert (alone.forecasts == rate(table, find("glicko"), forecasts=True).forecasts).all()


def test_a_stream_freezes_as_a_table_does(tmp_path):
    """Pieces that end within a week give the scores of the whole table."""
    random = np.random.default_rng(5)
    lines = ["date,a,b,score"]
    for k in range(90):
        a, b = random.choice(6, size=2, replace=False)
        lines.append(f"2024-01-{1 + k // 4:02d},{PLAYERS[a]},{PLAYERS[b]},{random.integers(0, 2)}")
    file = tmp_path / "games.csv"
    file.write_text("\n".join(lines))
    whole = prowess.rate(str(file), "glicko2", forecasts=True, frozen="7d")
    stream = prowess.rate(str(file), "glicko2", forecasts=True, frozen="7d", memory="1GB")
    assert stream.forecast_scores == whole.forecast_scores
    assert (
        whole.forecast_scores != prowess.rate(str(file), "glicko2", forecasts=True).forecast_scores
    )
    assert prowess.backtest(str(file), "glicko2", frozen="7d").expected.tolist() == (
        whole.forecasts.tolist()
    )
    compared = prowess.compare(str(file), ["glicko2", "elo"], frozen="7d", progress=False)
    assert any("start of each 7d" in note for note in compared.notes)


@pytest.mark.parametrize("name", ["elo", "glicko2", "ics"])
@pytest.mark.parametrize("cuts", [(1, 2, 3), (7, 8, 20), range(40)])
def test_pieces_may_end_within_a_span(name, cuts):
    """A stream cut anywhere, whose newcomers come with their piece, has the scores of the table."""
    table = league(40)
    whole = rate(table, find(name), forecasts=True, frozen="7d")
    scores = ForecastScores()
    scores.add(table.score, whole.forecasts, None, whole.draws)
    run = StreamRun(judge=True)
    found = rate_stream(TablePieces(table, list(cuts)), find(name), frozen="7d", run=run)
    assert found.forecast_scores == scores.means()
    with refused(Unratable, "frozen_not_resumed"):
        rate_stream(TablePieces(table, []), find(name), frozen="7d", run=StreamRun(resume="folder"))


def test_what_cannot_be_frozen_is_refused():
    """A period, no forecasts, a span that is none, a table without dates, further games."""
    table = league(12)
    with refused(Unratable, "frozen_with_period"):
        rate(table, find("glicko2"), period="1mo", forecasts=True, frozen="7d")
    with refused(BadArgument, "nothing_to_freeze"):
        prowess.rate(table, "elo", frozen="7d")
    with refused(prowess.errors.BadPeriod, "not_a_period", about="weekly"):
        rate(table, find("elo"), forecasts=True, frozen="weekly")
    with refused(prowess.errors.BadRounds, "no_dates"):
        rate(table.replace(time=None), find("elo"), forecasts=True, frozen="7d")
    with refused(prowess.errors.BadRounds, "no_rounds"):
        rate(table, find("elo"), forecasts=True, frozen="round")
    with refused(Unratable, "not_continued"):
        rate_on(rate(table, find("elo"), forecasts=True, frozen="7d"), table)
    with refused(BadArgument, "frozen_with_folds"):
        prowess.compare(table, ["elo"], folds=5, frozen="7d", progress=False)


def test_a_column_of_a_table_that_was_read():
    """A span by the values of a fact, of rows and of the table that was read of them."""
    rows = {"a": list("ABCA"), "b": list("BCAB"), "score": [1, 0, 1, 0], "week": [1, 1, 2, 2]}
    table: Any = prowess.read_games(rows, facts=["week"])
    found = [
        prowess.rate(one, "elo", forecasts=True, frozen="week").forecasts.tolist()
        for one in (rows, table)
    ]
    assert found[0] == found[1]


def test_frozen_forecasts_are_saved(tmp_path):
    """Ratings that are loaded have the forecasts with which they were saved."""
    made: Any = rate(league(40), find("elo"), forecasts=True, frozen="7d")
    prowess.save(made, tmp_path / "kept.prowess")
    again: Any = prowess.load(tmp_path / "kept.prowess")
    assert again.frozen == "7d"
    assert again.forecasts.tolist() == made.forecasts.tolist()


def play_days(count: int, several: bool, hour: float = 0.0) -> Any:
    """Games between two of six players, each once a day or, where `several`, twice."""
    draw, rows = np.random.default_rng(9), []
    for day in range(count):
        names = draw.permutation(list("abcdef")).tolist()
        pairs = [names[0:2], names[2:4], *[names[0:3:2]] * several]
        rows += [(one, two, float(draw.integers(2)), 18_000 + day + hour) for one, two in pairs]
    a, b, score, date = map(list, zip(*rows, strict=True))
    return prowess.read_games({"a": a, "b": b, "score": score, "date": date}, date_format="days")


@pytest.mark.parametrize("system", ["elo", "glicko2"])
def test_days_of_unknown_order_are_frozen(system: str):
    """Comparisons forecast a day from its start, where its order is not known; ratings do not."""
    games = play_days(60, several=True)
    by_day = prowess.backtest(games, system, frozen="1d").expected
    in_order = prowess.backtest(games, system, frozen=None).expected
    assert np.array_equal(prowess.backtest(games, system).expected, by_day)
    assert not np.array_equal(by_day, in_order)
    compared = prowess.compare(games, system, progress=False)
    (test,) = [entry.test for entry in compared if entry.test.name == system]
    assert np.array_equal(test.expected, by_day)
    assert sum("--frozen none" in note and "60 of 180" in note for note in compared.notes) == 1
    mixed = stack_trials(games, take_selections(system), (), 0.2, None, False)[0]
    assert [note for note in mixed.notes if "60 of 180" in note and "--frozen" not in note]
    plain = prowess.compare(games, system, progress=False, frozen=None)
    (test,) = [entry.test for entry in plain if entry.test.name == system]
    assert np.array_equal(test.expected, in_order)
    assert any("60 of 180" in note and "order of the file" in note for note in plain.notes)
    rated = prowess.rate(games, system)
    assert rated["a"].rating == prowess.rate(games, system, forecasts=True, frozen="1d")["a"].rating


@pytest.mark.parametrize("system", ["elo", "prowess"])
def test_only_days_of_unknown_order_are_frozen(system: str):
    """Where a player has several games on one day alone, only that day is frozen."""
    games = play_days(40, several=False)
    at = int(games.time.searchsorted(games.time[60]))
    games.time[at : at + 4] = games.time[at]  # two days are one: players have two games on it
    in_order = prowess.backtest(games, system, frozen=None).expected
    found = prowess.backtest(games, system).expected
    frozen = np.flatnonzero(found != in_order)
    assert set(frozen) <= set(range(at + 1, at + 4))
    assert len(frozen)
    by_day = prowess.backtest(games, system, frozen="1d").expected
    assert np.array_equal(found[at : at + 4], by_day[at : at + 4])


@pytest.mark.parametrize(("several", "hour"), [(False, 0.0), (True, 0.5)])
def test_days_of_known_order_are_not(several: bool, hour: float):
    """One game a player and day, or times of the day: forecasts are those of the ratings."""
    games = play_days(60, several, hour)
    for period in (None, "1mo"):
        in_order = prowess.backtest(games, "elo", period=period, frozen=None).expected
        assert np.array_equal(prowess.backtest(games, "elo", period=period).expected, in_order)


# --- what a system finds of earlier games: experience, rest, crews --------------------------------

DAYS_OF_GAMES, GAMES_A_DAY = 9, 5


def play_prepared(kind: str) -> Any:
    """Several games or contests a day of twelve players, of whom some come late."""
    random, rows = np.random.default_rng(3), list[tuple[Any, ...]]()
    for k in range(DAYS_OF_GAMES * GAMES_A_DAY):
        who = [PREPARED_NAMES[i] for i in random.permutation(8 if k < 20 else 12)]
        day, size = 18_000 + k // GAMES_A_DAY, int(random.integers(1, 4)) if kind == "teams" else 1
        if kind == "contests":
            rows += [(k, name, place, day) for place, name in enumerate(who[: 2 + k % 4], 1)]
        else:
            sides = " & ".join(who[:size]), " & ".join(who[size : 2 * size])
            rows.append((*sides, random.choice([0.0, 0.5, 1.0]), day))
    names = ("contest", "player", "place") if kind == "contests" else ("a", "b", "score")
    columns = dict(zip((*names, "date"), map(list, zip(*rows, strict=True)), strict=True))
    reading: Any = {"teams": "members"} if kind == "teams" else {}
    table: Any = prowess.read_games(columns, date_format="days", warn=False, **reading)
    if kind == "contests":
        return table
    return table.replace(side=random.choice([0.0, 1.0], size=len(table)))


PREPARED_NAMES = [f"player {k}" for k in range(12)]
FIRST_CLASSES = {"opening": GAMES_A_DAY}  # margins and cut points are those of the first day


def rate_default(table: Any, **options: Any) -> Any:
    """Ratings of the default, compiled: the same bits in a tenth of the time."""
    return rate(table, find("prowess"), params=FIRST_CLASSES, compiled=True, **options)


def by_contest(table: Any, forecasts: Any) -> list[list[float]]:
    """The forecasts of each contest."""
    starts = np.arange(1, len(table)) if table.pairwise else table.start[1:-1]
    return [one.tolist() for one in np.split(forecasts, starts)]


def day_of(table: Any, frozen: str) -> Any:
    """The number of the span of each contest."""
    return np.floor((table.time - table.time[0]) / {"1d": 1.0, "7d": 7.0}[frozen])


@pytest.mark.parametrize("frozen", ["1d", "7d"])
@pytest.mark.parametrize("kind", ["games", "teams", "contests"])
def test_what_is_prepared_knows_nothing_of_its_span(kind, frozen):
    """Experience, rest and crews of newcomers too are those of the games before the span."""
    table = play_prepared(kind)
    found = rate_default(table, forecasts=True, frozen=frozen)
    number, forecasts = day_of(table, frozen), by_contest(table, found.forecasts)
    for row in range(GAMES_A_DAY, len(table), 3):
        first = int(np.flatnonzero(number == number[row])[0])
        if first == 0:
            continue
        rows = np.append(np.arange(first), row)
        alone = rate_default(table.select(rows), forecasts=True)
        assert by_contest(table.select(rows), alone.forecasts)[-1] == forecasts[row]
    assert (found.values == rate_default(table).values).all()


@pytest.mark.parametrize("kind", ["games", "teams", "contests"])
def test_the_order_of_a_day_is_unknown(kind):
    """No forecast of a day changes a bit when the rows of that day stand in another order.

    Every second day is turned alone: with two at once the ratings between them would differ.
    """
    table = play_prepared(kind)
    found = rate_default(table, forecasts=True, frozen="1d")
    forecasts = by_contest(table, found.forecasts)
    for day in range(1, DAYS_OF_GAMES, 2):
        order = np.arange(len(table))
        rows = slice(day * GAMES_A_DAY, (day + 1) * GAMES_A_DAY)
        order[rows] = order[rows][::-1]
        turned = table.select(order)
        other = rate_default(turned, forecasts=True, frozen="1d")
        assert by_contest(turned, other.forecasts)[rows] == forecasts[rows][::-1]


@pytest.mark.parametrize("kind", ["games", "contests"])
def test_held_back_games_teach_nothing(kind):
    """A fold of a table with dates is forecast from the other games: no result and no order of
    the games held back matters, and the ratings are those of the others alone.
    """
    table, system = play_prepared(kind), find("prowess")
    held = np.arange(len(table)) % GAMES_A_DAY >= 3
    p, others, last = prepare_apart(system, settings(system, FIRST_CLASSES), table, held)
    alone = rate_default(table.select(~held))
    state = play_out(system, p, others, None)
    players = len(table.players)
    assert np.array_equal(state.rating[:players], alone.state.rating[:players])
    order = np.arange(len(table))
    for day in range(DAYS_OF_GAMES):
        first = day * GAMES_A_DAY + 3
        order[[first, first + 1]] = order[[first + 1, first]]
    found, _ = forecast_frozen(state, last)
    q, turned, turned_last = prepare_apart(
        system, settings(system, FIRST_CLASSES), table.select(order), held
    )
    other, _ = forecast_frozen(play_out(system, q, turned, None), turned_last)
    place = np.argsort(order[held])
    assert [by_contest(turned_last, other)[k] for k in place] == by_contest(last, found)


@pytest.mark.parametrize("cuts", [(1, 7, 8, 20), range(45)])
def test_pieces_of_prepared_games_may_end_within_a_span(cuts):
    """A stream keeps what players had played when the open span began."""
    table = play_prepared("games")
    whole: Any = rate(table, find("prowess"), forecasts=True, frozen="7d", params=FIRST_CLASSES)
    scores = ForecastScores()
    scores.add(table.score, whole.forecasts, None, whole.draws)
    pieces = TablePieces(table, list(cuts))
    run = StreamRun(judge=True, again=lambda: TablePieces(table, list(cuts)))
    found = rate_stream(pieces, find("prowess"), frozen="7d", run=run, params=FIRST_CLASSES)
    assert found.forecast_scores == scores.means()
    with refused(Unratable, "span_of_whole_table", about="auto"):
        rate_stream(pieces, find("elo"), frozen="auto", run=StreamRun(judge=True))
