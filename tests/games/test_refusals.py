"""Every row that cannot be read is refused with file, line, column and remedy."""

from __future__ import annotations

import io

import pytest

from prowess import kernel
from prowess.games import BadData, read_games
from tests.games.refusing import place_first
from tests.refusals import refused

SKIP = "skip bad rows with skip_bad=True (--skip-bad)"
MEND = f"correct the row, or {SKIP}"
NOT_PLAYED = f"leave out what was not played with where= or exclude=, or {SKIP}"
FROM_ONE = f"add 1 to places that begin with 0, or {SKIP}"
READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]

# a table of which line 4 (the third row) is wrong, options, column, what is wrong, remedy
ROWS = [
    (
        "white,black,result", "A,C,x", "result",
        ('unknown outcome "x"; known: 1-0, 0-1, 1/2-1/2, 3:2, win, loss, draw, white, black, '
        "a number from 0 to 1"),
        (
            'say what it means with outcomes={"x": None} (--outcome x=none), where none is no game '
            "and 1, 0.5 or 0 the score of the first side, "
            f"name another column with result=... (--result), or {SKIP}"
        ),
    ),
    (
        "white,black,result", "A,C,3", "result", 'a score of "3" is not between 0 and 1',
        ("give the points of both sides with score_a= and score_b=, "
        f"name another column with result=, or {SKIP}"),
    ),
    ("white,black,result", "A,A,1-0", "black", '"A" plays against themselves', MEND),
    ("white,black,result", ",B,1-0", "white", "the name of a player is missing", MEND),
    ("white,black,result", 'A,"  ",1-0', "black", "the name of a player is missing", MEND),
    (
        "left,right,winner", "A,C,Zed", "winner",
        ('the winner "Zed" is neither of the two players nor a known word; '
        "known: left, right, tie, draw"),
        (
            'say what it means with outcomes={"Zed": None} (--outcome Zed=none), where none is no '
            "game and 1, 0.5 or 0 the score of the first side, "
            f"name another column with winner=... (--winner), or {SKIP}"
        ),
    ),
    ("home,away,home_goals,away_goals", "A,C,x,2", "home_goals",
     '"x" is not a number', NOT_PLAYED),
    ("home,away,home_goals,away_goals", "A,C,1,", "away_goals",
     'the score is missing beside "1"', MEND),
    (
        "home,away,home_goals,away_goals", "A,C,1e999,1", "home_goals",
        '"1e999" is not a finite number', MEND,
    ),
    (
        "white,black,result,date", "A,C,1-0,03/04/2020", "date",
        ('"03/04/2020" is written otherwise than "2020-01-01": dates in numbers among dates with '
         "the year first or the month's name"),
        f"write all dates of the column in one way, or {SKIP}",
    ),
    (
        "white,black,result,date", "A,C,1-0,", "date", "the date is missing",
        f'read without dates with time="none" (--time none), fill it in, or {SKIP}',
    ),
    (
        "white,black,result,date", "A,C,1-0,2020-02-30", "date",
        '"2020-02-30" is no day of the calendar', MEND,
    ),
    (
        "home,away,result,neutral", "A,C,1,perhaps", "neutral",
        '"perhaps" is neither yes nor no', "write TRUE or FALSE",
    ),
    ("a,b,score,weight", "A,C,1,0", "weight", '"0" is not above 0', MEND),
    ("a,b,score,length", "A,C,1,-3", "length", '"-3" is not above 0', MEND),
    ("a,b,score,margin", "A,C,1,nan", "margin", '"nan" is not a number', NOT_PLAYED),
    (
        "a,b,score,margin", "A,C,1,-2", "margin", "a margin of -2 contradicts a score of 1",
        f"margins count from the first side, negative when it lost; {SKIP}",
    ),
    (
        "white,black,result", "A,1-0", None, "the row has 2 values, the headings are 3",
        f"look for a missing or superfluous delimiter, or {SKIP}",
    ),
    (
        "white,black,result", "A,B,1-0,", None, "the row has 4 values, the headings are 3",
        f"look for a missing or superfluous delimiter, or {SKIP}",
    ),
    ("event,player,place", "E,C,0", "place", "places begin with 1", FROM_ONE),
    ("event,player,place", "E,C,0.5", "place", "places begin with 1", FROM_ONE),
    ("event,player,place", "E,C,x", "place", '"x" is not a number', NOT_PLAYED),
    ("event,player,place", "E,,3", "player", "the name of a player is missing", MEND),
    (
        "event,player,place", "E,A,3", "player", '"A" stands twice in one contest',
        ("name the columns that tell contests apart with contest= (--contest), leave one of the "
         f"rows out with exclude= (--exclude), or {SKIP}"),
    ),
]  # fmt: skip
GOOD = {
    "white,black,result": "A,B,1-0",
    "left,right,winner": "A,B,tie",
    "home,away,home_goals,away_goals": "A,B,2,1",
    "white,black,result,date": "A,B,1-0,2020-01-01",
    "home,away,result,neutral": "A,B,1,TRUE",
    "a,b,score,weight": "A,B,1,1",
    "a,b,score,length": "A,B,1,1",
    "a,b,score,margin": "A,B,1,1",
    "event,player,place": "E,A,1",
}
SECOND = {"event,player,place": "E,B,2"}


def table(heading, bad):
    """Two good rows and a bad one in line 4, and a good one after it."""
    last = "F,A,1" if heading.startswith("event") else GOOD[heading]
    return "\n".join([heading, GOOD[heading], SECOND.get(heading, GOOD[heading]), bad, last])


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(("heading", "bad", "column", "what", "remedy"), ROWS)
def test_a_bad_row_is_refused(tmp_path, heading, bad, column, what, remedy, compiled):
    """A bad row is refused with file, line, column, what is wrong and what to do."""
    path = tmp_path / "results.csv"
    path.write_text(table(heading, bad), encoding="utf-8")
    with pytest.raises(BadData) as error:
        read_games(path, compiled=compiled)
    place = f'line 4, column "{column}"' if column else "line 4"
    assert str(error.value) == f"{remedy}: {what} ({path}, {place})"
    fault = error.value
    assert (fault.file, fault.line, fault.column) == (str(path), 4, column)
    assert (fault.what, fault.remedy) == (what, remedy)


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(("heading", "bad", "column", "what", "remedy"), ROWS)
def test_a_bad_row_is_skipped(heading, bad, column, what, remedy, compiled):
    """With skip_bad a bad row is reported, and the others are read as if it were not there."""
    told: list[BadData] = []
    text = table(heading, bad)
    kept = text.replace(f"\n{bad}\n", "\n")
    games = read_games(
        io.StringIO(text), format="csv", skip_bad=True, report=told.append, compiled=compiled,
        warn=False,
    )  # fmt: skip
    assert [(fault.line, fault.column, fault.what) for fault in told] == [(4, column, what)]
    other = read_games(io.StringIO(kept), format="csv", warn=False)
    assert games.players == other.players
    assert len(games) == len(other)
    for name, values in other.columns.items():
        assert getattr(games, name).tolist() == values.tolist()


def test_the_first_bad_row_is_named():
    """Of several faults in several columns the one in the first row is told."""
    with refused(BadData, "not_a_date", line=3, column="date"):
        read_games(
            io.StringIO("a,b,score,date\nA,B,1,2020-01-01\nA,B,1,x\nA,A,1,2020-01-01\nA,B,7,x\n"),
            format="csv",
        )


@pytest.mark.parametrize("compiled", READERS)
def test_a_name_that_is_a_word_is_refused(compiled):
    """A winner that is a player's name and a word for another outcome is refused."""
    text = "left,right,winner\nA,B,left\nright,left,left\n"
    with refused(BadData, "name_is_a_word", about="left", line=3, column="winner"):
        read_games(io.StringIO(text), format="csv", compiled=compiled)


@pytest.mark.parametrize("compiled", READERS)
def test_a_name_that_is_a_word_may_agree(compiled):
    """A player called left, on the left, may win as left."""
    games = read_games(
        io.StringIO("left,right,winner\nleft,B,left\n"), format="csv", compiled=compiled
    )
    assert games.score.tolist() == [1.0]


def test_lines_are_those_of_the_file():
    """Empty lines, quoted line breaks and any kind of line end are counted as an editor does."""
    text = '\r\na,b,score\r\n\r\n"A\r\nX","B\nY",1\r\n\r\nA,B,nope\r\n'
    with pytest.raises(BadData) as error:
        read_games(io.BytesIO(text.encode()), format="csv")
    assert error.value.line == 8
    with pytest.raises(BadData) as error:
        read_games(io.BytesIO(b"a,b,score\rA,B,1\rA,B,nope\r"), format="csv")
    assert error.value.line == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b,score\n", "has headings, but no rows"),
        ("a,b,score\n\n", "has headings, but no rows"),
        ("a,b,score,a\nA,B,1,2\n", 'line 1: two columns are called "a"'),
        ('a,b,score\nA,"B,1\n', "line 2: a quote is not closed"),
        ('a,b,score\n"A"x,B,1\n', "line 2: something stands between a closing quote and"),
        ("a,b,score\nA,B,1\x00\n", "line 2: the file is not text: it has a NUL byte"),
        ("a,b,score\n" + "x" * 200_000 + ",B,1\n", "line 2: a value of more than 131,072"),
        ("a;b;score\nA,B,1\n", "line 2: the row has 1 value, the headings are 3"),
    ],
)
@pytest.mark.parametrize("compiled", READERS)
def test_what_is_no_table_is_refused(text, message, compiled):
    """A file without the form of a table is refused as a whole."""
    with pytest.raises(BadData) as error:
        read_games(io.BytesIO(text.encode()), format="csv", compiled=compiled)
    assert message in place_first(error.value)
    assert error.value.file == "the stream"
    assert str(error.value).isprintable()


def test_nothing_left():
    """A table of which filters or bad rows leave nothing is refused."""
    with refused(BadData, "no_games", about=("where=", "exclude=")):
        read_games({"a": ["A"], "b": ["B"], "score": [1]}, where={"a": "Z"})
    with refused(BadData, "self_play", about="can"):
        read_games({"a": ["A"], "b": ["A"], "score": [1]}, skip_bad=True)


@pytest.mark.parametrize("compiled", READERS)
def test_text_that_is_not_utf8(compiled):
    """The encoding of a text that is not UTF-8 is guessed by its letters, and a note says so."""
    content = "a,b,score\nJürgen Müller,Käthe Weiß,1\nRené,François,0\n".encode("cp1252")
    games = read_games(io.BytesIO(content), format="csv", compiled=compiled)
    assert games.players == ["Jürgen Müller", "Käthe Weiß", "René", "François"]
    assert any("not UTF-8 and is read as" in note for note in games.notes)
    polish = "a,b,score\nŁukasz Żak,Świątek Zuzanna,1\nPaweł,Gżegżółka,0\n".encode("cp1250")
    games = read_games(io.BytesIO(polish), format="csv", encoding="cp1250")
    assert games.players[0] == "Łukasz Żak"


@pytest.mark.parametrize("compiled", READERS)
def test_other_columns_may_hold_anything(compiled):
    """A column that is not read may be in any encoding and hold anything."""
    content = b"a,b,score,note\nA,B,1,caf\xe9\nB,A,0,\n"
    assert len(read_games(io.BytesIO(content), format="csv", compiled=compiled)) == 2


def test_utf16_is_named():
    """UTF-16 is recognised by its mark, and read when it is named."""
    content = "a,b,score\nÄ,B,1\n".encode("utf-16")
    games = read_games(io.BytesIO(content), format="csv")
    assert games.players == ["Ä", "B"]
    games = read_games(io.BytesIO(content), format="csv", encoding="utf-16")
    assert games.players == ["Ä", "B"]


@pytest.mark.parametrize(
    ("encoding", "code"), [("utf-99", "unknown_encoding"), ("ascii", "wrong_encoding")]
)
def test_wrong_encodings(encoding, code):
    """An encoding that is unknown or does not fit is refused."""
    with refused(BadData, code, about=encoding):
        read_games(io.BytesIO("a,b,score\nÄ,B,1\n".encode()), format="csv", encoding=encoding)
