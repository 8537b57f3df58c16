"""`prowess serve`: what it prepares before it listens."""

from __future__ import annotations

import click
import pytest

from prowess.cli.verbs import SAMPLE_GAMES
from prowess.cli.verbs.serve import (
    OWN_PATHS,
    SAMPLE_LADDERS,
    SERVER_LIMITS,
    parse_origins,
    parse_root_path,
    read_limits,
)
from prowess.live.api.middleware import Allowance, ServerSettings
from prowess.live.journal.journal import Journal
from prowess.live.journal.preparing import CategoryAsked, prepare_store
from tests.live.whole import whole


@pytest.fixture
def journal(tmp_path):
    """The journal of a new store."""
    one = Journal.open(str(tmp_path / "ladder.db"))
    yield one
    one.close()


def test_new_store(journal):
    """A new store gets a category `main` and a token for its administrator that works."""
    notes = prepare_store(journal, CategoryAsked())
    assert [one.key for one in journal.categories()] == ["main"]
    secret = notes[-1].split()[-1]
    actor = journal.store.actors.find(secret, journal.clock())
    assert actor is not None
    assert actor.may("admin")


def test_known_store(journal):
    """A store that has all it needs is left alone: no second token, no second category."""
    prepare_store(journal, CategoryAsked())
    revision = journal.revision
    assert prepare_store(journal, CategoryAsked()) == []
    assert prepare_store(journal, CategoryAsked("main")) == []
    assert journal.revision == revision


def test_category_with_constants(journal):
    """A category is made by the system and constants that are asked for."""
    given = {"tau": "0.4"}
    prepare_store(journal, CategoryAsked("chess", "glicko2", given, "1mo", name="Club chess"))
    made = journal.category("chess")
    assert (made.system, made.params) == ("glicko2", {"tau": 0.4})
    assert (made.period, made.name) == ("1mo", "Club chess")


def test_category_of_teams(journal):
    """A new category takes the players of a side that are asked for; a known one keeps its own."""
    prepare_store(journal, CategoryAsked("doubles", side_size=2))
    assert journal.category("doubles").side_size == 2
    assert prepare_store(journal, CategoryAsked("doubles", side_size=2)) == []
    (told,) = prepare_store(journal, CategoryAsked("doubles", side_size=3))
    assert "the store has side_size 2, not --side-size 3" in told
    assert journal.category("doubles").side_size == 2


def test_other_constants_for_a_known_category(journal):
    """Constants of a category that is there are not changed in passing: it says where to."""
    prepare_store(journal, CategoryAsked())
    revision = journal.revision
    for other in ({"system": "glicko"}, {"period": "7d"}, {"name": "Chess"}):
        (told,) = prepare_store(journal, CategoryAsked("main")._replace(**other))
        assert "use its page in the administration" in told
        assert f"--{next(iter(other))}" in told
    assert journal.revision == revision


def test_sample(journal):
    """Example games fill an empty ladder once, and never one with results of its own."""
    prepare_store(journal, CategoryAsked(sample=SAMPLE_GAMES))
    count = len(journal.ladder("main"))
    assert count > 100
    notes = prepare_store(journal, CategoryAsked(sample=SAMPLE_GAMES))
    assert "adds none" in notes[-1]
    assert len(journal.ladder("main")) == count


def test_sample_ladders(journal):
    """A new store gets three categories with scores under the default system, another none."""
    prepare_store(journal, CategoryAsked(sample=SAMPLE_LADDERS))
    made = journal.categories()
    assert [one.key for one in made] == ["bundesliga", "engines", "bots"]
    assert {one.system for one in made} == {"prowess"}
    assert made[0].extra == ("points",)
    assert all(len(journal.ladder(one.key)) >= 900 for one in made)
    for one in made:
        planned = [game for game in journal.registry.fixtures.values() if game.category == one.id]
        busy = [player for game in planned for player in (game.a, game.b)]
        assert 5 <= len(planned) <= 6
        assert len(set(busy)) == 2 * len(planned)
    assert "adds none" in prepare_store(journal, CategoryAsked(sample=SAMPLE_LADDERS))[0]
    assert len(journal.categories()) == 3


def test_limits():
    """Every limit is a field of the settings; requests a second allow ten seconds at once."""
    found = read_limits({"batch_rows": "5000", "patience": "7.5", "by_address": "20"})
    settings = ServerSettings(**found)
    assert settings.batch_rows == 5000
    assert settings.patience == 7.5
    assert settings.by_address == Allowance(20.0, 200)
    assert set(SERVER_LIMITS) <= set(vars(ServerSettings()))


@pytest.mark.parametrize("wrong", ["0", "-1", "many", "nan", "inf", ""])
def test_limits_that_are_none(wrong):
    """A limit is a number above 0; an unknown name is answered by the known ones."""
    with pytest.raises(click.BadParameter, match="give streams a number above 0"):
        read_limits({"streams": wrong})
    with pytest.raises(click.BadParameter, match="body_limit"):
        read_limits({"bodies": "1"})


@pytest.mark.parametrize(
    "wrong", ["club.example", "https://club.example/table", "'none'; script-src *", "https://a b"]
)
def test_sites_that_are_none(wrong):
    """A site is scheme and host: anything else could change the policy of pages."""
    sites = "https://club.example", "http://localhost:8080", "https://*.club.example"
    assert parse_origins(sites) == sites
    with pytest.raises(click.BadParameter, match=r"https://club\.example"):
        parse_origins([sites[0], wrong])


def test_root_paths(tmp_path):
    """A path of plain parts, and none that the server uses itself."""
    assert [parse_root_path(text) for text in ("/ladder", "/a/b/", "/", "")] == [
        "/ladder", "/a/b", "", "",
    ]  # fmt: skip
    for wrong in ("ladder", "/a b", "/a?b", '/"x', "//a", "/admin/x"):
        with pytest.raises(click.BadParameter):
            parse_root_path(wrong)
    with whole(str(tmp_path / "whole.db")) as (app, _):
        begins = {route.path.split("/")[1] for route in app.routes if hasattr(route, "path")}
    assert begins - {""} <= OWN_PATHS
