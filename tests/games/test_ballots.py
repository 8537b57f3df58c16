"""Ballots as lines of text."""

from __future__ import annotations

import pytest

import prowess
from prowess.games import BadData
from prowess.games.formats.ballots import read_ballots
from tests.games.refusing import place_first
from tests.refusals import refused

LINES = [
    "# a small election",
    "candidates: Ada, Ben, Cleo, Dan",
    "",
    "3: Ada > Ben = Cleo",
    "  Cleo>Ada  ",
    "0.5 : Ben",
]


def check(table):
    """The election above, by hand."""
    assert list(table.players) == ["Ada", "Ben", "Cleo", "Dan"]
    assert table.start.tolist() == [0, 3, 5, 6]
    assert table.player.tolist() == [0, 1, 2, 2, 0, 1]
    assert table.place.tolist() == [1, 2, 2, 1, 2, 1]
    assert table.weight.tolist() == [3.0, 1.0, 0.5]


def test_lines():
    """A ballot is a contest, its weight the number of those who cast it."""
    check(read_ballots(LINES))


def test_files(tmp_path):
    """A file is read by its suffix, or by its format; several are one election."""
    named, other = tmp_path / "a.ballots", tmp_path / "a.txt"
    for path in (named, other):
        path.write_text("\n".join(LINES), encoding="utf-8")
    check(read_ballots(named))
    check(prowess.read_games(named))
    check(prowess.read_games(other, format="ballots"))
    more = tmp_path / "b.ballots"
    more.write_text("2: Dan > Ada", encoding="utf-8")
    assert len(prowess.read_games([named, more])) == 4


def test_places_after_ties():
    """Two in the first place leave the next the third."""
    assert read_ballots(["Ada = Ben > Cleo"]).place.tolist() == [1, 1, 3]
    assert read_ballots(["Ada = Ben > Cleo"]).weight is None


def test_commas():
    """Commas rank as > does, and a note says so; a count may stand before them."""
    table = read_ballots(["Ada, Ben, Cleo", "3: Ben,Ada", "Cleo > Ben = Ada"])
    assert list(table.players) == ["Ada", "Ben", "Cleo"]
    assert table.place.tolist() == [1, 2, 3, 1, 2, 1, 2, 2]
    assert table.weight.tolist() == [1, 3, 1]
    assert table.notes == ("2 ballots with commas: read as > (the first is the best)",)
    assert read_ballots(["Ada > Ben"]).notes == ()


def test_lists():
    """A ballot may be a list of names; then commas belong to names. A list inside is a tie."""
    table = read_ballots([["Ada", "Ben, jr."], ("Ben, jr.", ["Ada", "Cleo"])])
    assert list(table.players) == ["Ada", "Ben, jr.", "Cleo"]
    assert table.player.tolist() == [0, 1, 1, 0, 2]
    assert table.place.tolist() == [1, 2, 1, 2, 2]


def test_as_a_table_of_places():
    """The same election as rows of contest, player, place and weight."""
    rows = {
        "contest": [1, 1, 1, 2, 2, 3],
        "player": ["Ada", "Ben", "Cleo", "Cleo", "Ada", "Ben"],
        "place": [1, 2, 2, 1, 2, 1],
        "weight": [3, 3, 3, 1, 1, 0.5],
    }
    lines = [line for line in LINES if not line.startswith("candidates")]
    for system in ("schulze", "borda", "minimax"):
        one = prowess.rate(read_ballots(lines), system).summary()
        other = prowess.rate(prowess.read_games(rows), system).summary()
        assert one | {"reading": {}} == other | {"reading": {}}


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["Ada > Ben", "Ada > > Ben"], "line 2: a name is missing; write a ballot as"),
        (["3:"], "line 1: a name is missing"),
        (["Ada > Ben > Ada"], 'line 1: "Ada" stands here twice; name each player once'),
        (["0: Ada > Ben"], 'line 1: "0: Ada > Ben" has a count of 0; leave the line out'),
        (["candidates: Ada, Ben", "Adda"], 'line 2: "Adda" is no candidate; did you mean Ada?'),
        (["candidates: Ada", "Zoe"], 'line 2: "Zoe" is no candidate; add the name to the line of'),
        (["candidates: Ada, Ada"], 'line 1: "Ada" stands here twice'),
        (["Ada", "candidates: Ada"], "line 2: candidates are named once, before the first"),
        (["# nothing"], "there is no ballot; write a ballot as 3: Ada > Ben = Cleo"),
        (["1: \udcff"], "line 1: a name is not UTF-8"),
        (["Ada, Ben > Cleo"], 'line 1: "Ada, Ben > Cleo" has commas beside > or =; write > or ='),
        (["Ada, Ben = Cleo"], "line 1: "),
        (["Ada, Ben, Ada"], 'line 1: "Ada" stands here twice; name each player once'),
        (["Ada, Ben,"], "line 1: a name is missing"),
        ([["Ada", "Ben"], ["Ada", "Ada"]], 'line 2: "Ada" stands here twice'),
        ([["Ada", ["Ben", "Ada"]]], 'line 1: "Ada" stands here twice'),
        ([["Ada", 3]], 'line 1: [\'Ada\', 3] is no ballot; write it as ["Ada", ["Ben", "Cleo"]'),
        ([[]], "line 1: [] is no ballot"),
        ([5], "line 1: 5 is no ballot; give a line or a list of names"),
    ],
)
def test_refusals(lines, what):
    """What is no ballot is refused with its line, what is wrong, and a remedy."""
    with pytest.raises(BadData) as caught:
        read_ballots(lines)
    assert place_first(caught.value).startswith(what)


def test_skip_bad():
    """Lines that are no ballots are left out and reported."""
    heard: list[BadData] = []
    table = read_ballots(["Ada > Ben", "Ada >", "Ben"], skip_bad=True, report=heard.append)
    assert len(table) == 2
    assert [bad.line for bad in heard] == [2]


def test_options_that_say_nothing(tmp_path):
    """Ballots have no columns, so naming one is refused."""
    path = tmp_path / "a.ballots"
    path.write_text("Ada > Ben", encoding="utf-8")
    with refused(BadData, "ballots_without_columns"):
        prowess.read_games(path, player="name")
