"""Columns of rankings, ballots of PrefLib, and grids of forms."""

from __future__ import annotations

import pytest

from prowess.games import BadData, read_games
from prowess.games.shapes.melt import find_better_end
from tests.refusals import refused


def places(table):
    """The names of each contest with their places."""
    rows = zip(table.start, table.start[1:], strict=False)
    return [
        {table.players[table.player[at]]: int(table.place[at]) for at in range(first, end)}
        for first, end in rows
    ]


def test_lists_of_names():
    """A list has the best first, a list in it those who are equal; names may hold any mark."""
    table = read_games([{"ranking": ["a, b", ["c; d", "e"]]}, {"ranking": ["e", "a, b"]}])
    assert places(table) == [{"a, b": 1, "c; d": 2, "e": 2}, {"e": 1, "a, b": 2}]


@pytest.mark.parametrize("heading", ["ranking (best first)", "preferences", "Reihenfolge"])
def test_commas(heading):
    """Names with commas between them are ranked where the heading says so."""
    table = read_games({heading: ["Ann, Bob, Cy", "Bob, Ann"]})
    assert places(table) == [{"Ann": 1, "Bob": 2, "Cy": 3}, {"Bob": 1, "Ann": 2}]


def test_counts():
    """A ballot counts as often as it was cast: a number before it, or a column of counts."""
    ballots = ["Ann > Bob", "Bob > Ann = Cy"]
    column = read_games({"ballot": ballots, "count": [12, 7]})
    before = read_games({"ballot": [f"12: {ballots[0]}", f"7:{ballots[1]}"]})
    assert column.weight.tolist() == before.weight.tolist() == [12.0, 7.0]
    assert places(column) == places(before)
    numbered = read_games({"n": [1, 2], "ballot": ballots})
    assert numbered.weight is None


@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("votes", ["Ann, Bob", "Ann, Cy", "Ann, Bob, Cy"]),  # ticked boxes
        ("category", ["Sport > Golf", "Sport > Polo", "Sport > Run > Mile"]),
        ("ranking (worst first)", ["Ann, Bob", "Bob, Ann"]),
        ("players", [["Ann", "Bob"], ["Bob", "Ann"]]),
        ("order", ["1,2", "2,1"]),
    ],
)
def test_no_rankings(heading, cells):
    """Lists whose order says nothing, paths and numbers are no rankings."""
    with refused(BadData, "no_players_found"):
        read_games({heading: cells, "id": range(len(cells))})


def test_preflib(tmp_path):
    """PrefLib numbers the candidates above the ballots and ties them in braces."""
    path = tmp_path / "a.toi"
    heads = [
        "# DATA TYPE: toi",
        *(f"# ALTERNATIVE NAME {at}: {n}" for at, n in ((1, "A"), (2, "B"))),
    ]
    path.write_text("\n".join([*heads, "3: {1,2}", "2: 2, 1"]), encoding="utf-8")
    table = read_games(path)
    assert places(table) == [{"A": 1, "B": 1}, {"B": 1, "A": 2}]
    assert table.weight.tolist() == [3.0, 2.0]
    for line, what in (("2: 1,3", ("unknown_candidate", "3")), ("2: {1", ("not_a_ballot",))):
        path.write_text("\n".join([*heads, line]), encoding="utf-8")
        with refused(BadData, what[0], about=what[1:]):
            read_games(path)
    path.write_text("\n".join(["# DATA TYPE: cat", *heads[1:], "2: {1},{2}"]), encoding="utf-8")
    with refused(BadData, "categories"):
        read_games(path)


@pytest.mark.parametrize("lines", ["Ann > Bob 3:1\nBob > Cy 3:0", "Ann -> Bob\nBob -> Cy"])
def test_texts_that_are_no_ballots(tmp_path, lines):
    """Results and arrows in a text are no ballots."""
    path = tmp_path / "a.txt"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(BadData):
        read_games(path)


@pytest.mark.parametrize(
    ("question", "sign"),
    [
        ("(1 = not at all, 5 = love it)", 1.0), ("1 = sehr gut, 6 = ungenügend", -1.0),
        ("1 = poor", 0.0), ("from 1 to 5", 0.0), ("1 = good, 5 = great", 0.0),
        ("How many stars?", 1.0),
    ],
)  # fmt: skip
def test_better_end_of_a_scale(question, sign):
    """Words beside the ends of a scale say which is better; one end alone says too little."""
    assert find_better_end(question) == sign


def test_grids_of_marks():
    """Marks of a grid are points; which end is better is asked where the question is silent."""
    cells = [[3, 1], [3, 2], [5, 5]]
    grid = {f"Marks (1 = best 6 = worst) [{name}]": cells[at] for at, name in enumerate("ABC")}
    assert places(read_games(grid)) == [{"A": 1, "B": 1, "C": 3}, {"A": 1, "B": 2, "C": 3}]
    silent = {f"Marks [{name}]": cells[at] for at, name in enumerate("ABC")}
    with refused(BadData, "better_end_unknown"):
        read_games(silent)
    assert places(read_games(silent, points="score"))[0] == {"A": 2, "B": 2, "C": 1}


@pytest.mark.parametrize(
    "headings",
    [
        ("Rank1", "Rank2", "Rank3"),
        ("rank_1", "rank_2", "rank_3"),
        ("Choice #1", "Choice #2", "Choice #3"),
        ("Erstwahl", "Zweitwahl", "Drittwahl"),
        ("Präferenz Nr. 1", "Präferenz Nr. 2", "Präferenz Nr. 3"),
        ("1er choix", "2e choix", "3e choix"),
        ("Primera opción", "Segunda opción", "Tercera opción"),
        ("Wybór 1", "Wybór 2", "Wybór 3"),
        ("My 1st choice", "My 2nd choice", "My 3rd choice"),
    ],
)
def test_headings_of_places(headings):
    """A column for each place is found by the number in its heading."""
    ballots = [("Ann", "Bob", "Cy"), ("Cy", "Ann", ""), ("Bob", "Cy", "Ann")]
    table = read_games([dict(zip(headings, ballot, strict=True)) for ballot in ballots])
    assert places(table) == [
        {"Ann": 1, "Bob": 2, "Cy": 3}, {"Cy": 1, "Ann": 2}, {"Bob": 1, "Cy": 2, "Ann": 3}
    ]  # fmt: skip


def test_columns_of_votes_are_no_ranking():
    """`Vote 1` need not be the vote that counts most."""
    with pytest.raises(BadData):
        read_games([
            {"Vote 1": "Ann", "Vote 2": "Bob", "Vote 3": "Cy"},
            {"Vote 1": "Cy", "Vote 2": "Ann", "Vote 3": "Bob"},
        ])  # fmt: skip


@pytest.mark.parametrize("words", ["{}. Wahl", "choix {}", "{}ª opção", "Rank {}"])
def test_ordinals_in_a_grid(words):
    """The cells of a grid of a form may be ordinals with a word behind or before them."""
    ranked = [(1, 2, 3), (2, 1, 3), (3, 1, 1)]
    table = read_games([
        {f"Rank them [{name}]": words.format(at) for name, at in zip("ABC", row, strict=True)}
        for row in ranked
    ])  # fmt: skip
    assert places(table)[:2] == [{"A": 1, "B": 2, "C": 3}, {"A": 2, "B": 1, "C": 3}]
