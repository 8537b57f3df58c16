"""Ratings travel: pickled, copied, sent to another process, they say what they said before."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prowess.engine.fits import covariance
from prowess.engine.inflation import NewcomersMean
from prowess.engine.params import parameters
from prowess.engine.system import Dynamic, Undeclared, system_at
from prowess.engine.whole_table import GAMES
from prowess.systems.catalogue import catalogue, find
from prowess.verbs.rating import rate
from tests.engine.tables import START, contests, games
from tests.refusals import refused

CATALOGUE = dict(catalogue())
ROWS = [
    ("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Ada", 1.0), ("Dan", "Ada", 0.0),
    ("Ben", "Dan", 1.0), ("Dan", "Cleo", 1.0), ("Ada", "Cleo", 0.5), ("Ben", "Ada", 1.0),
]  # fmt: skip
GAME_TABLE = games(
    ROWS,
    time=[START + 5.0 * k for k in range(8)],
    side=[1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0],
    points_a=[3.0, 1.0, 2.0, 0.0, 4.0, 2.0, 1.0, 2.0],
    points_b=[0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0],
    margin=[3.0, 0.0, 1.0, -1.0, 3.0, 2.0, 0.0, 1.0],
)
BALLOT_TABLE = contests(
    [[("Ada", 1), ("Ben", 2), ("Cleo", 3)], [("Ben", 1), ("Ada", 2), ("Cleo", 2)]],
    time=[START, START + 3],
)
COPIES = {
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def rated(name: str) -> Any:
    """Ratings of a small table under a system of the catalogue."""
    system = CATALOGUE[name]
    known = parameters(system)
    params: dict[str, Any] = {"samples": known["samples"].domain.low} if "samples" in known else {}
    params |= {"sd": 1.0} if "sd" in known else {}  # goals of eight games fix no finite ratings
    if isinstance(system, Dynamic):
        return rate(GAME_TABLE, system, period="7d" if system.rounds == "period" else None)
    table = GAME_TABLE if GAMES in system.reads else BALLOT_TABLE
    return rate(table, system, **params)


def told(ratings: Any) -> dict[str, Any]:
    """All that ratings say of a table: leaderboard, a forecast, every history."""
    system = ratings.system
    said: dict[str, Any] = {"ratings": json.loads(ratings.to_json())}
    if isinstance(system, Dynamic) or system.chances is not None:
        found = ratings.forecast("Ada", "Ben", 1.0)
        said["forecast"] = [*found[:-1], found.scores and found.scores.grid.tolist()]
    if isinstance(system, Dynamic):
        said["histories"] = [[s.as_dict() for s in ratings.history(name)] for name in ratings]
        columns = ratings.history().columns
        said["table"] = {name: column.astype(str).tolist() for name, column in columns.items()}
    if getattr(getattr(ratings, "fit", None), "resampled", None) is not None:
        again = ratings.bootstrap(20, seed=4)
        said["bootstrapped"] = [again.column(name).tolist() for name in ("low", "high")]
    return said


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", CATALOGUE)
def test_a_copy_says_the_same(name, way):
    """Under every system: the same leaderboard, forecast, histories and intervals."""
    ratings = rated(name)
    before = told(ratings)  # what was worked out and kept must not stand in the way
    again = COPIES[way](ratings)
    assert again.system is ratings.system
    assert told(again) == before
    assert repr(again) == repr(ratings)


SCRIPT = """
import json, pickle, sys
from tests.engine.test_pickling import told
made = pickle.load(open(sys.argv[1], "rb"))
print(json.dumps([told(one) for one in made]))
"""


def elsewhere(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A script in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip


def test_another_process_says_the_same(tmp_path):
    """Ratings of the whole catalogue, written to a file, are read by a new process."""
    every = [rated(name) for name in CATALOGUE]
    file = tmp_path / "ratings.pickle"
    file.write_bytes(pickle.dumps(every))
    done = elsewhere(SCRIPT, str(file))
    assert not done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps([told(one) for one in every]))


def test_ratings_under_rules_travel():
    """Rules against inflation and what they did are part of it."""
    ratings: Any = rate(GAME_TABLE, "elo", rules=[NewcomersMean(1500.0, "1mo")], forecasts=True)
    again = pickle.loads(pickle.dumps(ratings))
    assert again.events == ratings.events != []
    assert again.forecasts.tolist() == ratings.forecasts.tolist()
    assert told(again) == told(ratings)


def test_a_large_fit_travels(monkeypatch):
    """Where covariances are too many to keep, the exact ones are still found afterwards."""
    monkeypatch.setattr(covariance, "DENSE_PLAYERS", 1)
    ratings: Any = rate(GAME_TABLE, "bradley_terry", reference="Ada")
    again = pickle.loads(pickle.dumps(ratings))
    assert type(again.fit.uncertainty).__name__ == "GroupedNormal"
    assert np.array_equal(again.superiority(), ratings.superiority())
    assert again.to_csv() == ratings.to_csv()


def test_a_standing_travels():
    """One player of whole-table ratings, too."""
    standing = rated("bradley_terry")["Ada"]
    again = pickle.loads(pickle.dumps(standing))
    assert repr(again) == repr(standing)
    assert copy.deepcopy(standing).rating == standing.rating


OWN = """
from dataclasses import replace
from typing import NamedTuple

from prowess import Dynamic
from prowess.systems.elo import ELO

class Params(NamedTuple):
    step: float = 1.0

class Rating(NamedTuple):
    rating: float = 0.0

class Evidence(NamedTuple):
    points: float = 0.0

def expected(p, me, opponent, game):
    return 0.5

def evidence(p, me, opponent, game):
    return Evidence(p.step * game.score)

def absorb(p, me, total):
    return Rating(me.rating + total.points)

MINE = Dynamic("mine", Params(), Rating(), Evidence(), expected, evidence, absorb)
WIDE = replace(ELO, name="wide", params=ELO.params._replace(k=64.0))
"""


@pytest.mark.parametrize("name", ["MINE", "WIDE"])
def test_a_system_of_ones_own_travels_with_its_file(tmp_path, name):
    """Another process runs the user's file as it was, also where the file is not or has changed."""
    own = tmp_path / "own.py"
    own.write_text(OWN, encoding="utf-8")
    ratings = rate(GAME_TABLE, f"{own}:{name}")
    file = tmp_path / "ratings.pickle"
    file.write_bytes(pickle.dumps([ratings]))
    own.write_text(OWN.replace("k=64.0", "k=65.0").replace("score)", "score + 1)"), "utf-8")
    done = elsewhere(SCRIPT, str(file))
    assert not done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps([told(ratings)]))


def test_another_version_of_a_file_takes_the_place_of_the_first(tmp_path):
    """A process that has run the file already runs what it is sent."""
    own = str(tmp_path / "own.py")
    first = system_at("prowess_file_twice", "WIDE", own, OWN)
    assert system_at("prowess_file_twice", "WIDE", own, OWN) is first
    second = system_at("prowess_file_twice", "WIDE", own, OWN.replace("k=64.0", "k=65.0"))
    assert (first.params.k, second.params.k) == (64.0, 65.0)


def test_a_system_that_is_gone_is_named():
    """A module that is no longer there."""
    with pytest.raises(pickle.UnpicklingError, match="put back nowhere_at_all with MINE in it"):
        system_at("nowhere_at_all", "MINE", None)


def test_a_system_without_a_name_is_refused():
    """A value that no module holds cannot be found again: pickling says so, copying works."""
    ratings = rate(GAME_TABLE, replace(find("elo"), name="passing"))
    with refused(Undeclared, "system_not_found", about="passing"):
        pickle.dumps(ratings)
    assert told(copy.deepcopy(ratings)) == told(ratings)
