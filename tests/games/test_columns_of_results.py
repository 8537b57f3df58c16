"""Dates and results that all cells of a column decide together, and games that were not played."""

from __future__ import annotations

import io

import pytest

from prowess.games import BadData, read_games
from tests.refusals import refused


def read(heading, cells, first="result", **options):
    """Games whose results, dates, ... are these cells."""
    rows = "\n".join(f'p{at},q{at},1,"{cell}"' for at, cell in enumerate(cells))
    names = f"a,b,score,{heading}"
    if first == "result":
        rows = "\n".join(f'p{at},q{at},"{cell}"' for at, cell in enumerate(cells))
        names = f"a,b,{heading}"
    return read_games(io.StringIO(f"{names}\n{rows}\n"), format="csv", warn=False, **options)


@pytest.mark.parametrize(
    ("cells", "scores"),
    [
        (["S", "U", "N"], [1.0, 0.5, 0.0]),  # Sieg, Unentschieden, Niederlage
        (["V", "N", "D"], [1.0, 0.5, 0.0]),  # victoire, nul, défaite
        (["V", "N", "P"], [1.0, 0.5, 0.0]),  # vinta, nulla, persa
        (["G", "E", "P"], [1.0, 0.5, 0.0]),  # ganado, empatado, perdido
        (["W", "R", "P"], [1.0, 0.5, 0.0]),  # wygrana, remis, porażka
        (["W", "L", "D"], [1.0, 0.0, 0.5]),
        (["3", "1", "0"], [1.0, 0.5, 0.0]),
        (["1", "X", "2"], [1.0, 0.5, 0.0]),
        (["2:1 n.V.", "1-1 (4-3 p)", "3:0"], [1.0, 1.0, 1.0]),
        (["6-4 3-6 7-6(5)", "0-6 0-6"], [1.0, 0.0]),
        (["1:1 (4:3 n.E.)", "0-2"], [1.0, 0.0]),
        (["2-1-0", "1-1-1", "0-2-1"], [1.0, 0.5, 0.0]),  # games won, lost and drawn
        (["n.V. 3:2", "aet 0-1", "2:2"], [1.0, 0.0, 0.5]),
    ],
)
def test_results_of_a_column(cells, scores):
    """Letters and numbers mean what all cells of the column have in common."""
    assert read("result", cells).score.tolist() == scores


@pytest.mark.parametrize("cells", [["2", "1", "0"], ["G", "V"]])
def test_open_results_are_asked(cells):
    """Two readings are a question with the option that answers it."""
    with pytest.raises(BadData) as error:
        read("result", cells)
    assert "outcomes={" in str(error.value.remedy)
    meant = {cells[0]: 1, cells[-1]: 0} | ({"1": 0.5} if len(cells) == 3 else {})
    assert read("result", cells, outcomes=meant).score.tolist()[0] == 1.0


def test_what_was_not_played_is_left_out():
    """Fixtures and walkovers are no games: left out, counted by reason, or scored if asked for."""
    cells = ["2-1", "", "-:-", "abgesagt", "3:0 kampflos", "0-1"]
    games = read("result", cells)
    assert games.score.tolist() == [1.0, 0.0]
    assert games.left_out == 4
    assert games.reading.left_out == {"not played": 3, "walkover": 1}
    assert read("result", cells, walkovers="wins").score.tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["05.01.2024", "13.01.2024"], [0, 8]),
        (["01/05/2024", "01/13/2024"], [0, 8]),
        (["Fr, 5. Januar 2024", "Sa, 13. Januar 2024"], [0, 8]),
        (["5 janv. 2024", "13 janv. 2024"], [0, 8]),
        (["05.01.24", "13.01.24"], [0, 8]),
        (["1/5/2024 3:00 PM", "1/13/2024 3:00 PM"], [0.625, 8.625]),
        (["45296", "45304"], [0, 8]),
    ],
)
def test_dates_of_a_column(cells, days):
    """The first is 5 January 2024, day 19727 since 1970, the other eight days later."""
    times = read("date", cells, first="date").time
    assert times.tolist() == [19727 + each for each in days]


def test_open_dates_are_asked():
    """Dates that fit day first and month first are a question with both readings."""
    with pytest.raises(BadData) as error:
        read("date", ["03/04/2024", "05/04/2024"], first="date")
    assert "3 April 2024 (day first) or 4 March 2024 (month first)" in error.value.what
    games = read("date", ["03/04/2024", "05/04/2024"], first="date", date_format="month first")
    assert games.time.tolist() == [19786.0, 19847.0]  # 4 March, 4 May


@pytest.mark.parametrize(
    ("cells", "points"),
    [
        (["6:7 7:5 [6:10]", "6-3 6-4"], [(1, 2), (2, 0)]),  # the third set is a match tie-break
        (["(4) 1–1 (2)", "0–3"], [(1, 1), (0, 3)]),
        (["1 (3) - 1 (5)", "0-3"], [(1, 1), (0, 3)]),
        (["88:90 (pr.)", "70:60"], [(88, 90), (70, 60)]),
        (["3/2", "1/2"], [(3, 2), (1, 2)]),  # not a half: beside 3/2 a slash parts the points
        (["1-12 0-14", "2-08 v 1-15", "0-11 to 0-11"], [(15, 14), (14, 18), (11, 11)]),  # Gaelic
        (["6-11 4-11", "11-5 11-9"], [(0, 2), (2, 0)]),  # sets
        (["03:02:00", "00:03:00"], [(3, 2), (0, 3)]),  # a spreadsheet took 3:2 for a time
        (["W 3-1", "L 2-3"], [(3, 1), (2, 3)]),
        (["W 3-1", "L 3-2"], [(3, 1), (2, 3)]),  # the winner's points first
    ],
)
def test_points_of_notations(cells, points):
    """Each notation of a scoreline says the points of both sides."""
    games = read("result", cells)
    assert list(zip(games.points_a.tolist(), games.points_b.tolist(), strict=True)) == points


def test_shootouts_are_won_and_half_times_are_not():
    """A bracket beside a level score is a shoot-out where no half time can be so, a half time where
    other rows have one, and otherwise a question.
    """
    assert read("result", ["1-1 (4-3)", "2-0"]).score.tolist() == [1.0, 1.0]
    assert read("result", ["2-2 (2-1)", "2-0 (1-0)"]).score.tolist() == [0.5, 1.0]
    with refused(BadData, "bracket_ambiguous"):
        read("result", ["2-2 (2-1)", "2-0"])
    games = read("result", ["2-2 (2-1)", "2-0"], outcomes={"2-2 (2-1)": 1})
    assert games.score.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("cells", "scores"),
    [
        (["Won 3&2", "Lost 1 down", "Halved"], [1.0, 0.0, 0.5]),
        (["W", "OTL", "SOW", "L/OT"], [1.0, 0.0, 1.0, 0.0]),
        (["1", "2", "2"], [1.0, 0.0, 0.0]),
    ],
)
def test_words_with_a_margin(cells, scores):
    """What stands behind a word for a result does not change it."""
    assert read("result", cells).score.tolist() == scores


def test_go_says_the_colour():
    """`B+3.5` and `W+R` name the colour that won; Jigo is a draw, a forfeit no game."""
    rows = "\n".join(
        f"p{at},q{at},{cell}" for at, cell in enumerate(["B+3.5", "W+R", "Jigo", "W+F"])
    )
    games = read_games(io.StringIO(f"white,black,result\n{rows}\n"), format="csv", warn=False)
    assert games.score.tolist() == [0.0, 1.0, 0.5]
    assert games.reading.left_out == {"walkover": 1}


def test_forfeits_in_letters():
    """`FF - W` and `W - FF` were not played."""
    assert read("result", ["2 - 1", "FF - W", "W - FF"]).left_out == 2


def test_numbers_and_columns_called_1_and_2():
    """0, 1 and 2 name the winner where the columns are bot1 and bot2; else they are asked about."""
    text = "bot1,bot2,result\np,q,1\np,r,2\nq,r,0\n"
    assert read_games(io.StringIO(text), format="csv").score.tolist() == [1.0, 0.0, 0.5]


def test_a_date_for_all_rows_of_a_day():
    """Dates in the first row of each day are those of the rows below; a repeated date, or a first
    row without one, means that empty dates are missing.
    """
    games = read("date", ["05.04.2024", "", "", "12.04.2024", "", "19.04.2024"], first="date")
    assert games.time.tolist() == [19818.0] * 3 + [19825.0] * 2 + [19832.0]
    assert any("the date above them" in note for note in games.notes)
    for cells in (
        ["05.04.2024", "", "", "05.04.2024", "", "19.04.2024"],
        ["", "05.04.2024", "", "12.04.2024", "", "19.04.2024"],
        ["05.04.2024", "06.04.2024", "07.04.2024", "12.04.2024", "", "19.04.2024"],
    ):
        with refused(BadData, "date_missing"):
            read("date", cells, first="date")


@pytest.mark.parametrize(
    "text", ["samedi 2 décembre 2023", "2 de diciembre de 2023", "2nd of December 2023", "2.12.23"]
)
def test_december(text):
    """A month that begins like a preposition is a month: day 19693 since 1970."""
    assert (
        read("date", [text, "30.12.23" if text == "2.12.23" else text], first="date").time[0]
        == 19693
    )


def test_a_dash_for_a_winner_is_asked():
    """A dash as the winner may be a draw or no game: the caller says which."""
    text = "a,b,winner\np,q,p\nq,r,-\n"
    with refused(BadData, "winner_missing"):
        read_games(io.StringIO(text), format="csv")
    drawn = read_games(io.StringIO(text), format="csv", outcomes={"-": 0.5})
    assert drawn.score.tolist() == [1.0, 0.5]
    assert read_games(io.StringIO(text), format="csv", outcomes={"-": None}).left_out == 1


def test_a_walkover_before_its_score():
    """A word before a score says as much as one behind it."""
    games = read("result", ["wo. 10:0", "5:3", "w.o. 4:6", "kampflos 3:0"])
    assert games.score.tolist() == [1.0]


def test_a_disqualification_in_place_of_a_score_is_a_walkover():
    """Beside the winner it tells that no match was played, and the others keep their scores."""
    text = "P1,P2,Score,Winner\nP,Q,3-1,P\nQ,R,{},Q\nR,P,1-3,P\n"
    for word in ("DQ", "dsq", "DEF"):
        games = read_games(io.StringIO(text.format(word)), format="csv", warn=False)
        assert (games.score.tolist(), games.left_out) == ([1.0, 0.0], 1)
        assert games.points_a.tolist() == [3.0, 1.0]


def test_totals_in_brackets():
    """Behind goals and points of a side stands the total; another number there is refused."""
    text = "home,away,home score,away score\nP,Q,1-12 (15),0-14 (14)\nQ,P,9.9 (63),10.12 (72)\n"
    games = read_games(io.StringIO(text), format="csv", warn=False)
    assert games.points_a.tolist() == [15.0, 63.0]
    with refused(BadData, "not_a_number"):
        read_games(io.StringIO(text.replace("(15)", "(16)")), format="csv")


GAMES_WON = "Round,Player 1,Player 2,{}\n1,P,Q,2,1\n1,R,S,0,2\n2,P,R,2,0\n2,Q,S,1,1\n"


@pytest.mark.parametrize(
    "headings", ["Player 1 Wins,Player 2 Wins", "Siege Spieler 1,Siege Spieler 2", "Wins 1,Wins 2"]
)
def test_games_won_in_a_match(headings):
    """Games won by each are the score of a match, unless there are too many for one."""
    text = GAMES_WON.format(headings)
    games = read_games(io.StringIO(text), format="csv", warn=False)
    assert games.points_a.tolist() == [2.0, 0.0, 2.0, 1.0]
    assert games.score.tolist() == [1.0, 0.0, 1.0, 0.5]
    many = text.replace("2,1\n", "12,11\n")
    with refused(BadData, "wins_or_score", about='score_a="none"'):
        read_games(io.StringIO(many), format="csv")
    counted = read_games(io.StringIO(many), format="csv", warn=False, score_a="none")
    assert counted.weight.tolist() == [12, 11, 2, 2, 1, 1]


def test_marks_of_both_sides():
    """Two columns that say of both sides how they fared are one result."""
    text = "East,,,West\nP,○,●,Q\nR,●,○,S\nP,○,●,R\nQ,●,○,S\n"
    games = read_games(io.BytesIO(text.encode()), format="csv", warn=False)
    assert games.score.tolist() == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "headings",
    [
        "model_0,model_1,label_0,label_1", "model_a,model_b,overall_a,overall_b",
        "agent_x,agent_y,score_x,score_y", "player_1,player_2,score_x,score_y",
    ],
)  # fmt: skip
def test_pairs_of_results(headings):
    """Numbers of both sides under headings that differ by the marks of the sides alone."""
    games = read_games(io.StringIO(f"{headings}\nm,n,1,0\nn,k,.5,.5\nm,k,0,1\n"), format="csv")
    assert games.score.tolist() == [1.0, 0.5, 0.0]


def test_the_better_answer_by_number():
    """The better answer is counted from 0 where the headings of the answers are."""
    head = "response_0_model,response_1_model,response_0,response_1,better_response"
    games = read_games(io.StringIO(f"{head}\nm,n,text,text,0\nn,k,text,text,1\n"), format="csv")
    assert games.score.tolist() == [1.0, 0.0]


def test_winners_by_id():
    """An id of the winner is that of one of the two sides, whose names stand beside it."""
    head = "team1_id,team1_name,team2_id,team2_name,winner_id"
    rows = "412,Hydra,309,Griffin,309\n101,Kraken,412,Hydra,101\n309,Griffin,101,Kraken,101\n"
    games = read_games(io.StringIO(f"{head}\n{rows}"), format="csv")
    assert games.score.tolist() == [0.0, 1.0, 0.0]
    with refused(BadData, "unknown_winner"):
        read_games(io.StringIO(f"{head}\n{rows}309,Griffin,101,Kraken,7\n"), format="csv")


def test_three_players_a_row():
    """Numbered columns of three players, each with points, are contests."""
    head = "p1_name,p1_points,p2_name,p2_points,p3_name,p3_points"
    rows = "Dev,68,Ann,62,Cleo,50\nDev,71,Cleo,77,Ben,64\n"
    games = read_games(io.StringIO(f"{head}\n{rows}"), format="csv")
    assert games.place.tolist() == [1.0, 2.0, 3.0, 2.0, 1.0, 3.0]
    with refused(BadData, "members_left_out"):  # a result of sides beside them
        read_games(
            io.StringIO(f"{head},winner\n{rows.replace(chr(10), ',Dev' + chr(10))}"), format="csv"
        )


def test_shots_for_and_against():
    """Any unit may stand before for and against."""
    rows = "1,P,Q,H,78,61,Won\n2,P,R,A,55,72,Lost\n3,P,S,H,66,66,Drawn\n"
    for words in ("Shots for,Shots agst", "Points for,Points against", "Ends pour,Ends contre"):
        text = f"Date,Team,Opponent,H/A,{words},Result\n".replace("Date", "Round") + rows
        games = read_games(io.StringIO(text), format="csv", warn=False)
        assert games.points_a.tolist() == [78.0, 55.0, 66.0]


def test_an_unreadable_score_is_said():
    """The points of a column are dropped where one is no score, and a note says which."""
    text = "Winner,Loser,Score\nP,Q,6-4 6-3\nR,S,6-4 zz\nP,R,6-4 3-1 ab.\n"
    games = read_games(io.StringIO(text), format="csv", warn=False)
    assert games.points_a is None
    assert any('"6-4 zz" (line 3) is none' in note for note in games.notes)
    text = text.replace("6-4 zz", "7-5 6-0")
    assert read_games(io.StringIO(text), format="csv", warn=False).points_a.tolist() == [2, 2, 1]


def test_points_of_thousands():
    """Points of card games differ from game to game; numbers that a player keeps are ratings."""
    head = "Paar A,Paar B,Punten A,Punten B\n"
    text = head + "P,Q,1432,1018\nR,S,1210,1294\nP,S,1100,1388\nQ,R,1520,990\n"
    games = read_games(io.StringIO(text), format="csv", warn=False)
    assert games.score.tolist() == [1.0, 0.0, 0.0, 1.0]
    kept = head + "P,Q,1432,1018\nR,S,1210,1294\nP,S,1431,1290\nQ,R,1016,1211\n"
    with refused(BadData, "no_result_found"):
        read_games(io.StringIO(kept), format="csv")


@pytest.mark.parametrize(("headings", "score"), [
    (("PTS 1", "PTS 2"), 0.0), (("Score1", "Score2"), 0.0), (("HG", "AG"), 1.0),
    (("Home Pts", "Away Pts"), 1.0), (("Away Pts", "Home Pts"), 0.0),
])  # fmt: skip
def test_numbered_points_stand_in_the_order_of_the_players(headings, score):
    """Where the visitor stands first, `PTS 1` are those of the visitor."""
    one, other = headings
    games = read_games({"Visitor": ["Ann"], "Home": ["Bob"], one: [90], other: [80]}, warn=False)
    assert (games.players[games.a[0]], games.score.tolist()) == ("Bob", [score])


def test_two_columns_of_one_heading():
    """Of two columns PTS, of which pandas calls one PTS.1, each is that of the player before it."""
    visitors = {"Visitor": ["Ann", "Ben"], "PTS": [100, 99]}
    table = {**visitors, "Home": ["Ben", "Cleo"], "PTS.1": [101, 88]}
    games = read_games(table, warn=False)
    assert [games.players[player] for player in games.a] == ["Ben", "Cleo"]
    assert (games.points_a.tolist(), games.points_b.tolist()) == ([101.0, 88.0], [100.0, 99.0])
    games = read_games(table, player_a="Visitor", player_b="Home", warn=False)
    assert (games.points_a.tolist(), games.points_b.tolist()) == ([100.0, 99.0], [101.0, 88.0])


@pytest.mark.parametrize(
    ("headings", "cells", "first_scores"),
    [
        ("Schwarz,Weiss", "S+R W+3½ S+12,5 Jigo", [0, 1, 0, 0.5]),
        ("Schwarz,Weiss", "B+R W+3.5 B+T", [0, 1, 0]),  # letters of a server
        ("Noir,Blanc", "N+T B+0,5 N+abandon", [0, 1, 0]),
        ("Noir,Blanc", "B+T W+0.5", [0, 1]),
        ("Black,White", "Black+Resign,White+2", [0, 1]),
        ("Zwart,Wit", "Z+R W+R", [0, 1]),
        ("Blancas,Negras", "B N X", [1, 0, 0.5]),
    ],
)
def test_letters_of_colours(headings, cells, first_scores):
    """Letters are the colours of the headings, or Black and White: N+R is won by Noir."""
    cells = cells.split("," if "Resign" in cells else " ")
    a, b = headings.split(",")
    rows = {a: ["p", "q", "r", "s"], b: ["q", "r", "s", "p"], "Result": cells}
    games = read_games({name: column[: len(cells)] for name, column in rows.items()})
    assert games.score.tolist() == first_scores  # of White


def test_letter_of_two_colours():
    """Beside Noir and Blanc a B that stands alone may be Blanc or Black."""
    rows = {"Noir": ["p", "q"], "Blanc": ["q", "p"], "Resultat": ["B+R", "B+3,5"]}
    with refused(BadData, "b_or_black", about=("Blanc", "Black")):
        read_games(rows)


@pytest.mark.parametrize("heading", ["saison", "x"])
@pytest.mark.parametrize("first", ["98-99", "98/99", "1998-99", "1998/99", "1998-1999", "98–99"])
def test_seasons_are_no_scores(heading, first):
    """A season in a table without results is neither a score nor a date."""
    table = {"home": ["Ann", "Ben"], "away": ["Ben", "Cid"], heading: [first, first]}
    with refused(BadData, "no_result_found"):
        read_games(table)
    games = read_games({**table, "score": ["2-1", "0-1"]})
    assert games.score.tolist() == [1.0, 0.0]
    assert games.time is None
