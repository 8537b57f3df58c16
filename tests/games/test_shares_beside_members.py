"""Shares in columns beside the members, and results of teams between won and lost."""

from __future__ import annotations

from typing import Any

import pytest

from prowess.games import BadData
from prowess.games.read import read_games
from tests.refusals import refused

WIDE: dict[str, Any] = {
    "a1": ["Ann", "Ann"], "a1_share": [1, 90], "a2": ["Bob", "Bob"], "a2_share": [0.5, 45],
    "b1": ["Cid", "Cid"], "b1_share": [1, 90], "b2": ["Dan", ""], "b2_share": [0.25, None],
    "score": [0.75, 0], "margin": [2, -1], "side": [-1, 0],
}  # fmt: skip


def test_shares_stand_beside_their_members():
    """Shares follow members; minutes are divided by the most of the game; no member, no share."""
    table = read_games(WIDE, side="side")
    assert [table.players[k] for k in table.player] == [
        "Ann", "Bob", "Cid", "Dan", "Ann", "Bob", "Cid",
    ]  # fmt: skip
    assert table.share is not None
    assert table.share.tolist() == [1.0, 0.5, 1.0, 0.25, 1.0, 0.5, 1.0]
    assert table.ends.tolist() == [0, 2, 4, 6, 7]
    assert table.score.tolist() == [0.75, 0.0]
    assert table.margin is not None
    assert table.margin.tolist() == [2.0, -1.0]
    assert table.side is not None
    assert table.side.tolist() == [-1.0, 0.0]


def test_a_share_of_nothing_is_no_member():
    """Who has a share of 0 took no part; one member may be all that is left."""
    table = read_games({"a1": ["Ann"], "a1_share": [1], "a2": ["Bob"], "a2_share": [0],
                        "b1": ["Cid"], "score": [1]})  # fmt: skip
    assert list(table.players) == ["Ann", "Cid"]
    assert table.duels


def test_shares_of_single_players():
    """Sides of one column each have shares too."""
    table = read_games({"a1": ["Ann"], "a1_share": [0.5], "b1": ["Cid"], "b1_share": [1],
                        "score": [1]})  # fmt: skip
    assert table.share is not None
    assert table.share.tolist() == [0.5, 1.0]


def test_shares_need_not_be_used():
    """`share="none"` leaves the columns alone."""
    assert read_games(WIDE, share="none").share is None


@pytest.mark.parametrize(
    ("column", "cell", "what"),
    [
        ("a2_share", None, "share_missing"),
        ("a2_share", -1, "share_too_small"),
        ("a2_share", 1e-9, "share_too_small"),
        ("a2_share", "half", "not_a_number"),
        ("b1_share", 0, "no_shares"),
    ],
)
def test_shares_that_cannot_be(column, cell, what):
    """One clear error with the row and the column."""
    rows = {name: values[:1] for name, values in WIDE.items()}
    rows |= {"b2": [""], column: [cell]}
    with refused(BadData, what) as error:
        read_games(rows)
    assert (error.value.row, error.value.column) == (1, column)


@pytest.mark.parametrize(("mine", "theirs"), [("0.7", "0.3"), (0.1, 0.9), ("1", "0")])
def test_a_result_of_teams_is_a_score(mine, theirs):
    """What a row of a team calls its result is the score of its side, also between 0 and 1."""
    table = read_games({"match": [1, 1, 1], "team": ["r", "r", "b"],
                        "player": ["Ann", "Bob", "Cid"],
                        "result": [mine, mine, theirs]})  # fmt: skip
    assert table.score.tolist() == [float(mine)]


@pytest.mark.parametrize("share", [1e-300, 1e-7, -1])
def test_shares_are_not_tiny(share):
    """In rows of teams a share below a millionth is refused."""
    with refused(BadData, "share_too_small", about="0.000001") as error:
        read_games({"match": [1, 1], "team": ["r", "b"], "player": ["Ann", "Cid"],
                    "result": [1, 0], "share": [1, share]})  # fmt: skip
    assert (error.value.row, error.value.column) == (2, "share")
