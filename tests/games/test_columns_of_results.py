"""Dates and results that all cells of a column decide together, and games that were not played."""

from __future__ import annotations

import io

import pytest

from prowess.games import BadData, read_games


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
