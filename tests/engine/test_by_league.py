"""Leagues rated each by itself: to the last bit what the games of each alone would give."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import prowess
from prowess.engine.by_league import merge_notes, plays_together, rate_leagues
from prowess.engine.fit import fit_table
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.engine.inflation import NewcomersMean
from prowess.engine.params import parameters, settings
from prowess.engine.periods import BadRounds
from prowess.engine.rate import rate
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.whole_table import BALLOTS, WholeTable
from prowess.games.arguments import BadArgument
from prowess.games.by_league import RenamedRoster, cut_by_league
from prowess.games.errors import BadData
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.games.stream import LeagueStream, open_stream
from prowess.systems.catalogue import catalogue
from tests.engine.tables import one_setting, some_contests, some_games, some_table as some_dynamic
from tests.refusals import refused

FEW = hypothesis.settings(max_examples=8)  # of each system: there are a hundred
WORDS = ("Premier", "Second", "Third")


def given(**strategies: Any) -> Any:
    """Hypothesis's given, with few examples."""
    return lambda test: FEW(hypothesis.given(**strategies)(test))


def alone(table: Games, wanted: str) -> Games:
    """The games of one league as a table of their own, without that column, in the slow way."""
    rows = [row for row in range(len(table)) if WORDS[int(table.facts["league"][row])] == wanted]
    part = table.select(np.array(rows))
    number = {old: new for new, old in enumerate(dict.fromkeys(part.player.tolist()))}
    columns = {
        name: np.array([number[old] for old in part.columns[name].tolist()], dtype=np.uint32)
        for name in ("a", "b", "player")
        if name in part.columns
    }
    names = [table.players[old] for old in number]
    return part.replace(players=names, facts={}, labels={}, **columns)


@st.composite
def in_leagues(draw: st.DrawFn, tables: Any) -> Any:
    """A table (and what is drawn with it) whose games are of a few leagues."""
    found = draw(tables)
    table, *rest = found if isinstance(found, tuple) else (found,)
    drawn = draw(st.lists(st.integers(0, 2), min_size=len(table), max_size=len(table)))
    facts = {"league": np.array(drawn, dtype=np.float64)}
    return table.replace(facts=facts, labels={"league": list(WORDS)}), *rest


def assert_alone(found: Any, table: Games, rate_alone: Any) -> None:
    """Every league of a table has what its games alone give, or the reason that they give."""
    tables, seen, reasons = found.tables, [], {}
    for league in tables.leagues:
        try:
            expected = rate_alone(alone(table, league))
        except (Unratable, BadRounds) as refusal:
            reasons[league] = str(refusal)
            continue
        board = expected.leaderboard()
        seen += [{"league": league, **row} for row in board.rows()]
        assert found[league].leaderboard().to_csv() == board.to_csv()
    assert found.unrated == reasons
    rows = [{name: one for name, one in row.items() if one is not None} for row in found.rows()]
    wanted = [{name: one for name, one in row.items() if one is not None} for row in seen]
    assert repr(rows) == repr(wanted)  # nan included


SLOWEST = ("posterior_mean",)  # samples for seconds
SYSTEMS = [
    pytest.param(one, id=name, marks=[pytest.mark.slow] if name in SLOWEST else [])
    for name, one in catalogue().items()
]


@pytest.mark.parametrize("system", SYSTEMS)
@given(data=st.data())
def test_a_league_has_the_ratings_of_its_games_alone(system, data):
    """For every system, in rounds and game by game, of games and contests."""
    how: dict[str, Any] = {}
    if isinstance(system, WholeTable):
        reads = data.draw(st.sampled_from(system.reads))
        drawn = some_contests(size=6) if reads == BALLOTS else some_games(size=24)
        table = data.draw(in_leagues(drawn))[0]
        if "samples" in (known := parameters(system)):
            how["params"] = {"samples": known["samples"].domain.low}
        rate_alone: Any = lambda part: fit_table(part, system, **how)  # noqa: E731
    else:
        table, how["period"] = data.draw(in_leagues(some_dynamic(system)))
        how |= {"params": one_setting(system), "compiled": False}
        rate_alone = lambda part: rate(part, system, **how)  # noqa: E731
    tables = cut_by_league(table, ["league"])
    try:
        found = rate_leagues(tables, system, **how)
    except (Unratable, BadRounds) as refusal:
        reason = str(refusal)
    else:
        assert_alone(found, table, rate_alone)
        return
    with pytest.raises((Unratable, BadRounds)) as expected:  # none can be rated
        rate_alone(alone(table, tables.leagues[0]))
    assert str(expected.value) == reason


TABLE: dict[str, list[Any]] = {
    "division": ["North", "South", "North", "South", "East"],
    "season": [2020, 2020, 2021, 2021, 2021],
    "a": ["Ann", "Ann", "Bob", "Cid", "Eve"],
    "b": ["Bob", "Cid", "Ann", "Dan", "Fay"],
    "score": [1, 0, 0, 0.5, 1],
    "date": ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04", "2024-02-05"],
}


def test_leagues_come_in_the_order_of_their_first_games():
    """Each has its own ranks, and `top`, `min_games` and `since` hold within it; Elo by hand."""
    found = prowess.rate_leagues(TABLE, "elo", by="division")
    assert found.leagues == ("North", "South", "East")
    board = found.leaderboard(1).columns
    assert (board["division"], board["rank"]) == (["North", "South", "East"], [1, 1, 1])
    assert board["player"] == ["Ann", "Cid", "Eve"]
    assert found["South"]["Ann"].rating == 1484.0  # one loss among equals, K = 32
    assert found["North"]["Ann"].games == 2
    assert found.leaderboard(min_games=2).columns["player"] == ["Ann", "Bob", "Cid"]
    since = found.leaderboard(since="2024-01-04")
    assert since.columns["division"] == ["South", "South", "East", "East"]
    assert (len(found), "East" in found, "West" in found) == (3, True, False)


@pytest.mark.parametrize("system", ["glicko2", "bradley_terry"])
def test_a_lower_bound_ranks_within_each_league(system):
    """Its numbers are those of each league rated alone, together or one after the other."""
    table = {**TABLE, "score": [1, 0.5, 0.5, 0.5, 0.5]}
    found = prowess.rate_leagues(table, system, by="division")
    rows = found.leaderboard(lower=2).rows()
    for league in found.leagues:
        alone = found[league].leaderboard(lower=2).rows()
        assert [(row["rank"], row["player"], row["lower"]) for row in alone] == [
            (row["rank"], row["player"], row["lower"]) for row in rows if row["division"] == league
        ]


def test_several_columns_tell_leagues_apart():
    """Numbers are words there; a name that the leaderboard has already is written `by NAME`."""
    found = prowess.rate_leagues(TABLE, "elo", by=["division", "season"])
    assert found.leagues[:2] == (("North", "2020"), ("South", "2020"))
    assert len(found) == 5
    assert found["North", "2021"]["Ann"].rating == 1516.0
    assert list(found.to_columns())[:3] == ["division", "season", "rank"]
    clash = prowess.rate_leagues({**TABLE, "rank": TABLE["season"]}, "elo", by="rank")
    assert list(clash.to_columns())[:2] == ["by rank", "rank"]


def test_a_league_that_cannot_be_rated_is_named():
    """It has its reason, the others are rated; where none can be, the first reason is raised."""
    table = {**TABLE, "score": [1, 0.5, 0, 0.5, 1]}
    found = prowess.rate_leagues(table, "bradley_terry", by="division")
    assert found.leagues == ("South",)
    assert found.unrated["North"].endswith("(never lost a point: Ann; never took a point: Bob)")
    assert {one["division"] for one in found.summary()["unrated"]} == {"North", "East"}
    with refused(Unratable, "league_not_rated", about="never"):
        found["North"]
    north = {name: column[::2] for name, column in table.items()}
    with refused(Unidentifiable, "no_finite_ratings", about="point"):
        prowess.rate_leagues(north, "bradley_terry", by="division")


@pytest.mark.parametrize("system", ["elo", "map", "colley"])
def test_a_league_without_games_as_of_a_day_is_named(system):
    """Another is rated as of that day."""
    found = prowess.rate_leagues(TABLE, system, by="division", as_of="2024-01-31")
    assert found.unrated["East"].startswith("give as_of as 2024-02-05 or later")
    assert "South" in found
    assert found.summary()["games"] == 4
    with refused(Unratable, "empty_table", about=("2024-01-0", "as_of")):
        prowess.rate_leagues(TABLE, system, by="division", as_of="2023-01-31")


def test_a_league_that_loses_its_numbers_is_named():
    """One pass plays all leagues; the player and the game are named as if it were alone."""
    elo = catalogue()["elo"]

    def explode(p: Any, me: Any, total: Any) -> Any:
        return me._replace(rating=me.rating * (1e200 if total.change >= 0.0 else 1.0))

    broken = replace(elo, name="broken", absorb=explode)
    tables = cut_by_league(prowess.read_games(TABLE, facts="division"), ["division"])
    found = rate_leagues(tables, broken, compiled=False)
    assert found.leagues == ("South", "East")
    assert (
        "the rating of 'Ann' by broken is no finite number after game 2" in found.unrated["North"]
    )
    assert set(found.to_columns()["player"]) == {"Ann", "Cid", "Dan", "Eve", "Fay"}


def test_rules_act_in_each_league_by_itself():
    """The newcomers of a league are shifted to the mean, whatever other leagues do."""
    rules = [NewcomersMean(1000.0)]
    found = prowess.rate_leagues(TABLE, "elo", by="division", rules=rules)
    for division in ("North", "South", "East"):
        rows = [row for row, word in enumerate(TABLE["division"]) if word == division]
        part = {name: [column[row] for row in rows] for name, column in TABLE.items()}
        assert found[division].to_csv() == prowess.rate(part, "elo", rules=rules).to_csv()


def test_one_pass_serves_systems_without_shared_numbers():
    """All leagues in one pass where players alone have numbers; else one league after the other."""
    table = prowess.read_games(TABLE)
    for name, together in (
        ("elo", True), ("glicko2", True), ("trueskill", True), ("prowess", False),
    ):  # fmt: skip
        system = catalogue()[name]
        assert isinstance(system, Dynamic)
        assert plays_together(system, settings(system, {}), table, None, ()) is together, name
    elo = catalogue()["elo"]
    bank = settings(elo, {"k": (8.0, 16.0)})  # settings are weighed by all games of a league
    assert not plays_together(elo, bank, table, None, ())
    assert not plays_together(elo, settings(elo, {}), table, "round", ())


def test_players_who_never_met_are_told_of_their_league():
    """Leagues do not meet, which is no news; groups within one are."""
    rows = [("X", "Ann", "Bob", 1), ("X", "Cid", "Dan", 1), ("Y", "Eve", "Fay", 0)]
    table = dict(
        zip(("league", "a", "b", "score"), map(list, zip(*rows, strict=True)), strict=True)
    )
    notes = prowess.rate_leagues(table, "elo", by="league").notes
    assert notes == (
        "players form groups that never met: ratings of two groups do not compare (X)",
    )


def test_notes_of_some_leagues_have_their_names():
    """A note on all leagues stands once, as it is."""
    notes = {"A": ("all", "some"), ("B", "1"): ("all",), "C": ("all", "some")}
    assert merge_notes(notes) == ("all", "some (A, C)")


def test_the_compiled_numbering_is_the_plain_one(monkeypatch):
    """Of players who stand in several leagues."""
    rng = np.random.default_rng(4)
    pairs = [rng.choice(9, 2, replace=False) for _ in range(60)]
    table = Games(
        [f"P{k}" for k in range(9)],
        *np.array(pairs, np.uint32).T.copy(),
        np.ones(60),
        facts={"league": rng.integers(0, 3, 60).astype(float)},
        labels={"league": list(WORDS)},
    )
    plain = cut_by_league(table, ["league"])
    monkeypatch.setattr("prowess.compile.worth.MIN_TURNS_TO_COMPILE", 0)
    compiled = cut_by_league(table, ["league"])
    assert list(plain.table.players) == list(compiled.table.players)
    assert plain.table.player.tolist() == compiled.table.player.tolist()
    assert plain.players.tolist() == compiled.players.tolist()


@pytest.mark.parametrize(
    ("by", "remedy"),
    [
        ("divison", (BadData, "no_such_column", "division")),
        ("score", (BadData, "fact_is_a_column")),
        ([], (BadArgument, "columns_twice")),
        (["division", "division"], (BadArgument, "columns_twice")),
        (7, (BadArgument, "not_a_list")),
    ],
)
def test_a_wrong_column_is_refused(by, remedy):
    """The remedy comes first."""
    with refused(remedy[0], remedy[1], about=remedy[2:]) as error:
        prowess.rate_leagues(TABLE, "elo", by=by)
    assert "facts=" not in str(error.value)


def test_a_game_without_a_league_is_refused():
    """Rather than made a league of its own; the message counts such games."""
    table = {**TABLE, "division": ["North", "", "North", "", "East"]}
    with refused(BadData, "league_missing", about=("division", "exclude=")):
        prowess.rate_leagues(table, "elo", by="division")
    found = prowess.rate_leagues(table, "elo", by="division", exclude={"division": ""})
    assert found.leagues == ("North", "East")


def test_numbers_that_differ_are_leagues_that_differ():
    """Each has a name of its own, in which the number is written with all its digits."""
    numbers = [0.1 + 0.2, 0.3, 0.3, 2.0**53 - 1, 2.0**53 - 2]
    found = prowess.rate_leagues({**TABLE, "division": numbers}, "elo", by="division")
    assert found.leagues == (
        "0.30000000000000004", "0.3", "9007199254740991", "9007199254740990",
    )  # fmt: skip
    assert [row["games"] for row in found.summary()["leagues"]] == [1, 2, 1, 1]


@pytest.mark.parametrize("memory", [None, "1GB"])
def test_numbers_that_are_read_as_one_are_refused(memory, tmp_path):
    """As text, which the remedy names, they are leagues that differ."""
    names = ("123456789012345678.0", "123456789012345679.0")  # the same float
    file = tmp_path / "games.csv"
    file.write_text("guild,a,b,score\n" + "".join(f"{name},Ann,Bob,1\n" for name in names))
    about: dict[str, Any] = {"system": "elo", "memory": memory}
    remedy = 'league="guild"', "--league guild", 'by="league"'
    with refused(BadData, "numbers_too_large", about=remedy):
        prowess.rate_leagues(file, by="guild", **about)
    found = prowess.rate_leagues(file, by="league", league="guild", **about)
    assert found.leagues == names
    assert found[names[1]].head() == "elo, 1 game, 2 players"


@pytest.mark.parametrize("memory", [None, "1GB"])
def test_whole_numbers_beyond_floats_are_names(memory, tmp_path):
    """Whole numbers that a float cannot tell apart are kept as words."""
    names = ("123456789012345678", "123456789012345679")  # the same float
    file = tmp_path / "games.csv"
    file.write_text("guild,a,b,score\n" + "".join(f"{name},Ann,Bob,1\n" for name in names))
    assert prowess.rate_leagues(file, "elo", by="guild", memory=memory).leagues == names


def test_combinations_of_many_columns_are_told_apart():
    """Also where there could be more of them than a 64-bit number counts."""
    rng = np.random.default_rng(8)
    by = [f"column {at}" for at in range(12)]
    words = {name: [f"w{k}" for k in rng.permutation(100)] for name in by}
    games = {"a": ["Ann"] * 100, "b": ["Bob"] * 100, "score": [1] * 100, **words}
    found = prowess.rate_leagues(games, "elo", by=by)
    assert found.leagues == tuple(zip(*words.values(), strict=True))


def test_arguments_for_one_league_are_refused():
    """A player as reference, and a league that is not there."""
    with refused(BadArgument, "not_a_reference", about="mean"):
        prowess.rate_leagues(TABLE, "map", by="division", reference="Ann")
    found = prowess.rate_leagues(TABLE, "elo", by="division")
    odd: Any = ("West", 3, ["North"])
    for wrong in odd:
        with refused(BadArgument, "unknown_league", about=("North", "South", "East")):
            found[wrong]


def test_workers_change_no_digit():
    """Threads rate leagues beside one another; order, ratings and reasons are those of one."""
    rng = np.random.default_rng(5)
    pairs = [rng.choice(6, 2, replace=False) for _ in range(200)]
    table = {
        "division": [f"D{k}" for k in np.sort(rng.integers(0, 12, 200)) ** 2 // 12],
        "a": [f"P{a}" for a, _ in pairs],
        "b": [f"P{b}" for _, b in pairs],
        "score": rng.choice([0.0, 0.5, 1.0], 200).tolist(),
    }
    seen: list[tuple[int, int]] = []
    for name, params in (("bradley_terry", {}), ("elo", {"k": [8, 16]})):
        how: dict[str, Any] = {"by": "division", **params}
        here = prowess.rate_leagues(table, name, progress=lambda *at: seen.append(at), **how)
        assert seen[-1] == (200, 200)
        with ThreadPoolExecutor(3) as threads:
            there = prowess.rate_leagues(table, name, cluster=threads, **how)
        assert there.to_json() == here.to_json()
        assert there[there.leagues[0]].to_json() == here[here.leagues[0]].to_json()
    assert prowess.rate_leagues(table, "bradley_terry", by="division").unrated


@pytest.mark.parametrize(
    ("system", "period"), [("elo", None), ("glicko2", "1mo"), ("glicko", None), ("trueskill", None)]
)
def test_a_stream_has_the_ratings_of_the_table(system, period, tmp_path):
    """To the last bit, wherever it is cut; the games of one league are read again."""
    rng = np.random.default_rng(6)
    pairs = [rng.choice(9, 2, replace=False) for _ in range(120)]
    rows = [
        f"2024-{1 + k // 30:02}-{1 + k % 28:02},L{k * k % 3},{2020 + k % 2},P{a},P{b},{k % 3 / 2}"
        for k, (a, b) in enumerate(pairs)
    ]
    rows.sort()
    for part in range(3):
        head = "date,league,season,a,b,score"
        text = "\n".join([head, *rows[40 * part : 40 * part + 40]])
        (tmp_path / f"{part}.csv").write_text(text + "\n")
    how: dict[str, Any] = {"by": ["league", "season"], "period": period}
    whole = prowess.rate_leagues(tmp_path, system, **how)
    stream = prowess.rate_leagues(tmp_path, system, memory="1GB", **how)
    assert stream.to_csv() == whole.to_csv()
    assert stream.summary()["leagues"] == whole.summary()["leagues"]
    assert stream.notes == tuple(note for note in whole.notes if "never met" not in note)
    league = whole.leagues[1]
    assert stream[league].leaderboard().to_csv() == whole[league].leaderboard().to_csv()
    day = {"as_of": "2024-02-10", **how}
    early = prowess.rate_leagues(tmp_path, system, memory="1GB", **day)
    assert early.to_csv() == prowess.rate_leagues(tmp_path, system, **day).to_csv()


def test_pieces_of_a_stream_are_numbered_on(tmp_path):
    """A league and a player that come again in a later piece keep their numbers."""
    file = tmp_path / "games.csv"
    columns = ("date", "division", "a", "b", "score")
    rows = zip(*(TABLE[name] for name in columns), strict=True)
    file.write_text("\n".join(",".join(map(str, row)) for row in (columns, *rows)) + "\n")
    stream = LeagueStream(open_stream(file, rows_a_piece=2, facts="division"), ("division",))
    pieces = [piece.games for piece in stream.pieces()]
    assert [(games.a.tolist(), games.b.tolist()) for games in pieces] == [
        ([0, 2], [1, 3]), ([1, 3], [0, 4]), ([5], [6]),
    ]  # fmt: skip
    assert list(stream.roster()) == ["Ann", "Bob", "Ann", "Cid", "Dan", "Eve", "Fay"]
    assert stream.find_leagues().tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert stream.games.tolist() == [2, 2, 1]


@pytest.mark.parametrize(
    ("system", "how", "remedy"),
    [
        ("prowess", {}, (Unratable, "leagues_not_streamed", "glicko2", "elo")),
        ("arimaa", {"period": "1mo"}, (Unratable, "period_of_leagues", "--period")),
        ("map", {}, (BadArgument, "needs_whole_table", "read_games")),
    ],
)
def test_what_no_stream_can_rate_is_refused(system, how, remedy, tmp_path):
    """The remedy first."""
    file = tmp_path / "games.csv"
    file.write_text("league,a,b,score\nX,Ann,Bob,1\n")
    with refused(remedy[0], remedy[1], about=remedy[2:]):
        prowess.rate_leagues(file, system, memory="1GB", **how)


@pytest.mark.parametrize("who", [[2, 0, 2], np.array([1, 2], np.uint32), []])
def test_an_arrow_column_of_renamed_players_has_their_names(who):
    """Whether they stand in a roster, from which they are taken undecoded, or in a list."""
    pyarrow = pytest.importorskip("pyarrow")
    names = ["Ann", "Zoë", "Bob"]
    expected = [names[each] for each in who]
    for held in (Roster(names), names):
        assert pyarrow.array(RenamedRoster(held, who)).to_pylist() == expected
        column = pyarrow.array(RenamedRoster(held, who), pyarrow.large_string())
        assert column.to_pylist() == expected
