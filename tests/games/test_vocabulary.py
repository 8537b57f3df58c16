"""What headings mean by their words, in eight languages."""

from __future__ import annotations

import re

import pytest

import prowess
from prowess.games.values import fold_letters, fold_text, lazy_pattern
from prowess.games.vocabulary import read_heading
from tests.refusals import refused


@pytest.mark.parametrize(
    ("name", "plain"),
    [("Đoković", "Dokovic"), ("Ærø", "AEro"), ("Łódź", "Lodz"), ("GROẞ – klein", "GROSS - klein"),
     ("Žofie", "Zofie"), ("Анна", "Анна")],
)  # fmt: skip
def test_letters_are_spelt_out_alike_in_headings_and_cells(name, plain):
    """Letters that Unicode takes apart, those that it does not, and those of other alphabets."""
    assert fold_letters(name) == plain
    assert fold_text(name) == plain.casefold()


@pytest.mark.parametrize(
    ("heading", "side", "subject"),
    [
        ("Tore Heim", "home", "points"), ("Heimtore", "home", "points"),
        ("Buts domicile", "home", "points"), ("Goles visitante", "away", "points"),
        ("Bramki gości", "away", "points"), ("Thuisdoelpunten", "home", "points"),
        ("Reti ospiti", "away", "points"), ("Gols mandante", "home", "points"),
        ("winner_name", "winner", "player"), ("WTeam", "winner", "player"),
        ("Spieler 1", "first", "player"), ("Weißspieler", "white", "player"),
        ("Auswärtsmannschaft", "away", "player"), ("Sätze 2", "second", "sets"),
        ("blueTeam", "blue", "player"), ("Goals against", "opponent", "points"),
    ],
)  # fmt: skip
def test_sides_and_subjects(heading, side, subject):
    """A heading has the side and the subject of its words, however these are joined."""
    meaning = read_heading(heading)
    assert meaning.sides == {side}
    assert subject in meaning.subjects or meaning.subjects == frozenset()
    assert not meaning.spoiled
    assert not meaning.unknown


@pytest.mark.parametrize(
    "heading", ["WhiteElo", "white_rating", "Home Team Score HT", "Halbzeit Heim", "Odds home"]
)
def test_other_subjects(heading):
    """Ratings, odds and half times are neither players nor points."""
    assert read_heading(heading).spoiled


@pytest.mark.parametrize(
    "headings",
    [
        "Heim;Gast;Tore Heim;Tore Gast", "Domicile;Extérieur;Buts domicile;Buts extérieur",
        "Equipo local;Equipo visitante;Goles local;Goles visitante",
        "Squadra casa;Squadra ospite;Reti casa;Reti ospite",
        "Mandante;Visitante;Gols mandante;Gols visitante",
        "Thuisploeg;Uitploeg;Doelpunten thuis;Doelpunten uit",
        "Gospodarze;Goście;Bramki gospodarzy;Bramki gości",
    ],
)  # fmt: skip
def test_home_and_away_in_eight_languages(headings):
    """Home and away and their points are found, and the home side has the advantage."""
    columns = zip(headings.split(";"), (["A", "B"], ["B", "A"], [2, 0], [1, 3]), strict=True)
    games = prowess.read_games(dict(columns))
    assert games.score.tolist() == [1.0, 0.0]
    assert games.points_b.tolist() == [1.0, 3.0]
    assert games.side.tolist() == [1.0, 1.0]


def test_half_time_is_no_result():
    """The score at half time is not taken for the result; without another there is none."""
    columns = {
        "Heim": ["A", "B"],
        "Gast": ["B", "A"],
        "HZ Tore Heim": [1, 0],
        "HZ Tore Gast": [0, 0],
    }
    with refused(prowess.BadData, "no_result_found"):
        prowess.read_games(columns)


def test_a_pattern_is_compiled_when_it_is_used():
    """Making one costs nothing, so a broken one is found when it is asked."""
    broken = lazy_pattern("(")
    with pytest.raises(re.error):
        broken.match("(")
