"""Columns that are found by the words of their headings together with their cells."""

from __future__ import annotations

import pytest

import prowess
from prowess.games import BadData
from tests.refusals import refused


def read(**columns):
    """A table of these columns."""
    return prowess.read_games(columns)


@pytest.mark.parametrize(
    ("a", "b", "x", "y"),
    [
        ("Casa", "Fora", "GC", "GF"), ("Home", "Away", "HG", "AG"),
        ("Local", "Visitante", "Goles L", "Goles V"),
        ("Gospodarze", "Goście", "Bramki gosp.", "Bramki gości"),
    ],
)  # fmt: skip
def test_points_under_shortened_names(a, b, x, y):
    """Points stand under headings that shorten those of the players."""
    games = read(**{a: ["A", "B"], b: ["B", "A"], x: [2, 0], y: [1, 1]})
    assert games.points_a.tolist() == [2.0, 0.0]
    assert games.score.tolist() == [1.0, 0.0]


def test_points_between_the_players():
    """Ann | 3 | vs | 0 | Ben: unnamed numbers between two players are their points."""
    games = read(**{
        "Player": ["Ann", "Ben"], "column 2": [3, 1], "column 3": ["vs", "vs"],
        "column 4": [0, 3], "Opponent": ["Ben", "Cid"],
    })  # fmt: skip
    assert games.points_b.tolist() == [0.0, 3.0]


@pytest.mark.parametrize(
    ("a", "b", "winner"),
    [("team0", "team1", "team1"), ("R_fighter", "B_fighter", "Blue"),
     ("radiant_name", "dire_name", "dire"), ("white", "blue", "blue"),
     ("orange_team", "blue_team", "blue")],
)  # fmt: skip
def test_further_pairs_of_sides(a, b, winner):
    """Sides counted from 0, corners and sides of games are pairs; none has an advantage."""
    games = read(**{a: ["A", "B"], b: ["B", "C"], "winner": [winner, winner]})
    assert games.score.tolist() == [0.0, 0.0]
    assert games.side is None


def test_sets_decide_before_games():
    """Of sets and games of each side sets decide."""
    games = read(player_1=["A"], player_2=["B"], games_1=[14], games_2=[16], sets_1=[2], sets_2=[1])
    assert games.score.tolist() == [1.0]


def test_goals_tell_more_than_points_of_a_match():
    """Of the scorelines 2:0 and 33:27 the goals are kept."""
    games = read(Heim=["A", "B"], Gast=["B", "A"], Punkte=["2:0", "1:1"], Tore=["33:27", "20:20"])
    assert games.points_a.tolist() == [33.0, 20.0]


def test_whose_row_it_is_is_no_winner():
    """A column that names the first player of every row says whose row it is, not who won."""
    with refused(BadData, "no_result_found"):
        read(home=["Ann", "Ben"], away=["Ben", "Ann"], log_of=["Ann", "Ben"])


def test_texts_are_no_players():
    """Answers of which one was preferred are not players."""
    text = "This is an answer that goes on and on and names nobody, number {}."
    with refused(BadData, "no_players_found"):
        read(chosen=[text.format(1), text.format(2)], rejected=[text.format(3), text.format(4)])


def test_a_draw_contradicts_unequal_points():
    """A result that says draw beside 2:1 is refused."""
    with refused(BadData, "margin_contradicts"):
        read(HomeTeam=["A"], AwayTeam=["B"], FTHG=[2], FTAG=[1], result=["D"])


PLAYED = (("Ann", "Ben"), ("Cy", "Ann"), ("Ben", "Cy"), ("Di", "Ann"), ("Cy", "Di"))
SCORES = ((3, 1), (0, 2), (2, 1), (1, 4), (5, 3))
WON = [1.0, 0.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Challenger", "Champion"), ("Aff", "Neg"), ("Shooter 1", "Shooter 2"), ("sys1", "sys2"),
        ("Rikishi East", "Rikishi West"), ("Red Corner", "Blue Corner"), ("Model X", "Model Y"),
        ("Ringer rot", "Ringer blau"), ("Tireur gauche", "Tireur droite"), ("Corp", "Runner"),
        ("Gegner A", "Gegner B"), ("Herausforderer", "Titelverteidiger"), ("p0", "p1"),
        ("Option A", "Option B"), ("Nation A", "Nation B"), ("Team I", "Team II"),
    ],
)  # fmt: skip
def test_unusual_words_for_players(first, second):
    """Columns that share their names hold the players, and their headings are those of points."""
    players = [{first: a, second: b} for a, b in PLAYED]
    results = {
        "scorelines": [{"Score": f"{a}-{b}"} for a, b in SCORES],
        "winners": [{"Victor": names[0] if a > b else names[1]}
                    for (a, b), names in zip(SCORES, PLAYED, strict=True)],
        "sides": [{"Won by": first if a > b else second} for a, b in SCORES],
        "points": [{f"{first} points": a, f"{second} points": b} for a, b in SCORES],
    }  # fmt: skip
    for told in results.values():
        rows = [{**one, **other} for one, other in zip(players, told, strict=True)]
        assert prowess.read_games(rows, warn=False).score.tolist() == WON


def test_a_judge_who_plays_is_no_side():
    """Of three columns that share names those whose headings differ by a number are the players."""
    rows = [
        {"Bowler 1": a, "Bowler 2": b, "Judge": judge, "Score": f"{x}-{y}"}
        for (a, b), (x, y), judge in zip(PLAYED, SCORES, ["Cy", "Ben", "Ann", "Ben", "Ann"],
                                         strict=True)
    ]  # fmt: skip
    assert prowess.read_games(rows, warn=False).score.tolist() == WON


def test_goals_that_are_a_part_of_the_points():
    """Where points are 6 goals and the behinds in every game, they decide, and a note says it."""
    goals, behinds = ((12, 11), (15, 9), (10, 10), (8, 11), (9, 3)), 7
    rows = [
        {
            "Home": a, "Away": b, "Home Goals": x, "Home Behinds": behinds + at, "Away Goals": y,
            "Away Behinds": behinds * at, "Home Total": 6 * x + behinds + at,
            "Away Total": 6 * y + behinds * at,
        }
        for at, ((a, b), (x, y)) in enumerate(zip(PLAYED, goals, strict=True))
    ]  # fmt: skip
    games = prowess.read_games(rows, warn=False)
    assert games.points_a.tolist() == [6 * x + behinds + at for at, (x, _) in enumerate(goals)]
    assert any('"Home Total" is 6 "Home Goals" + "Home Behinds"' in note for note in games.notes)
    rows[2]["Home Total"] = 1
    with refused(BadData, "points_ambiguous", about=("Home", "Goals", "Away", "Total")):
        prowess.read_games(rows)


def test_judgments_go_before_points_of_speakers():
    """A decision that names the sides decides, and points that say otherwise are a question."""
    rows = [
        {
            "Aff": a,
            "Neg": b,
            "Aff Points": x,
            "Neg Points": y,
            "Decision": "Aff" if x > y else "Neg",
        }
        for (a, b), (x, y) in zip(PLAYED, SCORES, strict=True)
    ]
    assert prowess.read_games(rows, warn=False).score.tolist() == WON
    rows[0]["Decision"] = "Neg"
    with refused(BadData, "margin_contradicts"):
        prowess.read_games(rows)


def test_names_with_dates_are_names():
    """Versions of models are named by dates; a column of them holds players."""
    one, other = "o1-2024-12-17", "claude-3-5-sonnet-20241022"
    games = prowess.read_games({
        "Model left": [one, other], "Model right": [other, one], "Preferred": ["left", "right"],
    }, warn=False)  # fmt: skip
    assert [*games.players] == [one, other]
    assert games.time is None


@pytest.mark.parametrize("beside", ["95% CI", "Votes", "Rank (UB)", "Battles", "Position", "Pos"])
def test_ratings_are_standings(beside):
    """Ratings beside ranks, votes or intervals are standings and no games."""
    table = {"Model": ["m1", "m2"], "Arena Elo": [1200, 1100], beside: [1, 2]}
    with refused(BadData, "standings"):
        prowess.read_games(table)
