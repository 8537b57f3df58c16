"""Tags of chess games."""

from __future__ import annotations

import io
import unicodedata
from functools import partial

import pytest
from hypothesis import given, strategies as st

from prowess.games import BadData, Games, read_games
from prowess.games.formats import pgn
from tests.refusals import refused


def read(text: str | bytes, **options) -> Games:
    """Games written here."""
    data = text if isinstance(text, bytes) else text.encode()
    games = read_games(io.BytesIO(data), format="pgn", **options)
    assert games.duels
    return games


def game(white="Ann", black="Bob", result="1-0", moves="1. e4 e5", **tags) -> str:
    """One game in PGN."""
    tags = {"White": white, "Black": black, "Result": result, **tags}
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    return "\n".join([*lines, "", f"{moves} {result}", "", ""])


def results(games: Games) -> list[tuple[str, str, float]]:
    """Who played whom, and how it ended."""
    rows = zip(games.a.tolist(), games.b.tolist(), games.score.tolist(), strict=True)
    return [(games.players[a], games.players[b], score) for a, b, score in rows]


def test_tags_are_games():
    """White, Black and Result make a game; White has the side advantage."""
    games = read(game() + game("Bob", "Cy", "1/2-1/2") + game("Cy", "Ann", "0-1"))
    assert results(games) == [("Ann", "Bob", 1.0), ("Bob", "Cy", 0.5), ("Cy", "Ann", 0.0)]
    assert games.side.tolist() == [1.0, 1.0, 1.0]
    assert games.time is None


def test_dates():
    """UTCDate with UTCTime goes before Date; games are put in order of time."""
    games = read(
        game(Date="2020.01.03")
        + game("C", "D", Date="2019.12.31", UTCDate="2020.01.02", UTCTime="12:00:00")
    )
    assert games.time.tolist() == [18263.5, 18264.0]
    assert results(games)[0] == ("C", "D", 1.0)


def test_dates_that_nobody_knows():
    """Games none of which has a known day have no dates and stay in the order of the file."""
    games = read(game(Date="????.??.??") + game("C", "D", Date="2020.??.??") + game("E", "F"))
    assert games.time is None
    assert len(games) == 3


@pytest.mark.parametrize(
    ("when", "code"), [({"Date": "2020.??.??"}, "day_unknown"), ({}, "date_missing")]
)
def test_some_dates_are_not_enough(when, code):
    """A game without a known day among games that have one is refused, or skipped."""
    text = game(Date="2020.01.01") + game("C", "D", **when)
    with refused(BadData, code, about=("--skip-bad", "--time none"), line=8, column="date"):
        read(text)
    assert len(read(text, skip_bad=True)) == 1
    assert len(read(text, time="none")) == 2


def test_unfinished_games_are_left_out():
    """Games with the result * are left out and reported, although bad rows are not skipped."""
    told: list[BadData] = []
    games = read(game() + game("C", "D", "*") + game("E", "F"), report=told.append)
    assert results(games) == [("Ann", "Bob", 1.0), ("E", "F", 1.0)]
    assert [str(fault) for fault in told] == [
        'the game is unfinished (result "*") (the stream, line 7)'
    ]


@pytest.mark.parametrize("tag", ["White", "Black"])
def test_missing_tags_are_refused(tag):
    """A game without White or Black is refused with the line where it begins."""
    lines = game("C", "D").split("\n")
    text = game() + "\n".join(line for line in lines if not line.startswith(f"[{tag} "))
    with refused(BadData, "name_missing", about=str(tag.lower()), line=7):
        read(text)


def test_a_missing_result_is_refused():
    """A game without the tag Result is refused, not taken for one that was not played."""
    with refused(BadData, "result_missing", about="Result", line=1):
        read("\n".join(line for line in game().split("\n") if not line.startswith("[Result")))


def test_comments_that_look_like_tags():
    """A line that begins with a bracket inside a comment is no tag, nor is a clock."""
    moves = (
        "1. e4 { [%clk 0:01:00] } e5 {a comment\n[White \"Nobody\"]\n[%eval 0.3]\n} 2. d4\n"
        "; a remark with a { brace\n2... d5 {closed ; here} 3. c4"
    )  # fmt: skip
    assert results(read(game(moves=moves) + game("C", "D"))) == [
        ("Ann", "Bob", 1.0),
        ("C", "D", 1.0),
    ]


def test_no_blank_line_between_games():
    """Games follow one another without an empty line, even without moves."""
    text = game().replace("\n\n", "\n") + game("C", "D", moves="").replace("\n\n", "\n")
    assert len(read(text)) == 2
    tags_only = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n'
    assert len(read(tags_only * 3)) == 3


def test_quotes_and_backslashes_in_tags():
    """Escaped quotes and backslashes stand for themselves, careless quotes as well."""
    games = read(game(r"The \"Kid\"", r"C:\\x") + game('Jo "J" Doe', "B"))
    assert results(games)[0][:2] == ('The "Kid"', r"C:\x")
    assert results(games)[1][0] == 'Jo "J" Doe'


def test_several_tags_in_a_line():
    """Tags may share a line, with blanks wherever they like."""
    games = read('[White "A"] [Black "B"]\n  [ Result   "0-1" ]\n\n1. e4 0-1\n')
    assert results(games) == [("A", "B", 0.0)]


def test_latin_1():
    """Names are UTF-8 where they are UTF-8, else Latin-1, in one file."""
    text = game("Müller", "B").encode() + game("Ça", "Müller").encode("latin-1")
    assert read(text).players == ["Müller", "B", "Ça"]


def test_line_ends_and_a_byte_order_mark():
    """Windows line ends and a mark at the beginning change nothing."""
    text = ("\ufeff" + game() + game("C", "D")).replace("\n", "\r\n")
    assert results(read(text)) == [("Ann", "Bob", 1.0), ("C", "D", 1.0)]


def test_a_tag_that_stands_twice():
    """A game with two different values of a tag is refused; the next game is not its victim."""
    text = '[Event "x"]\n[White "A"]\n[White "B"]\n[Black "C"]\n[Result "1-0"]\n\n1-0\n'
    with refused(BadData, "tag_twice", about="white", line=1):
        read(text + game())
    assert len(read(text + game(), skip_bad=True)) == 1


def test_a_broken_tag():
    """A tag that does not end is refused with its line."""
    with refused(BadData, "broken_tag", line=7):
        read(game() + '[White "A"]\n[Black "B\n[Result "1-0"]\n\n1-0\n')


def test_rounds_and_filters():
    """Round labels are numbered, other tags can be used to choose games."""
    text = game(Round="1", Event="Cup") + game("C", "D", Round="2", Event="Open")
    assert read(text).round.tolist() == [0, 1]
    assert read(text, where={"Event": "Open"}).players == ["C", "D"]
    assert read(text.replace("Event", "Site"), exclude={"site": ["Cup"]}).players == ["C", "D"]
    assert read(game(Round="?") + game(Round="-")).round is None


@pytest.mark.parametrize("text", ["", "\n\n", "% only an escape\n"])
def test_no_games(text):
    """A file without a game is refused."""
    with refused(BadData, "no_games"):
        read(text)


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8).map(
                partial(unicodedata.normalize, "NFC")
            ),
            st.sampled_from(["1-0", "0-1", "1/2-1/2"]),
            st.text('abc{};[]"% \n', max_size=40),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_whatever_a_comment_holds(rows):
    """Games are read whatever stands in a comment in braces, and whatever players are called."""
    text = "".join(
        game(f"w{name}".replace("\\", r"\\").replace('"', r"\""), "Bob", result,
             "1. e4 {" + comment.replace("}", "") + "} e5")
        for name, result, comment in rows
    )  # fmt: skip
    scores = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
    assert results(read(text, warn=False)) == [
        (f"w{name}", "Bob", scores[result]) for name, result, _ in rows
    ]


@pytest.mark.parametrize("size", [1, 7, 64])
def test_blocks_may_end_anywhere(size, monkeypatch):
    """A file is read in blocks; where they end makes no difference, also to line numbers."""
    monkeypatch.setattr(pgn, "BLOCK", size)
    text = "\ufeff" + game("Äßö", moves="1. e4 {a\nb} e5") + game("C", "D").replace("\n", "\r\n")
    assert results(read(text)) == [("Äßö", "Bob", 1.0), ("C", "D", 1.0)]
    with refused(BadData, "name_missing", line=8, column="black"):
        read(text.replace('"D"', '""'))
    with refused(BadData, "not_text", about="NUL", line=9):
        read(text.replace('"D"', '\0"D"'))
