"""Reports of tournaments (TRF), logs of engine matches, football in plain text."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from prowess.games import BadData, Games, read_games
from prowess.games.dates import format_day
from tests.games.refusing import place_first
from tests.refusals import refused


def read_text(text: str | bytes, **options: Any) -> Games:
    """A text whose format shows in its first lines."""
    data = text if isinstance(text, bytes) else text.encode()
    return read_games(io.BytesIO(data), warn=False, **options)


def list_games(games: Games) -> list[tuple[str, str, float]]:
    """The players and the score of each game."""
    names = games.players
    pairs = zip(games.a, games.b, games.score, strict=True)
    return [(names[a], names[b], float(score)) for a, b, score in pairs]


def trf_line(number: int, name: str, *rounds: str, by_bytes: bool = False) -> str:
    """A player's line, its columns counted in letters or in bytes."""
    line = f"001 {number:4d} m    "
    gap = 47 - len(line) - len(name.encode() if by_bytes else name)
    line += name + " " * gap
    return line + " " * 44 + "".join(f"{cell:<10s}" for cell in rounds)


def trf(*players: str, dates: str = "24/03/01  24/03/02") -> str:
    """A report of a tournament of two rounds."""
    return "\n".join(["012 Spring Open", "132" + " " * 88 + dates, *players]) + "\n"


PLAYERS = [
    trf_line(1, "Ann", "   2 w 1", "   3 b ="), trf_line(2, "Bob", "   1 b 0", "0000 - H"),
    trf_line(3, "Çem", "0000 - U", "   1 w ="),
]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_report_of_a_tournament(end):
    """Both lines of a game are one game, White first, with the date of its round."""
    games = read_text(trf(*PLAYERS).replace("\n", end))
    assert list_games(games) == [("Ann", "Bob", 1.0), ("Çem", "Ann", 0.5)]
    assert games.time is not None
    assert games.time.tolist() == [19783.0, 19784.0]  # 2024-03-01 and 02
    assert games.side is not None
    assert games.side.tolist() == [1.0, 1.0]
    assert any("2 byes" in note for note in games.notes)


def test_columns_counted_in_bytes():
    """Some programs count the bytes of a name, which moves the rounds to the left."""
    players = [trf_line(1, "Ümit Şen", "   2 w 1", by_bytes=True), trf_line(2, "Bob", "   1 b 0")]
    assert list_games(read_text(trf(*players))) == [("Ümit Şen", "Bob", 1.0)]


def test_forfeits_are_left_out():
    """A win without play is no game; a game that is not rated is one."""
    players = [
        trf_line(1, "Ann", "   2 w +", "   2 b W"),
        trf_line(2, "Bob", "   1 b -", "   1 w L"),
    ]
    games = read_text(trf(*players))
    assert list_games(games) == [("Bob", "Ann", 0.0)]
    assert games.left_out == 1


@pytest.mark.parametrize(
    ("players", "message"),
    [
        ((trf_line(1, "Ann", "   2 w 1"), trf_line(2, "Bob", "   1 b 1")),
         "line 3: the lines say 1 and 1"),
        ((trf_line(1, "Ann", "   2 w 1"), trf_line(2, "Bob", "   3 b 0")),
         "line 3: only one of two lines"),
        ((trf_line(1, "Ann", "   2 w 1"), trf_line(2, "Bob", "   1 w 0")),
         "line 3: both players have the same colour"),
        ((trf_line(1, "Ann", "   2 x 1"), trf_line(2, "Bob", "   1 b 0")),
         'line 3: "   2 x 1'),
        ((trf_line(1, "Ann"), trf_line(1, "Bob")), "line 4: two players have the number 1"),
    ],
)  # fmt: skip
def test_contradictions_of_a_report(players, message):
    """Where the lines of two players contradict each other, nobody knows what was played."""
    with pytest.raises(BadData) as error:
        read_text(trf(*players))
    assert message in place_first(error.value)


LOG = """Started game 1 of 4 (Fish 1 vs Ox)
Finished game 2 (Ox vs Fish 1): 0-1 {Black mates}
Score of Fish 1 vs Ox: 1 - 0 - 0  [1.000] 1
Finished game 1 (Fish 1 vs Ox): 1/2-1/2 {Draw by stalemate}
Finished game 3 (Fish 1 vs A vs B): 1-0 {White mates}
Finished game 4 (Ox vs Fish 1): * {No result}
"""


def test_a_log_of_engines():
    """White is first; a name may hold the word between two; no result is no game."""
    games = read_text(LOG)
    expected = [("Ox", "Fish 1", 0.0), ("Fish 1", "Ox", 0.5), ("Fish 1", "A vs B", 1.0)]
    assert list_games(games) == expected
    assert games.left_out == 1


def test_unclear_engines_are_refused():
    """Where names could be split in two ways, the line is refused."""
    with refused(BadData, "unread_line"):
        read_text("Finished game 1 (A vs B vs C): 1-0 {White mates}\n")


FOOTBALL = """= Some League 2023/24

▪ Matchday 1
Fri Aug 11
  20:00  Ann FC   v Bob United   0-3 (0-2)
           (Cy 3', 5'; Di 7')
Sat Jan/6
  15.30  Bob United   2-2 a.e.t. (1-1, 0-0) 3-4 pen.   Ann FC
Sun Jul 7 2024
  Ann FC   v Bob United   [cancelled]
  Ann FC   4-2 pen. 1-1 a.e.t. (1-1)   Bob United  @ Town, Ground
"""


def test_football_in_plain_text():
    """A date without year is of the season; who wins a shoot-out has won."""
    games = read_text(FOOTBALL)
    assert list_games(games) == [
        ("Ann FC", "Bob United", 0.0), ("Bob United", "Ann FC", 0.0), ("Ann FC", "Bob United", 1.0),
    ]  # fmt: skip
    assert games.points_a is not None
    assert games.points_a.tolist() == [0.0, 2.0, 1.0]
    assert games.time is not None
    assert games.time.tolist() == [19580.0, 19728.0, 19911.0]  # 2023-08-11, 2024-01-06, 2024-07-07
    assert games.left_out == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("= League 2023\nSat Aug 11\n A v B  1-0\n", "line 2: 2023-08-11 is not a Sat"),
        ("= League 2023/24\nFeb 30\n A v B  1-0\n", 'line 2: "Feb 30" is not a date'),
        ("= League 2023/24\nAug 11\n", "the text has no matches"),
    ],
)
def test_football_that_cannot_be_read(text, message):
    """A date that does not exist, or is of another day of the week, is refused."""
    with pytest.raises(BadData) as error:
        read_text(text)
    assert message in place_first(error.value)


@given(st.sampled_from([trf(*PLAYERS), LOG, FOOTBALL]), st.data())
@settings(max_examples=150)
def test_mutated_texts(text, data):
    """Whatever stands in such a text, nothing but BadData is raised."""
    at = data.draw(st.integers(0, len(text)))
    new = data.draw(st.text(max_size=5) | st.sampled_from(["\n", "1-0", " v ", "   9 w 1", "'"]))
    mutated = text[:at] + new + text[at + data.draw(st.integers(0, 12)) :]
    with suppress(BadData):
        read_text(mutated)


@pytest.mark.parametrize("stamp", ["2024-03-01T12:00:03Z ", "[2024-03-01 12:00:03] INFO ", ""])
def test_lines_of_key_and_value(stamp):
    """Lines of key=value are games where they have a result, with the date in front of them."""
    games = read_text(
        f'{stamp}level=info msg="match finished" white=Ann black=Bob result=1-0 plies=47\n'
        f'{stamp}level=warn msg="slow \\"move\\"" bot=Ann ms=4100\n'
        f'{stamp}level=info msg="match finished" white=Bob black=Ann result=1/2-1/2 plies=47\n'
    )
    assert list_games(games) == [("Ann", "Bob", 1.0), ("Bob", "Ann", 0.5)]
    assert (games.time is None) == (stamp == "")
    if games.time is not None:
        assert games.time.tolist() == [19783.0 + (12 * 3600 + 3) / 86400.0] * 2


TYPED = """Club championship 2024

1. Runde (12.01.2024)
Müller - Schmidt        1 - 0
Weber - Fischer         ½ - ½

2. Runde (19.01.2024)
Schmidt - Weber         0 - 1
Fischer - Müller        1 - 0
"""


def test_games_that_were_typed_below_rounds_and_days():
    """Lines of games below lines of rounds and days; other lines are a refusal."""
    games = read_text(TYPED)
    assert list_games(games) == [
        ("Müller", "Schmidt", 1.0), ("Weber", "Fischer", 0.5),
        ("Schmidt", "Weber", 0.0), ("Fischer", "Müller", 1.0),
    ]  # fmt: skip
    assert games.time is not None
    assert [format_day(day) for day in games.time[1:3]] == ["2024-01-12", "2024-01-19"]
    for line in ("both were late", "Weber - Schmidt 1-0 on 20.01.2024"):
        with pytest.raises(BadData):
            read_text(TYPED + line + "\n")


def test_games_with_their_days_below_a_title():
    """A day before each game, in words or numbers, with or without a year, below titles."""
    games = read_text(
        "Squash box 3, autumn 2024\n\nMon 4 Nov 2024 Ann bt Ben 3-1\n"
        "Tue 5 Nov 2024 Cem bt Dan 3-2\nFri 15 Nov 2024 Ann lost to Cem 0-3\n\nNext box: ask Eve.\n"
    )
    assert list_games(games) == [("Ann", "Ben", 1.0), ("Cem", "Dan", 1.0), ("Ann", "Cem", 0.0)]
    assert games.time is not None
    assert [format_day(day) for day in games.time] == ["2024-11-04", "2024-11-05", "2024-11-15"]
    assert any("Next box" in note for note in games.notes)
    games = read_text(
        "Liga, Herbst 2024\nDatum   Heim - Gast   Ergebnis\n\n"
        "9.11. Ann - Ben 3:1\n9.11. Cem - Dan 3:2\n16.11. Ann - Cem 0:3\n"
    )
    assert games.time is not None
    assert [format_day(day) for day in games.time] == ["2024-11-09", "2024-11-09", "2024-11-16"]
    assert games.side is not None  # as the line of headings says


@pytest.mark.parametrize("half", ["1/2", "½", "0.5"])
def test_games_of_chess_below_their_rounds(half):
    """Draws are written in each way."""
    games = read_text(f"Round 1\nAnn - Ben 1-0\nCem - Dan {half}-{half}\nRound 2\nDan - Ann 0-1\n")
    assert list_games(games) == [("Ann", "Ben", 1.0), ("Cem", "Dan", 0.5), ("Dan", "Ann", 0.0)]
    between = read_text(f"Ann 1-0 Ben\nCem {half}-{half} Dan\nDan 0-1 Ann\n")
    assert list_games(between) == list_games(games)


@pytest.mark.parametrize("days", [
    ("2024-01-05", "2024-01-06"), ("05.01.2024", "06.01.2024"), ("Jan 5 2024", "Jan 6 2024"),
])  # fmt: skip
def test_two_games_with_the_day_above_each(days):
    """A text of games and days alone may hold few games."""
    games = read_text(f"{days[0]}\nAnn beat Ben 3-1\n{days[1]}\nBen lost to Ann 1-2\n")
    assert list_games(games) == [("Ann", "Ben", 1.0), ("Ben", "Ann", 0.0)]
    assert games.time is not None
    assert [format_day(day) for day in games.time] == ["2024-01-05", "2024-01-06"]


@pytest.mark.parametrize("days", [
    ("January 2024", "February 2024"), ("Jan 2024", "Feb 2024"), ("Januar 2024", "Februar 2024"),
    ("01/2024", "02/2024"), ("1st January 2024", "1st February 2024"),
    ("1. 1. 2024", "1. 2. 2024"),
])  # fmt: skip
@pytest.mark.parametrize("form", ["{} {}-{} {}", "{0} - {3} {1}:{2}"])
def test_months_and_days_in_words_stand_above_games(days, form):
    """A line that is a month, or a day in any form, dates the games below it, also in a table."""
    told = [("Ann", 3, 1, "Bob"), ("Cid", 0, 1, "Dan"), ("Ann", 2, 2, "Cid")]
    lines = [form.format(*game) for game in told]
    rows = [f"{a},{b},{x}-{y}" for a, x, y, b in told]
    texts = [
        "\n".join([days[0], *lines[:2], days[1], lines[2]]),
        "\n".join(["home,away,score", f"{days[0]},,", *rows[:2], f"{days[1]},,", rows[2]]),
    ]
    for games in map(read_text, texts):
        assert list_games(games) == [("Ann", "Bob", 1.0), ("Cid", "Dan", 0.0), ("Ann", "Cid", 0.5)]
        assert games.time is not None
        assert [format_day(day) for day in games.time] == ["2024-01-01"] * 2 + ["2024-02-01"]


def test_a_season_above_games_is_no_month():
    """2011-12 above games is the season that begins in 2011, and dates none of them."""
    assert read_text("2011-12\nAnn 3-1 Bob\nCid 0-1 Dan\nAnn 2-2 Cid\n").time is None


def test_a_refused_list_says_its_first_line():
    """Few lines that may hold other things than players are refused with the first of them."""
    with refused(BadData, "no_players_found", line=2, about="Ann vs Bob: 3-1"):
        read_text("2024-01-01\nAnn vs Bob: 3-1\nCid vs Dan: 0-1\n")


@pytest.mark.parametrize("line", ["Stand: 1.12.2024", "Last updated 2024-12-01"])
def test_the_day_of_a_list_is_none_of_its_games(line):
    """A title that says when a list was written dates no game."""
    text = f"Results\n{line}\n\nRunde 1\nAnn - Ben 3:1\nCem - Dan 3:2\nAnn - Cem 0:3\n"
    games = read_text(text)
    assert games.time is None
    assert games.round is not None


@pytest.mark.parametrize("line", ["Court 2,Cem beat Dan 3-2, great", "x;Cem beat Dan 3-2"])
def test_values_before_a_game_are_no_part_of_a_name(line):
    """Lines whose values stand before the players are no sentences."""
    with pytest.raises(BadData):
        read_text(f"Court 1,Ann beat Ben 3-1\n{line}\nCourt 1,Ann beat Cem 3-0\n", time="none")


def test_verbs_and_points():
    """Points behind a verb stand with the winner or the first player first where that is a loss;
    sets are counted; points that contradict the verb are refused.
    """
    lines = [
        "Ann beat Ben 3-6, 6-4, 7-6", "Cem lost to Dan 6-3 6-4", "Ann lost to Cem 0-3",
        "Dan drew with Cem 1-1", "Ben beat Dan by 3 wickets",
    ]  # fmt: skip
    games = read_text("\n".join(lines))
    assert games.score.tolist() == [1.0, 0.0, 0.0, 0.5, 1.0]
    assert games.points_a is not None
    assert games.points_a.tolist()[:4] == [2.0, 0.0, 0.0, 1.0]
    with refused(BadData, "verb_contradicts", about=("1-3", "beat")):
        read_text("\n".join([*lines, "Ann beat Dan 1-3"]))


def test_numbers_behind_names_below_days():
    """A number behind each name is its points, P a game that was postponed."""
    text = "RESULTS\n\nSunday 14 January 2024\nRed Lion 2 United 1\nUnited 0 Rovers 0\n"
    games = read_text(text + "\nSunday 21 January 2024\nRovers 3 Red Lion 1\nRovers P United P\n")
    assert list_games(games) == [
        ("Red Lion", "United", 1.0), ("United", "Rovers", 0.5), ("Rovers", "Red Lion", 1.0)
    ]  # fmt: skip
    assert games.left_out == 1


def test_results_behind_both_names():
    """The result may stand behind both names; times of the day there are none."""
    games = ["Ann - Ben 3-1", "Ben vs Cy 0-2", "Cy - Ann 6-4 3-6 6-3"]
    assert list_games(read_games({"Match": games}, warn=False)) == [
        ("Ann", "Ben", 1.0), ("Ben", "Cy", 0.0), ("Cy", "Ann", 1.0)
    ]  # fmt: skip
    with pytest.raises(BadData):
        read_games({"Match": ["Ann - Ben 18:30", "Ben - Cy 19:15", "Cy - Ann 20:00"]})
