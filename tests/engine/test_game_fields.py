"""Columns that only the games of one system have."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, NamedTuple

import pytest

from prowess.engine.rate import rate, rate_on
from prowess.engine.system import Unratable, complement, same
from prowess.games.read import read_games
from prowess.systems.catalogue import find
from tests.refusals import refused

ROWS = {"a": ["Ann", "Ben"], "b": ["Ben", "Cleo"], "score": [1, 0], "best_of": [5, 3]}


class LongGame(NamedTuple):
    """A game and how long a match it was."""

    score: Annotated[float, complement] = 0.5
    side: Annotated[float, same] = 0.0
    best_of: Annotated[float, same] = 0.0


def evidence(p, mine, theirs, game):
    """Elo's, as often as the match was long."""
    one = find("elo").evidence(p, mine, theirs, game)
    return one._replace(change=one.change * game.best_of)


def drawn_in(p, mine, theirs, game):
    """Elo's forecast."""
    return find("elo").expected(p, mine, theirs, game)


LONG = replace(find("elo"), name="long", game=LongGame(), evidence=evidence, expected=drawn_in)


def test_a_fact_is_read():
    """5 times 32 x 1/2 = 80 points for a match of five."""
    games = read_games(ROWS, facts=("best_of",))
    assert rate(games.first(1), LONG)["Ann"].rating == 1580.0


def test_a_fact_that_is_missing_is_refused():
    """The remedy names the option; no column is silently 0."""
    with refused(Unratable, "column_needed", about=("best_of", "facts=")):
        rate(read_games(ROWS), LONG)
    ratings = rate(read_games(ROWS, facts=("best_of",)), LONG)
    with refused(Unratable, "column_needed", about="best_of"):
        rate_on(ratings, read_games(ROWS))


def test_a_system_may_do_without():
    """What it names in `uses` is 0 where the table has none, and a note says so."""
    ratings = rate(read_games(ROWS), replace(LONG, uses=("best_of",)))
    assert ratings["Ann"].rating == 1500.0
    assert any("--facts best_of" in note for note in ratings.notes)
    known = rate(read_games(ROWS, facts=("best_of",)), replace(LONG, uses=("best_of",)))
    assert not any("best_of" in note for note in known.notes)


@pytest.mark.parametrize("name", ["elo", "glicko2", "trueskill"])
def test_games_of_one_go_on_after_games_of_teams(name):
    """A table of doubles, then one of singles, and the reverse: as the whole table at once."""
    team = {"a1": ["Ann", "Bob"], "a2": ["Bob", "Ann"], "b1": ["Cid", "Cid"], "b2": ["Dan", ""]}
    tables = {
        "team": read_games(team | {"score": [1, 0]}),
        "one": read_games({"a": ["Ann", "Eve"], "b": ["Cid", "Ann"], "score": [0.5, 1]}),
    }
    rows = {
        "team": [*zip(*team.values(), [1, 0], strict=True)],
        "one": [("Ann", "", "Cid", "", 0.5), ("Eve", "", "Ann", "", 1)],
    }
    for first, second in (("team", "one"), ("one", "team")):
        columns = zip(*rows[first], *rows[second], strict=True)
        whole = rate(
            read_games(dict(zip([*team, "score"], map(list, columns), strict=True))), find(name)
        )
        both = rate_on(rate(tables[first], find(name)), tables[second])
        assert list(both.players) == list(whole.players)
        assert both.state.rating.tolist() == whole.state.rating.tolist()
        assert len(both.table) == 4
