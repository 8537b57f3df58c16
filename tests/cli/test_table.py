"""`prowess table`, `prowess pairings` and `prowess triangles`, as a shell runs them."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import answered, prowess, refused

BATTLES = """\
battle,bot_a,bot_b,score_a,score_b
1,ada,ben,600,400
2,ben,cy,700,300
3,cy,ada,640,360
4,dan,ada,200,800
"""


@pytest.fixture
def battles(tmp_path):
    """Four battles of four bots, three of them in a circle."""
    file = tmp_path / "battles.csv"
    file.write_text(BATTLES, encoding="utf-8")
    return file


def test_systems_side_by_side(battles):
    """A column a system, its settings in the heading, correlations below."""
    out = answered("table", battles, "--systems", "elo:k=20,points,massey", "--quiet")
    assert out.splitlines()[0].split() == ["player", "#", "elo:k=20", "#", "points", "#", "massey"]
    assert "Kendall's tau-b" in out
    data = json.loads(answered("table", battles, "--systems", "elo:k=20,points", "--json"))
    assert data["systems"]["elo:k=20"]["k"] == 20
    assert data["kendall"]["points"]["points"] == 1.0


def test_the_bot_rumble(battles):
    """The preset shows ten rankings."""
    data = json.loads(answered("table", battles, "--systems", "rumble", "--json", "-q"))
    assert len(data["systems"]) == 10
    assert {"aps", "pl", "schulze", "ranked_pairs", "batch_elo"} <= set(data["systems"])


def test_a_system_that_refuses_does_not_hide_the_others(games):
    """Its reason stands below the table, and the command ends with 3."""
    done = prowess("table", games, "--systems", "elo,massey")
    assert done.returncode == 3
    assert done.stdout.startswith("player")
    assert "massey refuses this table: name the columns of margin" in done.stdout
    assert "massey" in refused(3, "table", games, "--systems", "massey")


def test_the_gap_to_the_leader(battles):
    """A chance where there is a model, words where there is none."""
    out = answered("table", battles, "--systems", "elo,points", "--of", "dan", "-q")
    assert "no model of a game" in out
    assert "dan and the leader" in out


@pytest.mark.parametrize(
    ("systems", "words"),
    [("ello", "did you mean"), ("elo:kk=3", "no parameter"), (",", "at least one")],
)
def test_wrong_systems(battles, systems, words):
    """Unknown systems and settings are refused before the table is rated."""
    assert words in refused(2, "table", battles, "--systems", systems)


def test_pairings(battles):
    """Pairs, holes and proposals; the same numbers as JSON."""
    out = answered("pairings", battles, "--system", "elo", "--quiet")
    assert "2 pairs never met" in out
    assert "worth playing next" in out
    data = json.loads(answered("pairings", battles, "--of", "dan", "--budget", 1, "--json", "-q"))
    assert [pair["opponent"] for pair in data["pairs"]] == ["ada"]
    assert len(data["never_met"]) == 2
    assert len(data["next"]) == 1


def test_triangles(battles, contests):
    """The circle is listed; contests have none."""
    out = answered("triangles", battles, "--draws", 20, "-q")
    assert "1 of 1 triples are circular" in out
    data = json.loads(answered("triangles", battles, "--score", "share", "--draws", 20, "--json"))
    assert data["triangles"][0]["players"] == ["ada", "ben", "cy"]
    assert data["triangles"][0]["shares"] == [0.6, 0.7, 0.64]
    assert "contests" in refused(3, "triangles", contests)
