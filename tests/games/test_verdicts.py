"""Columns of judgments: votes, verdicts and preferences of two answers."""

from __future__ import annotations

import pytest

from prowess.games import BadData, read_games
from tests.refusals import refused

PAIRS = ("m1", "m2"), ("m2", "m3"), ("m3", "m1"), ("m1", "m3"), ("m2", "m1"), ("m3", "m2")


def judged(cells, heading="verdict", **others):
    """Six games of three models with these judgments."""
    rows = enumerate(zip(PAIRS, cells, strict=True))
    return [
        {"model_a": a, "model_b": b, heading: cell}
        | {name: values[row] for name, values in others.items()}
        for row, ((a, b), cell) in rows
    ]


@pytest.mark.parametrize(
    ("first", "second", "draw"),
    [
        ("A>B", "B>>A", "A=B"), ("A>>B", "A<B", "B=A"), ("[[A]]", "[[B]]", "[[C]]"),
        ("left", "right", "both_bad"), ("model_a", "model_b", "equal"), (1.0, 2.0, 1.5),
        ("A is better", "B is slightly better", "No difference"), ("A_WINS", "B_WINS", "neither"),
        ("Response 1", "Response 2", "Both are good"), ("agent_1", "agent_2", "about the same"),
        ("A besser", "B viel besser", "kein Unterschied"), ("prefer A", "strongly prefer B", "="),
    ],
)  # fmt: skip
@pytest.mark.parametrize("heading", ["verdict", "vote", "human preference", "label", "choice"])
def test_judgments(first, second, draw, heading):
    """A judgment names the better side, compares both, or says that neither is better."""
    rows = judged([first, second, draw, first, second, draw], heading)
    assert read_games(rows).score.tolist() == [1.0, 0.0, 0.5, 1.0, 0.0, 0.5]


def test_unjudged_pairs_are_left_out():
    """A pair that the judge skipped is no game, and is counted."""
    found = read_games(judged(["left", "right", "skip", "left", "left", "right"], "choice"))
    assert len(found) == 5
    assert dict(found.reading.left_out) == {"not played": 1}


@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("pool", ["A", "B"] * 3), ("variant", ["A", "B"] * 3), ("label", ["math", "code"] * 3),
        ("verdict", ["A>C", "B>A"] * 3), ("preference", [0.7, 0.2, 0.55] * 2),
        ("annotator preference id", [0, 1, 2] * 2),
    ],
)  # fmt: skip
def test_near_misses(heading, cells):
    """Letters of groups, kinds of prompts, shares and ids are no judgments."""
    with refused(BadData, "no_result_found"):
        read_games(judged(cells, heading))


@pytest.mark.parametrize("cells", [[0, 1] * 3, [0, 1, 2] * 2])
def test_numbers_of_sides_are_asked(cells):
    """Whether sides are counted from 0 or from 1 is a question with both readings."""
    with refused(BadData, "winners_ambiguous") as caught:
        read_games(judged(cells, "label"))
    assert caught.value.remedy.count("outcomes=") == 2


def test_two_columns_of_judgments():
    """Two columns that agree are one judgment; of two that differ one has to be named."""
    cells = ["A", "B", "tie", "A", "B", "A"]
    assert read_games(judged(cells, "g1_winner", g2_winner=cells)).score[2] == 0.5
    with refused(BadData, "winner_ambiguous"):
        read_games(judged(cells, "g1_winner", g2_winner=["B", *cells[1:]]))


def test_points_beside_a_judgment_decide():
    """A column of choices beside points is a forecast or a remark."""
    rows = judged(
        [1, 2, 1, 2, 1, 2], "choice", score_a=[1, 3, 0, 1, 2, 0], score_b=[2, 2, 2, 1, 0, 1]
    )
    assert read_games(rows).score.tolist() == [0.0, 1.0, 0.0, 0.5, 1.0, 0.0]


def test_names_beside_texts():
    """Of `chosen` and `chosen_model` the model is the winner."""
    rows = [
        {"chosen": "a text", "rejected": "another", "chosen_model": a, "rejected_model": b}
        for a, b in PAIRS
    ]
    assert set(read_games(rows).players) == {"m1", "m2", "m3"}


@pytest.mark.parametrize(
    ("sides", "cells"),
    [
        (("Aff", "Neg"), ("Aff", "Neg", "AFF")),
        (("Aff", "Neg"), ("Affirmative", "Negative", "Affirmative")),
        (("Prosecution", "Defense"), ("Pros", "Def", "Pros")),
        (("Rote Ecke", "Blaue Ecke"), ("rote", "Blaue", "rot")),
        (("Challenger", "Holder"), ("C", "H", "C")),
    ],
)
@pytest.mark.parametrize("heading", ["Decision", "Outcome of the bout", "Urteil", "Ballot", "W"])
def test_cells_that_name_sides_by_their_headings(sides, cells, heading):
    """A column whose cells all are headings of the two sides, or begin them, names the winner."""
    players = ("Ann", "Ben"), ("Ben", "Cy"), ("Cy", "Di"), ("Di", "Ann"), ("Ann", "Cy")
    games = read_games([
        {sides[0]: a, sides[1]: b, heading: cells[at % 3]} for at, (a, b) in enumerate(players)
    ])  # fmt: skip
    assert games.score.tolist() == [1.0, 0.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize("cells", [("Aff", "Aff", "Aff"), ("Aff", "Neg", "both?"), ("D", "C", "D")])
def test_cells_that_may_not_name_sides(cells):
    """One side alone, other words, and letters of draws tell no winner."""
    players = ("Ann", "Ben"), ("Ben", "Cy"), ("Cy", "Di"), ("Di", "Ann"), ("Ann", "Cy")
    sides = ("Challenger", "Defender") if "D" in cells else ("Aff", "Neg")
    with pytest.raises(BadData):
        read_games([
            {sides[0]: a, sides[1]: b, "X": cells[at % 3]} for at, (a, b) in enumerate(players)
        ])  # fmt: skip


def test_how_the_first_side_fared():
    """Under a heading for winners `win` and `loss` say how the first side fared."""
    rows = judged(["win", "loss", "draw"] * 2, "winner")
    assert read_games(rows).score.tolist() == [1.0, 0.0, 0.5] * 2


def test_answers_counted_from_nothing():
    """Beside the answers 0 and 1 of the headings `response_1` is the second one."""
    rows = [
        {"model_0": a, "model_1": b, "winner": f"response_{at % 2}"}
        for at, (a, b) in enumerate(PAIRS)
    ]
    assert read_games(rows).score.tolist() == [1.0, 0.0] * 3


@pytest.mark.parametrize(
    "told",
    [
        ("Ann won 6-3 6-2", "Ben lost on time", "Match drawn", "Cy conceded"),
        ("Ann beat Ben 3-1", "Ben resigned", "tied after 90 min", "Abandoned - rain"),
        ("Ann gewinnt nach Verlängerung", "Ben verlor", "Remis", "abgesagt wegen Regen"),
        ("Ann gana 6-1", "Ben perdió", "empate", "aplazado por lluvia"),
    ],
)
def test_sentences_that_begin_with_a_side(told):
    """A sentence of each game that begins with a side tells who won, or that nobody did."""
    players = ("Ann", "Ben"), ("Ben", "Cy"), ("Cy", "Ann"), ("Cy", "Ben")
    rows = [{"Home": a, "Away": b, "How": how} for (a, b), how in zip(players, told, strict=True)]
    games = read_games(rows, warn=False)
    assert games.score.tolist() == [1.0, 0.0, 0.5]
    assert games.left_out == 1
    scored = [row | {"Home score": x, "Away score": 3} for row, x in zip(rows, (7, 1, 3, 3),
                                                                        strict=True)]  # fmt: skip
    assert read_games(scored, warn=False).points_a.tolist() == [7.0, 1.0, 3.0]
    scored[0]["Home score"] = 2
    with refused(BadData, "margin_contradicts"):
        read_games(scored)


def test_remarks_about_a_side_are_no_results():
    """Remarks of which some tell no result leave the result to the scores."""
    remarks = ["Ann beat all", "Ben lost a shoe", "good game"]
    rows = [{"a": "Ann", "b": "Ben", "Remark": remark, "Score": "2-1"} for remark in remarks]
    assert read_games(rows, warn=False).score.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("headings", "wins", "said"),
    [
        (("left", "right"), (120, 110), ('side="a" (--sides a): "left"', "57.5 ± 4.9 % of 400")),
        (("Model A", "model_b"), (70, 80), ('side="b" (--sides b): "model_b"', "62.5 ± 4.9 %")),
        (("left", "right"), (150, 70), ()),  # Ann is better, wherever she stands
        (("left", "right"), (110, 100), ()),  # 52.5 %: not told apart
        (("player_1", "player_2"), (120, 110), ()),
    ],
)
def test_a_favoured_answer_is_said(headings, wins, said):
    """Of votes on pairs that stood both ways; ratings stay those without a side.

    Of 200 votes on Ann's left answers 120, of Bob's 110: (0.6 + 0.55) / 2. With Ann's mean 0.525
    the variance of a vote is 0.525 x 0.475 x 400 / 399 = 0.25: 0.98 sqrt(0.25 / 100) = 0.049.
    """
    pairs, winners = [], []
    for names, won in zip((("Ann", "Bob"), ("Bob", "Ann")), wins, strict=True):
        pairs += [names] * 200
        winners += [names[0]] * won + [names[1]] * (200 - won)
    one, other = headings
    table = {one: [a for a, _ in pairs], other: [b for _, b in pairs], "winner": winners}
    games = read_games(table)
    notes = [note for note in games.notes if "favoured" in note]
    assert games.side is None
    assert len(notes) == bool(said)
    assert all(part in notes[0] for part in said)
