"""How many rows may be left out, and how they are counted."""

from __future__ import annotations

import io
import json

import pytest

from prowess.compile import kernel
from prowess.games import BadData, read_games
from tests.cli.command import answered, prowess, refused
from tests.games.refusing import place_first
from tests.refusals import refused as refusal

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]


def read(results, skip_bad, compiled=False, **options):
    """A table of games with these results."""
    rows = "".join(f"p{at},q{at},{result}\n" for at, result in enumerate(results))
    return read_games(
        io.StringIO("a,b,result\n" + rows), format="csv", skip_bad=skip_bad, compiled=compiled,
        **options,
    )  # fmt: skip


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    ("results", "left", "what"),
    [
        (["1"] * 4 + ["what"] * 36, 36, '36 rows with "what" would be left out'),
        (["1"] * 35 + ["what"] * 5, 5, '5 rows with "what" would be left out'),
        (["1"] * 996 + ["what"] * 4, 4, '4 rows with "what" would be left out'),
        (["1"] * 36 + ["qa", "qb", "qc", "qd"], 4, "4 of 40 rows would be left out"),
    ],
)
def test_too_many_are_refused(compiled, results, left, what):
    """A kind of value, and more than 5 % of the rows, are left out only if told how many."""
    with pytest.raises(BadData) as error:
        read(results, True, compiled)
    text = place_first(error.value)
    assert what in text
    assert f"line {results.index('1') + results.count('1') + 2}, column" in text
    assert text.endswith(f"or allow it with skip_bad={left} (--skip-bad={left})")
    for enough in (left, left / len(results) + 1e-9, "all"):
        games = read(results, enough, compiled)
        assert (len(games), games.left_out) == (len(results) - left, left)
    for few in (left - 1, 0.5 * left / len(results)):
        with refusal(BadData, "too_many_bad_rows", about=("only", str(left), f"{len(results):,}")):
            read(results, few, compiled)


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    "results",
    [
        ["1"] * 9 + ["what"], ["1"] * 4 + ["what"] * 3, ["1"] * 96 + ["qa", "qb", "qc", "qd"],
    ],
)  # fmt: skip
def test_a_few_are_left_out(compiled, results):
    """Three rows of any table, 5 % of a large one, are left out, counted and noted."""
    games = read(results, True, compiled)
    left = len(results) - results.count("1")
    assert games.left_out == left
    assert len(games) == results.count("1")
    assert games.reading.left_out == {"bad": left}
    assert f"{left} row" in games.reading.look_at[0]


@pytest.mark.parametrize("wrong", [-1, 1.5, "some", None])
def test_other_limits(wrong):
    """A limit is a number of rows, a share, or all."""
    with refusal(BadData, "bad_skip_bad", about=("skip_bad", "True"), remedy=False):
        read(["1"], wrong)


def test_none_are_left_out():
    """A limit of no rows is as good as none: the first bad row is refused."""
    with refusal(BadData, "unknown_outcome", about="what"):
        read(["1"] * 9 + ["what"], 0)


def test_contests_and_ballots(tmp_path):
    """The same limit holds for contests and for ballots."""
    rows = "".join(f"{event},p{player},{player}\n" for event in "EFGH" for player in range(1, 10))
    text = "event,player,place\n" + rows + "".join(f"{event},q,lost\n" for event in "EFGH")
    with refusal(BadData, "too_many_bad_rows", about="lost"):
        read_games(io.StringIO(text), format="csv", skip_bad=True)
    contests = read_games(io.StringIO(text), format="csv", skip_bad=4, warn=False)
    assert (len(contests.player), contests.left_out) == (36, 4)
    file = tmp_path / "votes.ballots"
    file.write_text("A > B\n" * 36 + "A > A\n" * 4, encoding="utf-8")
    with refusal(BadData, "too_many_bad_rows", about="40"):
        read_games(file, skip_bad=True)
    assert read_games(file, skip_bad=4, warn=False).left_out == 4


def test_the_option(tmp_path):
    """--skip-bad takes a number, a share or all, never the file after it; all outputs count."""
    file = tmp_path / "games.csv"
    file.write_text("a,b,result\n" + "A,B,1\n" * 36 + "A,B,what\n" * 4, encoding="utf-8")
    said = refused(3, "rate", "--skip-bad", file)
    assert '4 rows with "what" would be left out' in said
    assert "--skip-bad=4" in said
    for limit in ("4", "10%", "all"):
        done = prowess("rate", f"--skip-bad={limit}", file, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["left_out"] == 4
        assert "look at   4 rows left out: bad" in done.stderr
        assert done.stderr.count("left out: ") == 5  # each by its line
        assert json.loads(done.stdout)["reading"]["left_out"] == {"bad": 4}
    for wrong in ("some", "-1", "101%", "5.5"):
        assert "number of rows" in refused(2, "rate", f"--skip-bad={wrong}", file)
    file.write_text("a,b,result\n" + "A,B,1\n" * 3, encoding="utf-8")
    assert json.loads(answered("rate", file, "--json"))["left_out"] == 0


def finals(remark, loser="", score=""):
    """Three finals, and a row of a year in which there may have been none."""
    rows = [
        ("Ann", "Ben", "3-1"),
        (remark, loser, score),
        ("Ben", "Cy", "3-2"),
        ("Cy", "Ann", "3-0"),
    ]
    return read_games(
        {"Year": ["2018", "2019", "2020", "2021"]}
        | dict(zip(("Winner", "Runner-up", "Score"), zip(*rows, strict=True), strict=True)),
        warn=False,
    )


@pytest.mark.parametrize(
    "remark", ["Not held", "Cancelled due to COVID-19", "kein Turnier", "non disputé", "war", ""]
)
@pytest.mark.parametrize("twice", [False, True])
def test_years_without_an_event(remark, twice):
    """A remark in place of the players of a row without a result is counted as no game."""
    games = finals(remark, remark if twice else "")
    assert (len(games), games.left_out) == (3, 1)


@pytest.mark.parametrize(
    ("remark", "loser", "score"), [("Zoe", "", ""), ("Not held", "", "3-1"), ("Ann", "Ann", "")]
)
def test_a_player_without_an_opponent_is_no_remark(remark, loser, score):
    """A name alone, or a row with a result, is refused."""
    with pytest.raises(BadData):
        finals(remark, loser, score)


def test_fixtures_with_v_between():
    """`v` stands where a result will stand, unless letters tell results."""
    assert read(["2-1", "v", "0-0"], False).left_out == 1
    assert read(["V", "v", "N"], False).score.tolist() == [1.0, 1.0, 0.5]


def goals(home, away, **columns):
    """Games with these goals."""
    count = len(home)
    teams = {"home": [*"ABCABCABCABC"[:count]], "away": [*"BCABCABCABCA"[:count]]}
    return read_games({**teams, "HG": home, "AG": away, **columns}, warn=False)


@pytest.mark.parametrize("number", [-1, -99, 999])
def test_numbers_that_stand_for_no_score(number):
    """-1 : -1 is no draw, unless other points are negative as well."""
    games = goals([2, number, 0, 3], [1, number, 0, 1])
    assert (games.score.tolist(), games.left_out) == ([1.0, 0.5, 1.0], 1)
    assert len(goals([2, -1, -4, 3], [1, -1, 0, 1])) == 4


def test_games_in_a_row_that_are_0_0_are_told_of():
    """As fixtures at the end of a list, not 0:0 here and there."""
    played = [2, 1, 0, 3, 4], [1, 1, 2, 0, 2]
    note = "3 games in a row are 0:0"
    assert any(note in each for each in goals(*([*side, 0, 0, 0] for side in played)).notes)
    assert any(note in each for each in goals(*([0, 0, 0, *side] for side in played)).notes)
    assert not any(note in each for each in goals(*([*side, 0, 0] for side in played)).notes)


def test_points_of_a_league_table_are_not_those_of_a_scoreline():
    """The points that the result tells are kept; a slip in one row is refused."""
    lines = ["2-1", "1-1", "0-1", "3-0"]
    games = goals([3, 1, 3, 6], [0, 1, 4, 1], Result=lines)
    assert games.points_a.tolist() == [2, 1, 0, 3]
    with refusal(BadData, "margin_contradicts"):
        goals([2, 1, 0, 0], [1, 1, 1, 3], Result=lines)


@pytest.mark.parametrize(
    "result", ["1-0 HT", "HT 1-0", "2:1 (abgebrochen)", "1-0 (67')", "abd 1-0"]
)
def test_a_score_so_far_is_no_result(result):
    """A word behind a score says that the game was not played to its end."""
    assert read(["2-1", result, "0-3"], False).left_out == 1
    assert read(["2-1", "2:1 (HT 1:0)", "2-1 aet"], False).left_out == 0


def test_times_of_kick_off_among_results_are_asked_about():
    """15:30 among small scores may be a time; the remedy works, and handball is left alone."""
    with refusal(BadData, "score_or_clock", about="15:30"):
        read(["2:1", "15:30", "0:3"], False)
    assert len(read(["2:1", "15:30", "0:3"], False, outcomes={"15:30": None})) == 2
    assert len(read(["25:30", "30:25", "28:28", "15:30"], False)) == 4


def test_the_side_that_forfeited_may_be_named():
    """A column of forfeits that names a player leaves the game out, as a flag does."""
    games = goals([3, 2, 1], [0, 1, 1], Forfeit=["B", "", ""])
    assert (len(games), games.left_out) == (2, 1)
