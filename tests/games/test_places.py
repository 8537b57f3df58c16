"""Places, points and times as contests write them."""

from __future__ import annotations

import datetime as dt
import io
from math import isinf

import pytest
from pytest import approx

from prowess.games import BadData, Games, read_games
from prowess.games.cells.places import LAST, OUT, PlaceParser
from prowess.games.errors import InvalidValue
from tests.games.refusing import place_first


def read(text: str, **options) -> Games:
    """A table of contests written here."""
    return read_games(io.StringIO(text), format="csv", **options)


PLACES = {
    1: "1 1. 1st 1er 1re 1ère 1e 1º 1ª 1° 1.º T1 =1 1= #1 first Erster premier primera primo "
    "eerste pierwszy Sieger gold",
    2: "2 2nd 2e 2ème 2. T-2 2-3 2.-4. 2–3 zweiter Deuxième segundo secondo drugi runner-up Silber",
    3: "T3 =3 3rd 3= Platz_3 3._Platz place_3 No._3 3/45 troisième terceiro derde trzecia",
    10: "10th 10. T10 tenth zehnter décima dziesiąty",
}


@pytest.mark.parametrize("place", PLACES)
def test_places_in_words_and_figures(place):
    """Ordinals of eight languages, ties and shared places are places."""
    parse = PlaceParser(None).place
    for text in PLACES[place].split():
        assert parse(text.replace("_", " ")) == place, text


@pytest.mark.parametrize("text", ["0", "x", "3-1", "2-2", "eleventh hour", "1:02", "nan", "-3"])
def test_no_places(text):
    """What names no place from 1 on is refused."""
    with pytest.raises(InvalidValue):
        PlaceParser(None).place(text)


UNPLACED = (
    "DNF D.N.F. dsq CUT MC WD aufgegeben Abandon ritirato opgegeven zdyskwalifikowana retirado "
    "nie_ukończył desistência não_terminou Ret. hors_délai"
)
NOT_STARTED = "DNS nicht_angetreten forfait não_largou niet_gestart no-show"


def test_words_for_no_place():
    """Who did not finish shares the last place or is out; who did not start is out."""
    last, skip = PlaceParser(None), PlaceParser("skip")
    for text in UNPLACED.split():
        assert last.place(text.replace("_", " ")) == LAST, text
        assert skip.amount(text.replace("_", " ")) == OUT, text
    for text in NOT_STARTED.split():
        assert last.points(text.replace("_", " ")) == OUT, text


TIMES = {
    "1:02:33.4": 3753.4,
    "62'33": 3753,
    "62'33\"4": 3753.4,
    "1h02'33": 3753,
    "1 h 2 min 33,4 s": 3753.4,
    "2:03,45": 123.45,
    "2m 3.5s": 123.5,
    "59.8 s": 59.8,
    "59,8s": 59.8,
    "2.03,45": 123.45,
    "1.02.33": 3753,
    "12 min": 720,
    "1 Std. 2 Min. 3 Sek.": 3723,
    "59.8": 59.8,
    "−5": -5,
    "E": 0,
    "+3": 3,
}


@pytest.mark.parametrize("text", TIMES)
def test_times(text):
    """Times are seconds, whatever separates hours, minutes and seconds."""
    assert PlaceParser(None).amount(text) == approx(TIMES[text], abs=1e-9)


def test_times_of_sheets():
    """Times that a sheet holds as times are seconds."""
    parse = PlaceParser(None).amount
    assert parse(dt.time(1, 2, 33, 400_000)) == approx(3753.4)
    assert parse(dt.timedelta(minutes=2, seconds=3)) == 123.0


def test_gaps_behind_the_first():
    """A time with a plus is added to the best time of its contest, also of a later row."""
    rows = "1,A,1:00:00\n1,B,+0:12\n1,C,+1:02\n1,D,+0:12\n2,B,+5.5\n2,A,1:00:10\n"
    found = read("race,driver,racetime\n" + rows)
    assert found.place.tolist() == [1, 2, 4, 2, 2, 1]
    assert found.points.tolist() == [3600, 3612, 3662, 3612, 3615.5, 3610]
    behind = read("driver,race,racetime\nA,1,+0:00\nB,1,+0:07\nC,1,+0:03\nD,1,DNF\n")
    assert behind.place.tolist() == [1, 3, 2, 4]


def test_strokes_against_par_are_no_gaps():
    """Signed strokes without a time stand for themselves."""
    found = read("player,event,topar\nA,1,+2\nB,1,-3\nC,1,E\n", points="-topar")
    assert (found.place.tolist(), found.points.tolist()) == ([3, 1, 2], [2, -3, 0])


def test_the_better_end_of_times():
    """A score that is written as times is the better the less it is, as a note says."""
    found = read("race,player,score\n1,A,1:02.5\n1,B,0:59.1\n1,C,1:00.0\n")
    assert found.place.tolist() == [3, 1, 2]
    assert any("less is better" in note for note in found.notes)
    with pytest.raises(BadData) as error:
        read("race,player,score\n1,A,62\n1,B,59\n")
    assert "A (62) > B (59) if more is, B (59) > A (62) if less is" in place_first(error.value)


def test_no_place_comes_last():
    """DNF and its like share the last place if nothing is said, and a note tells the other way."""
    found = read("race,player,place\n1,A,1\n1,B,DNF\n1,C,2.\n1,D,abandon\n1,E,DNS\n")
    assert found.place.tolist() == [1, 3, 2, 3]
    assert not any(map(isinf, found.place))
    assert any('unplaced="skip"' in note for note in found.notes)
