"""Names of two players in one text: refused where they are teams, believed where they are names."""

from __future__ import annotations

import io

import pytest

from prowess.games import BadData, read_games
from tests.games.refusing import place_first
from tests.games.test_real_tables import EXAMPLES
from tests.refusals import refused

REMEDY = (
    '; say teams="members" (--teams members) to rate each player of a team, or teams="names" '
    "(--teams names) to rate each name as one player as it stands"
)


def read(*pairs, **options):
    """Games between these."""
    a, b = zip(*pairs, strict=True)
    options.setdefault("time", "none")
    return read_games({"a": a, "b": b, "score": [1] * len(a)}, **options)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann & Bob", "Bob & Ann"), ("Ann/Bob", "Bob/Ann"), ("Ann / Bob", "Bob/Ann"),
        ("Ann + Bob", "Bob + Ann"), ("Ann and Bob", "Bob and Ann"), ("Ann; Bob", "Bob; Ann"),
        ("Ann Lee & Bob", "bob & ann lee"), ("Ann & Bob & Cid", "Cid/Bob/Ann"),
        ("Ann und Bob", "Bob und Ann"), ("Ann u. Bob", "Bob und Ann"), ("Ann og Bob", "Bob og Ann"),
        ("Ann och Bob", "Bob & Ann"), ("Ann i Bob", "Bob i Ann"), ("Ann en Bob", "Bob en Ann"),
    ],
)  # fmt: skip
def test_both_orders(one, other):
    """A team in two orders would be two players: refused with the remedy."""
    with pytest.raises(BadData) as error:
        read((one, "X & Y"), (other, "X & Y"))
    said = f'"{one}" and "{other}" are one team and would be two players'
    assert place_first(error.value) == said + REMEDY
    assert len(read((one, "X & Y"), (other, "X & Y"), teams="names").players) == 3


def test_partners_who_change():
    """Where all names are teams, and most members have several partners, each is a player."""
    games = read(("Ann & Bob", "Cid & Dan"), ("Ann & Cid", "Bob & Dan"))
    assert sorted(games.players) == ["Ann", "Bob", "Cid", "Dan"]
    assert any("changing partners" in note for note in games.notes)
    named = read(("Ann & Bob", "Cid & Dan"), ("Ann & Cid", "Bob & Dan"), teams="names")
    assert len(named.players) == 4


@pytest.mark.parametrize(
    "games",
    [
        [("Ann & Bob", "Cid & Dan"), ("Ann & Cid", "Bob & Dan"), ("Eve", "Ann & Bob")],
        [("Ann & Bob", "Cid & Dan & Eve"), ("Ann & Cid", "Bob & Dan")],
        [("Ann & Bob", "Cid & Ann"), ("Bob & Eve", "Fay & Gus"), ("Hal & Ike", "Jo & Kim")],
    ],
)
def test_names_of_which_not_all_are_teams(games):
    """One name is no team, teams differ in size, or most members have one partner: asked."""
    with pytest.raises(BadData) as error:
        read(*games)
    assert "the names are teams of changing players" in str(error.value)


def test_makers_and_models():
    """What stands first always stands first: a maker of several models is no player."""
    games = read(("zoo/cat", "zoo/dog"), ("inn/cat", "inn/dog"), ("zoo/cat", "inn/dog"))
    assert len(games.players) == 4


def test_contests_of_teams():
    """So it is in contests."""
    table = {"player": ["Ann/Bob", "Cid/Dan", "Bob/Ann", "Cid/Dan"], "race": [1, 1, 2, 2],
             "place": [1, 2, 1, 2]}  # fmt: skip
    with refused(BadData, "changing_teams", about=("Ann/Bob", "Bob/Ann")):
        read_games(table)


@pytest.mark.parametrize(
    "pairs",
    [
        [("Trinidad and Tobago", "Antigua and Barbuda"), ("Bosnia and Herzegovina", "Spain")],
        [("Brighton & Hove Albion", "Dagenham & Redbridge"), ("Tobago", "Brighton & Hove Albion")],
        [("maker/one", "maker/two"), ("other/one", "maker/one")],
        [("bots/a/1", "bots/a/2"), ("bots/b/1", "bots/b/2")],
        [("C++", "A/B test"), ("AC/DC", "Simon & Garfunkel")],
        [("1/2", "2/1"), ("3-1/2", "+5")],
        [("Ann and Andy", "Sandy and Band")],
    ],
)
def test_names_with_a_mark(pairs):
    """Clubs, countries, models and paths are names: nothing is said of them."""
    assert read(*pairs).notes == ()


def test_names_that_share_a_part():
    """Where it may be either, the names are taken as they stand and a note says so."""
    assert read(("Ann & Bob", "Cid & Dan"), ("Ann & Eve", "Cid & Fay")).notes == (
        '"Ann & Bob" and "Ann & Eve" share a part and are rated as two players',
    )
    assert read(("Brighton & Hove", "Leeds"), ("Brighton and Hove", "Leeds")).notes == (
        '"Brighton & Hove" and "Brighton and Hove" are alike and are rated as two players',
    )
    assert read(("Ann & Bob", "Ann & Eve"), teams="names").notes == ()
    with refused(BadData, "unknown_option_value", about="both"):
        read(("A", "B"), teams="both")


def test_real_tables_have_no_teams():
    """Countries with "and" in their names give no note."""
    notes = read_games(EXAMPLES / "international_football_results.csv.gz").notes
    assert not [note for note in notes if "two players" in note]


@pytest.mark.parametrize(
    ("mark", "split"), [(" y ", True), (" & ", True), (" und ", True), (" / ", False)]
)
def test_mixed_doubles(mark, split):
    """Men stand first and women second, and everybody has several partners; a stroke may as well
    stand between a maker and a model.
    """
    pairs = [("Al", "Mia", "Bo", "Nora"), ("Al", "Nora", "Bo", "Mia"), ("Cy", "Mia", "Al", "Nora"),
             ("Cy", "Nora", "Bo", "Mia")]  # fmt: skip
    games = read(*((mark.join(each[:2]), mark.join(each[2:])) for each in pairs))
    assert len(games.players) == (5 if split else 6)


def test_doubles_among_singles():
    """The members of all pairs play singles as well."""
    games = read(("Al / Bo", "Mia / Nora"), ("Al", "Mia"), ("Bo", "Nora"))
    assert [*games.players] == ["Al", "Bo", "Mia", "Nora"]
    assert read(("Al / Bo", "Mia / Nora"), ("Al", "Mia"), ("Ed", "Nora")).single


def test_lists_with_commas():
    """Members change places; last and first names do not."""
    games = read(("Al, Bo", "Cy, Di"), ("Al, Cy", "Bo, Di"), ("Di, Al", "Cy, Bo"))
    assert [*games.players] == ["Al", "Bo", "Cy", "Di"]
    people = read(("Smith, Al", "Jones, Bo"), ("Smith, Bo", "Jones, Al"), ("Smith, Al", "Ray, Bo"))
    assert people.single


def test_columns_of_lists():
    """Two columns of line-ups that share members are the sides, whatever they are called."""
    rows = ['"Al, Bo","Cy, Di",7-5', '"Al, Cy","Bo, Di",4-4', '"Bo, Cy","Al, Di",3-8',
            '"Di, Al","Cy, Bo",6-2']  # fmt: skip
    text = "\n".join(["Bibs,Skins,Score", *rows])
    games = read_games(io.StringIO(text), format="csv", warn=False)
    assert [*games.players] == ["Al", "Bo", "Cy", "Di"]
