"""`prowess simulate`."""

from __future__ import annotations

import csv
import gzip
import json

import pytest

from tests.cli.command import answered, prowess, refused

SMALL = ("simulate", "league", "--players", 12, "--games", 300)


def test_league_is_rated_unasked(tmp_path):
    """What simulate writes, rate reads without a question."""
    games = tmp_path / "games.csv"
    done = prowess(*SMALL, "--draws", 0.3, "--advantage", 35, "--seed", 7, "-o", games)
    assert (done.returncode, done.stdout) == (0, "")
    assert "300 games of 12 players" in done.stderr
    assert "seed 7" in done.stderr
    board = json.loads(answered("rate", games, "--json"))
    assert (board["games"], board["players"]) == (300, 12)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".jsonl", ".jsonl.gz"])
def test_forms(tmp_path, suffix):
    """The suffix says the form, and every form is read as the same games."""
    file, plain = tmp_path / f"games{suffix}", tmp_path / "plain.csv"
    answered(*SMALL, "-o", file)
    plain.write_text(answered(*SMALL), encoding="utf-8")
    assert answered("rate", file, "--csv") == answered("rate", plain, "--csv")


def test_packed_files_repeat(tmp_path):
    """The same settings and seed give the same bytes, packed as well; another seed others."""
    one, two, three = (tmp_path / f"{name}.csv.gz" for name in ("one", "two", "three"))
    answered(*SMALL, "-o", one)
    answered(*SMALL, "-o", two)
    answered(*SMALL, "--seed", 2, "-o", three)
    assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress(one.read_bytes()) != gzip.decompress(three.read_bytes())


def test_truth(tmp_path):
    """The truth has a row for every player, and one for every game."""
    players, games = tmp_path / "players.csv", tmp_path / "true.csv"
    answered(*SMALL, "--quiet", "-o", tmp_path / "g.csv", "--truth", players, "--true-games", games)
    with players.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 12
    assert {"player", "strength", "games"} <= set(rows[0])
    with games.open(encoding="utf-8") as lines:
        assert len(list(csv.DictReader(lines))) == 300


def test_first_day():
    """A league begins on the day asked for."""
    text = answered(*SMALL, "--first-day", "1999-12-31", "--days", 1)
    assert {line[:10] for line in text.splitlines()[1:]} == {"1999-12-31"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--players", 1), "give players as a number from 2"),
        (("--draws", 1.5), "give draws as a number from 0 to 0.99 "),
        (("--curve", "straight"), "logistic"),
        (("--life", 1), "fewer than two players are left"),
        (("--beginning", "settled"), "give life"),
        (("-o", "games.txt"), ".csv or .jsonl"),
        (("-o", "games.csv", "--truth", "games.csv"), "files of their own"),
        (("--seed", -1), "seed"),
        (("--first-day", "31/12/1999"), "--first-day"),
    ],
)
def test_refusals(options, says, tmp_path):
    """Wrong use is refused before anything is written, with the reason."""
    small = ("simulate", "league") if "--players" in options else SMALL  # an option stands once
    assert says in refused(2, *small, *options, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path):
    """A file that cannot be written is named."""
    assert "make the folder" in refused(2, *SMALL, "-o", tmp_path / "nowhere" / "games.csv")


def test_presets_are_listed():
    """Without a name all claims are listed, with their sources in JSON."""
    claims = json.loads(answered("simulate", "preset", "--json"))
    assert {"stable_pair", "generations", "redistribution"} <= {claim["name"] for claim in claims}
    assert all(claim["source"] for claim in claims)
    assert claims[0]["claim"] in answered("simulate", "preset")


def test_preset_says_claim_found_and_verdict():
    """A claim is printed with its source, what was found beside it, and the verdict."""
    text = answered("simulate", "preset", "stable_pair")
    assert "arimaa.com" in text
    row = next(line for line in text.splitlines() if "loser" in line)
    # by the printed rule they settle at 1755 and 1045; the page says 1046
    assert row.split()[3:] == ["1046", "1045", "0.5", "does", "not", "hold"]
    data = json.loads(answered("simulate", "preset", "stable_pair", "--json"))
    assert [finding["holds"] for finding in data["findings"]] == [True, True, False]


def test_unknown_preset():
    """An unknown claim is met with the nearest known one."""
    assert "did you mean noise?" in refused(2, "simulate", "preset", "noize")
