"""Which rows belong to one contest, and who is better in it: what is guessed is said."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np
import pytest

from prowess.compile import kernel
from prowess.errors import DataWarning
from prowess.games import BadData, Games, read_games
from tests.games.refusing import place_first
from tests.games.test_contests import standings
from tests.refusals import refused

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]


def read(text: str, **options) -> Games:
    """A table of contests written here."""
    contests = read_games(io.StringIO(text), format="csv", **options)
    assert not contests.pairwise
    return contests


def refusal(text: str, **options) -> str:
    """What is said of a table that cannot be read."""
    with pytest.raises(BadData) as error:
        read(text, **options)
    return place_first(error.value)


@pytest.mark.parametrize("compiled", READERS)
def test_two_games_on_one_day(compiled):
    """Two games of one day are two contests, and the note says what tells them apart."""
    contests = read(
        "date,game,player,place\n2024-01-01,1,Ann,1\n2024-01-01,1,Bob,2\n2024-01-01,2,Bob,1\n"
        "2024-01-01,2,Ann,2\n2024-01-02,1,Cid,2\n2024-01-02,1,Ann,1\n2024-01-02,1,Bob,3\n",
        compiled=compiled,
    )
    assert standings(contests) == [
        [("Ann", 1), ("Bob", 2)],
        [("Bob", 1), ("Ann", 2)],
        [("Cid", 2), ("Ann", 1), ("Bob", 3)],
    ]
    assert contests.notes == ("contests told apart by date and game: 3 contests of 2 to 3 players",)


def test_rounds_of_two_seasons():
    """Without dates season and round are the key together."""
    contests = read(
        "season,round,player,place\n1,1,A,1\n1,1,B,2\n2,1,C,1\n2,1,D,2\n1,2,A,1\n1,2,B,2\n",
        time="none",
    )
    assert [len(one) for one in standings(contests)] == [2, 2, 2]
    assert contests.notes == ("contests told apart by season and round: 3 contests of 2 players",)


@pytest.mark.parametrize(
    "heading",
    ["match", "Game ID", "heat", "event", "Turnier", "Spieltag", "jornada", "stage", "session_id"],
)
def test_words_that_tell_contests_apart(heading):
    """Many words head a column of contests."""
    contests = read(f"{heading},player,place\n1,A,1\n1,B,2\n2,A,2\n2,B,1\n")
    assert len(contests) == 2


def test_a_column_that_is_the_same_in_all_rows():
    """A column that never changes tells nothing apart and is not named."""
    text = "season,race,player,place\n2024,1,A,1\n2024,1,B,2\n2024,2,A,2\n2024,2,B,1\n"
    assert read(text, time="none").notes == (
        "contests told apart by race: 2 contests of 2 players",
    )
    one = read("season,player,place\n2024,A,1\n2024,B,2\n", time="none")
    assert one.notes == ("one contest of 2 players: nothing tells contests apart",)


def test_a_column_that_is_another_in_every_row():
    """Where every row would be a contest of its own, the table is refused with a way out."""
    text = "date,match,player,place\n2024-01-01,1,A,1\n2024-01-01,2,B,2\n2024-01-01,3,C,3\n"
    assert refusal(text) == (
        "the stream: told apart by match, 3 of 3 contests have one player only; "
        "name the columns that tell contests apart with contest= (--contest)"
    )
    text = "event,match,player,place\n1,1,A,1\n1,2,B,2\n2,3,A,1\n2,4,B,2\n"
    assert 'such as contest="event" (--contest event)' in refusal(text)
    assert len(read(text, contest="event")) == 2


def test_a_column_that_is_no_key():
    """Where most contests would have no winner, a guessed column is none: refused."""
    text = "year,player,place\n1980,A,1\n1981,B,2\n1980,C,3\n1983,D,4\n1983,E,5\n"
    assert refusal(text) == (
        "the stream: told apart by year, 2 of 3 contests have no player in place 1; "
        "name the columns that tell contests apart with contest= (--contest)"
    )
    contests = read(text, contest="none")
    assert contests.notes == ("one contest of 5 players, as named",)
    read(text, where={"player": ["B", "C", "D", "E"]})  # the first may be left out on purpose


def test_files_of_one_contest_each():
    """Files that hold one contest each are told apart as files, whatever their columns say."""
    files = [
        io.StringIO("season,player,place\n2024,A,1\n2024,B,2\n"),
        io.StringIO("season,player,place\n2024,B,1\n2024,A,2\n"),
    ]
    contests = read_games(files, format="csv")
    assert not contests.pairwise
    assert standings(contests) == [[("A", 1), ("B", 2)], [("B", 1), ("A", 2)]]
    assert contests.notes[0] == "contests told apart by file: 2 contests of 2 players"


def test_files_with_other_keys():
    """Files that are told apart by other numbers of columns are not one table."""
    files = [
        io.StringIO("season,race,player,place\n1,1,A,1\n1,1,B,2\n"),
        io.StringIO("race,player,place\n1,A,1\n1,B,2\n"),
    ]
    with refused(BadData, "other_columns"):
        read_games(files, format="csv")


@pytest.mark.parametrize("values", [[1.0, 1.0, 2.0, 2.0], [True, True, False, False]])
def test_keys_that_are_no_names(values):
    """Numbers with a point tell contests apart as texts do; so do rounds of games."""
    contests = read_games({"game": values, "player": [*"ABAB"], "place": [1, 2, 2, 1]})
    assert len(contests) == 2
    games = read_games({"a": [*"ABAB"], "b": [*"CDCD"], "score": [1, 0, 1, 0], "round": values})
    assert games.round.tolist() == [0, 0, 1, 1]


def test_more_points_or_less():
    """What a heading says about points is taken and said."""
    text = "game,player,{}\n1,A,72\n1,B,69\n1,C,70\n"
    points = read(text.format("Points"))
    assert points.place.tolist() == [1, 3, 2]
    assert points.notes[1] == (
        '"Points": more is better; points="-Points" (--points -Points) says that less is'
    )
    strokes = read(text.format("Strokes"))
    assert strokes.place.tolist() == [3, 1, 2]
    assert strokes.notes[1] == (
        '"Strokes": less is better; points="Strokes" (--points Strokes) says that more is'
    )


def test_a_score_may_be_good_or_bad():
    """A score may be of golf: both readings are shown, and the caller says which it is."""
    text = "tournament,player,score\n1,A,72\n1,B,69\n1,C,70\n1,D,71\n2,A,70\n2,B,71\n"
    assert refusal(text) == (
        'the stream, column "score": it is open which end of "score" is better: the first contest '
        "begins A (72) > D (71) > C (70) if more is, B (69) > C (70) > D (71) if less is; say "
        'points="score" (--points score) if more is better, points="-score" (--points -score) '
        "if less is"
    )
    assert read(text, points="score").place.tolist()[:4] == [1, 4, 3, 2]
    assert read(text, points="-score").place.tolist()[:4] == [4, 1, 2, 3]


def test_a_named_column_that_counts_the_other_way():
    """Less is usual for some headings: more is taken as named, and the note says so."""
    text = "game,player,penalty\n1,A,7\n1,B,6\n"
    contests = read(text, points="penalty")
    assert contests.place.tolist() == [1, 2]
    assert contests.notes[1] == (
        '"penalty": more is better, as named; points="-penalty" (--points -penalty) says that '
        "less is"
    )
    assert len(read(text, points="-penalty").notes) == 1


@pytest.mark.parametrize("compiled", READERS)
def test_times(compiled):
    """Times of minutes or hours are read as seconds."""
    text = "race,runner,time\n1,A,1:02.5\n1,B,0:58:03\n1,C,59.25\n1,D,58:03\n"
    contests = read(text, player="runner", points="-time", compiled=compiled)
    assert contests.points.tolist() == [62.5, 3483.0, 59.25, 3483.0]
    assert contests.place.tolist() == [2, 3, 1, 3]
    assert '"1:02.5" is not a number' in refusal(text.replace("runner,time", "player,points"))


@pytest.mark.parametrize("compiled", READERS)
def test_places_in_words(compiled):
    """Ordinals and shared places are read as places."""
    text = "race,player,place\n1,A,1st\n1,B,T2\n1,C,2nd\n1,D,=4\n1,E,4.\n1,F,10TH\n"
    assert read(text, compiled=compiled).place.tolist() == [1, 2, 2, 4, 4, 10]


UNPLACED = "race,player,place\n1,A,1\n1,B,DNF\n1,C,2\n1,D,Ret.\n1,E,DNS\n2,A,DSQ\n2,B,1\n"


@pytest.mark.parametrize("compiled", READERS)
def test_those_without_a_place(compiled):
    """DNF and its like share the last place, unless they are to be left out; DNS is out."""
    assert read(UNPLACED, time="none", compiled=compiled).place.tolist() == [1, 3, 2, 3, 2, 1]
    last = read(UNPLACED, unplaced="last", time="none", compiled=compiled)
    assert standings(last) == [
        [("A", 1), ("B", 3), ("C", 2), ("D", 3)],
        [("A", 2), ("B", 1)],
    ]
    assert last.notes[1:] == (
        (
            "3 rows share the last place of a contest (DNF and its like); "
            'unplaced="skip" (--unplaced skip) leaves them out'
        ),
        "1 row is left out: no place (DNS and its like)",
    )
    skipped = read(UNPLACED, unplaced="skip", compiled=compiled)
    assert standings(skipped) == [[("A", 1), ("C", 2)], [("B", 1)]]
    assert skipped.notes[1] == "4 rows are left out: no place (DNS and its like)"
    with refused(BadData, "unknown_option_value", about="first"):
        read(UNPLACED, unplaced="first")


def test_those_without_a_time():
    """A word in a column that decides is behind every number, whichever end is better."""
    text = "race,player,laptime\n1,A,DNF\n1,B,1:05\n1,C,1:03\n"
    contests = read(text, unplaced="last")
    assert contests.place.tolist() == [3, 2, 1]
    assert np.array_equal(contests.points, [np.nan, 65.0, 63.0], equal_nan=True)
    assert read(text, unplaced="last", points="+laptime").place.tolist() == [3, 1, 2]
    with refused(BadData, "times_or_points") as caught:
        read(text, points="laptime")
    assert 'points="-laptime"' in str(caught.value.remedy)


def test_points_of_those_who_did_not_finish():
    """A word in a column of points is no number, and is taken as in one of places."""
    text = "race,driver,points\n1,A,25\n1,B,DNF\n2,A,18\n2,B,25\n"
    assert read(text, unplaced="skip").place.tolist() == [1, 2, 1]
    assert read(text).place.tolist() == [1, 2, 2, 1]


def test_odd_places_are_said():
    """Contests of one player, without a first, or of one place for all are counted in notes."""
    contests = read(
        "race,player,place\n1,A,1\n1,B,2\n2,A,2\n2,B,3\n3,A,1\n4,A,1\n4,B,1\n5,B,1\n5,A,2\n",
        time="none",
    )
    assert contests.notes[1:] == (
        "in 1 of 5 contests no player is in place 1",
        "in 1 of 5 contests there is one player only",
        "in 1 of 5 contests all players share a place",
    )


def test_several_contests_in_one():
    """Two races of one day that no column tells apart have two winners and two seconds."""
    day = "date,player,place\n1999-01-0{0},A,1\n1999-01-0{0},B,{1}\n1999-01-0{0},C,2\n"
    (note,) = read(day.format(1, 1)).notes[1:]
    assert note == (
        "in 1 of 1 contest several players are in place 1 and others in place 2 "
        "(are they several contests?)"
    )
    assert read(day.format(1, 3)).notes[1:] == ()
    apart = read("track,player,place\nX,A,1\nY,B,1\nX,C,2\nY,D,2\n")
    assert len(apart) == 2


def test_dates_of_another_moment_for_each_player():
    """Moments of the day that split a contest are no dates of contests: refused with the rest."""
    text = (
        "date,game,player,place\n2024-01-01 10:00,1,A,1\n2024-01-01 10:01,1,B,2\n"
        "2024-01-02 10:00,2,A,1\n2024-01-02 10:00,2,B,2\n"
    )
    assert "2 of 3 contests have one player only" in refusal(text)


def test_a_log_with_opponents():
    """Rows of a team and its opponent are games, and both rows of a game are one."""
    rows = ["date,team,opponent,points,opp_points"]
    for at in range(10):
        rows += [f"2024-01-1{at},A{at},B{at},9{at},8{at}", f"2024-01-1{at},B{at},A{at},8{at},9{at}"]
    games = read_games(io.StringIO("\n".join(rows)), format="csv")
    assert games.points_a.tolist() == [90 + at for at in range(10)]
    assert "each game stood twice, once for each side: both rows are one game" in games.notes


@pytest.mark.parametrize(
    "headings",
    ["team,P,W,D,L,GF,GA,Pts", "rank,club,won,lost,games", "platz,team,siege,niederlagen,punkte",
     "Pos,Squad,MP,W,D,L,Pts", "season,team,played,points", "rank,player,rating,games"],
)  # fmt: skip
def test_standings_are_no_games(headings):
    """A league table sums up games that it does not tell, and is refused."""
    row = ",".join("3" for _ in headings.split(","))
    message = refusal(f"{headings}\n{row}\n")
    assert "these are standings, not games (columns " in message
    assert 'give the table of games, or take it as one contest with kind="contests"' in message


def test_standings_as_a_contest():
    """Who says that standings are a contest, and what the places are, is believed."""
    text = "team,W,L,rank\nA,3,0,1\nB,1,2,2\n"
    assert "standings" in refusal(text, kind="contests")
    assert read(text, kind="contests", place="rank").place.tolist() == [1, 2]


def read_pairs(text):
    """A table of games, and the names of both sides of each."""
    games = read_games(io.StringIO(text), format="csv", time="none")
    sides = zip(games.a, games.b, strict=True)
    return games, [games.players[a] + games.players[b] for a, b in sides]


@pytest.mark.parametrize(
    "text",
    [
        "name,rank,1,2,3\nA,1,x,1,½\nB,2,0,x,1\nC,3,½,0,x\n",
        "name,1,2,3\nA,x,1,½\nB,0,x,1\nC,½,0,x\n",
    ],
)  # fmt: skip
def test_crosstables_are_games(text):
    """Each pair of players is one game, which both cells tell; a contradiction is refused."""
    games, pairs = read_pairs(text)
    assert pairs == ["AB", "AC", "BC"]
    assert games.score.tolist() == [1.0, 0.5, 1.0]
    assert "contradicts" in refusal(text.replace("B,2,0", "B,2,1").replace("B,0", "B,1"))


def test_wall_charts_are_games():
    """12w1 is a win with White against number 12; the opponent's cell must say the same."""
    text = "place,name,R1,R2\n1,A,2w1,3b=\n2,B,1b0,4w1\n3,C,4b0,1w=\n4,D,3w1,2b0\n"
    games, pairs = read_pairs(text)
    assert pairs == ["AB", "DC", "BD", "CA"]
    assert games.score.tolist() == [1.0, 1.0, 1.0, 0.5]
    assert games.side.tolist() == [1.0] * 4
    assert "contradicts" in refusal(text.replace("1b0", "1b1"))
    signs = "place,name,R1,R2\n1,A,+W2,=b3\n2,B,-b1,+w4\n3,C,-b4,=w1\n4,D,+w3,-b2\n"
    assert (read_pairs(signs)[1], read_pairs(signs)[0].score.tolist()) == (pairs, [1, 1, 1, 0.5])
    half = "place,name,R1,R2,R3,total\n1,A,2w1,3b=,4w1,2.5\n2,B,1b0,4w1,3b1,2\n"
    assert "crosstable" in refusal(half)  # the other players are not there


def test_rounds_of_golf_are_a_contest():
    """Numbered columns of strokes are no crosstable."""
    text = "place,player,R1,R2,R3,total\n1,A,72,70,71,213\n2,B,70,71,73,214\n"
    assert read(text).place.tolist() == [1, 2]
    assert read("pos,player,R1,R2,R3\n1,A,-3,+1,E\nT2,B,+1,E,-1\nT2,C,E,E,E\n").notes
    assert read("place,player,R1,R2,R3\n1,A,71,70,71\n2,B,70,71,71\n").place.tolist() == [1, 2]


def test_words_of_keys_in_other_languages():
    """Two games of one day are two contests where a column numbers them; a count is no key."""
    rows = [("1", "Ann", 1), ("1", "Ben", 2), ("2", "Cleo", 1), ("2", "Dan", 2)]
    for heading, found in (("Partia", 2), ("Sessão", 2), ("Rounds", 1)):
        table = read_games(
            [{heading: k, "Data": "05.01.2024", "Gracz": who, "Miejsce": p} for k, who, p in rows]
        )
        assert len(table) == found
        assert table.time is not None
        assert table.time[0] == 19_727.0


def rated(*headings, cells):
    """Rows of three players for each of four keys, with points that differ."""
    return [
        dict(zip(headings, (*key, who, points), strict=True))
        for key in cells
        for who, points in (("m1", 3), ("m2", 7), ("m3", 5))
    ]


@pytest.mark.parametrize(
    ("headings", "first"),
    [
        (("seed", "episode", "agent", "reward"), "m2"),
        (("question_id", "judge", "model", "rating"), "m2"),
        (("env", "fold", "algorithm", "loss"), "m1"),
        (("taskId", "annotatorId", "modelName", "humanScore"), "m2"),
    ],
)
def test_columns_by_which_each_player_stands_once(headings, first):
    """Two columns together tell contests apart, where a player stands twice by either of them."""
    keys = [("k1", "x"), ("k1", "y"), ("k2", "x"), ("k2", "y")]
    found = read_games(rated(*headings, cells=keys), warn=False)
    assert len(found) == 4
    places = [found.place[start:end].tolist() for start, end in pairwise(found.start)]
    names = [found.players[found.player[start + row.index(1.0)]]
             for start, row in zip(found.start, places, strict=False)]  # fmt: skip
    assert names == [first] * 4


def test_open_columns_are_asked():
    """Where two columns tell contests apart, and differently, the contest is asked for."""
    rows = [
        {"x": x, "y": y, "player": who, "points": points}
        for x, y, who, points in zip("112233", "122331", "ABABAB", (3, 1, 4, 1, 5, 9), strict=True)
    ]
    with refused(BadData, "player_twice", about="contest="):
        read_games(rows)


def test_a_player_twice_by_mistake_is_no_key():
    """One player who stands twice in a race is refused, though the teams would tell it apart."""
    rows = [
        {"race": at // 4, "crew": at % 4 // 2, "driver": "abcd"[at % 4], "points": 9 - at % 4}
        for at in range(12)
    ]
    assert len(read_games(rows, warn=False)) == 3
    rows[6]["driver"] = "a"
    with refused(BadData, "player_twice", about=("a", "contest")):
        read_games(rows)


def test_seeds_of_a_tournament_tell_no_better_end():
    """A seed beside scores, as in golf, does not say that more is better."""
    rows = [
        {"event": at // 3, "seed": at % 3, "player": "abc"[at % 3], "score": 70 + at}
        for at in range(6)
    ]
    with refused(BadData, "better_end_unknown"):
        read_games(rows)


def test_a_race_is_named_before_its_date():
    """Of a race and its date, which say the same, the race is named."""
    rows = [{"Race": race, "Date": day, "Driver": who, "Pos": at}
            for race, day in (("Spa", "2024-05-01"), ("Monza", "2024-06-01"))
            for at, who in enumerate(("Ann", "Ben"), 1)]  # fmt: skip
    assert any("told apart by Race:" in note for note in read_games(rows, warn=False).notes)


@pytest.mark.parametrize("heading", ["contest", "Race", "Rennen", "tournament_id", "Regatta"])
def test_a_list_of_some_of_those_who_took_part(heading):
    """A federation that lists its own athletes only may have no first: that is a warning."""
    table = {heading: [1, 1, 2, 2], "player": ["Ann", "Bob", "Ann", "Cid"], "place": [3, 5, 2, 7]}
    with pytest.warns(DataWarning):
        found = read_games(table)
    assert [len(found), found.place.tolist()] == [2, [3.0, 5.0, 2.0, 7.0]]


def test_dates_without_a_first_are_no_contests():
    """Half of the contests without a first are refused where dates alone tell them apart."""
    table = {"date": ["2024-01-01"] * 2 + ["2024-01-02"] * 2,
             "player": ["Ann", "Bob", "Ann", "Cid"], "place": [3, 5, 2, 7]}  # fmt: skip
    with refused(BadData, "no_first_place"):
        read_games(table)
    assert len(read_games(table, contest="date")) == 2
