"""A club's first hour: players, names and addresses are set up in a browser, without a program."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from prowess.live.api.middleware import ServerSettings
from prowess.live.errors import Refused
from prowess.live.journal.categories import NewCategory, NewSeason, RenameCategory
from prowess.live.journal.journal import verify_store
from prowess.live.journal.registry import Registry
from prowess.live.result import DAY_US
from prowess.live.store import access
from prowess.live.store.access import Actor
from prowess.live.store.backup import BackupPlan
from prowess.present.rendering import CATEGORY_ICONS
from tests.live.house import House, housed, signed_in
from tests.live.pages.club import Elements, unsafe
from tests.live.whole import CONSOLE, secret, whole
from tests.refusals import refused


@pytest.fixture
def house(sqlite_url):
    """A server with a keeper who is signed in, and a stranger."""
    with housed(sqlite_url) as one:
        yield one


def send(client, address, **fields):
    """Send a form, and press the button of its preview."""
    word = Elements(client.get("/login").text).field("csrf")
    answer = client.post(address, data={"csrf": word, **fields})
    if answer.status_code != 200 or 'name="step"' not in answer.text:
        return answer
    assert unsafe(answer.text) == []
    page = Elements(answer.text)
    hidden = {one["name"]: one["value"] for one in page.of("input") if one.get("type") == "hidden"}
    hidden |= {one["name"]: fields[one["name"]] for one in page.of("textarea")}
    return client.post(address, data=hidden)


def audit(house: House) -> list[tuple[str, str, str]]:
    """The audit log: action, target, outcome; the newest first."""
    with house.journal.store.read() as connection:
        return [(one.action, one.target, one.outcome) for one in access.read_lines(connection)]


def test_a_pasted_list_of_players(house):
    """Names, one a line, become players who stand on the leaderboard before they play."""
    key = house.journal.categories()[0].key
    names = "Zoë Quist\n\n  Ümit Ay \nZoë Quist"
    assert (
        send(house.keeper, "/admin/changes/add-players", category=key, names=names).status_code
        == 200
    )
    page = house.stranger.get(f"/c/{key}").text
    assert page.index("<bdi>Ümit Ay</bdi>") > 0
    assert page.count("<bdi>Zoë Quist</bdi>") == 1
    assert audit(house)[0] == ("add_players", f"revision {house.journal.revision}", "done")
    told = house.stranger.get(f"/api/v1/categories/{key}/leaderboard").json()
    assert told["unplayed"] == ["Zoë Quist", "Ümit Ay"]
    again = send(house.keeper, "/admin/changes/add-players", category=key, names=names)
    assert again.status_code == 409


def test_the_address_of_an_old_key_leads_on(house):
    """Pages and the API answer 301 to the new key, with the rest of the address."""
    key = house.journal.categories()[0].key
    fields = {"category": key, "key": "evening", "name": "Club evening"}
    assert send(house.keeper, "/admin/changes/rename-category", **fields).status_code == 200
    for path, rest in (
        ("/c/", ""), ("/c/", "/method?revision=3"), ("/admin/categories/", ""),
        ("/api/v1/categories/", "/leaderboard.csv?limit=2"),
    ):  # fmt: skip
        answer = house.keeper.get(f"{path}{key}{rest}", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (301, f"{path}evening{rest}")
        assert house.keeper.get(f"{path}{key}{rest}").status_code in (200, 404)
    assert "Club evening" in house.stranger.get(f"/c/{key}").text
    token = {"Authorization": f"Bearer {secret(house.journal, 'admin')}"}
    game = {"category": key, "player_a": "Ann", "player_b": "Ben", "score": 1}
    answer = house.stranger.post("/api/v1/results", json=game, headers=token)
    assert answer.status_code == 201
    assert answer.json()["result"]["category"] == "evening"
    again = house.stranger.post(
        "/api/v1/categories/evening:rename", json={"key": key}, headers=token
    )
    assert (again.status_code, again.json()["key"]) == (200, key)


def test_the_site_has_a_name(house):
    """The name of the site stands on its pages, and the API tells it."""
    assert house.stranger.get("/api/v1/site").json()["name"] is None
    assert (
        send(house.keeper, "/admin/changes/change-site", name="Northgate <Club>").status_code == 200
    )
    assert house.stranger.get("/api/v1/site").json()["name"] == "Northgate <Club>"
    assert "Northgate &lt;Club&gt;" in house.stranger.get("/login").text


def test_players_by_the_api(house):
    """The API adds players with an audit line that holds no name; only keepers may."""
    key = house.journal.categories()[0].key
    sent = {"names": ["Ann Ek", "Bo Ek"], "reason": "new members"}
    path = f"/api/v1/categories/{key}/players"
    submitter = {"Authorization": f"Bearer {secret(house.journal, 'submit')}"}
    assert house.stranger.post(path, json=sent, headers=submitter).status_code == 403
    keeper = {"Authorization": f"Bearer {secret(house.journal, 'correct')}", "Idempotency-Key": "1"}
    answer = house.stranger.post(path, json=sent, headers=keeper)
    assert (answer.status_code, answer.json()["players"]) == (200, 2)
    assert house.stranger.post(path, json=sent, headers=keeper).json()["replayed"]
    assert audit(house)[0][0] == "add_players"
    assert "Ek" not in str(audit(house))
    bad = house.stranger.post(
        path,
        json={"names": ["Cy", "A\u0301nn Ek", "\u0410nn Ek"]},
        headers=keeper | {"Idempotency-Key": "2"},
    )
    assert bad.json()["code"] == "look_alike"


def test_the_usual_system_comes_first(house):
    """A new category is rated by the library's default unless another is chosen."""
    page = house.keeper.get("/admin/categories").text
    options = page.split('<select id="system"')[1].split("</select>")[0].split("<option")[1:]
    assert options[0].startswith(' value="prowess">prowess: ')
    assert "winner takes points from the loser" in page
    token = {"Authorization": f"Bearer {secret(house.journal, 'admin')}"}
    made = house.stranger.post("/api/v1/categories", json={"key": "blitz"}, headers=token)
    assert made.json()["system"] == "prowess"


def test_the_overview_says_what_needs_a_person(house):
    """What waits, whether all is well, and what happened in sentences; a proof is noted."""
    page = house.keeper.get("/admin").text
    assert unsafe(page) == []
    assert "There is no backup of this week" in page
    assert "Not yet proven" in page
    assert "12 results recorded" in page or "results recorded" in page
    send(house.keeper, "/admin/changes/rename", player="Ada", name="Ada Lovelace")
    guest = {"Authorization": f"Bearer {secret(house.journal, 'submit', review=True)}"}
    game = {"category": "chess", "player_a": "Dan", "player_b": "ada", "score": 1}
    answer = house.stranger.post("/api/v1/results?look_alikes=true", json=game, headers=guest)
    assert answer.status_code == 202
    page = house.keeper.get("/admin").text
    assert "1 result waits to be confirmed" in page
    assert "Ada Lovelace\u2069 is called so now" in page or "Ada Lovelace is called so now" in page
    answer = send(house.keeper, "/admin/prove")
    assert "Proven right" in answer.text
    assert audit(house)[0] == ("prove", "", "done")


def test_a_backup_by_a_button(house, tmp_path):
    """A download is a whole store; without a folder of backups the other button is refused."""
    answer = send(house.keeper, "/admin/backup", where="download")
    assert answer.headers["content-type"] == "application/vnd.sqlite3"
    assert "attachment" in answer.headers["content-disposition"]
    file = tmp_path / "copy.db"
    file.write_bytes(answer.content)
    proofs = verify_store(str(file))
    assert [one.category for one in proofs] == ["chess", "race", "rumble"]
    assert not any(one.differences for one in proofs)
    assert "There is no backup of this week" not in house.keeper.get("/admin").text
    assert audit(house)[0][0] == "back up"
    assert send(house.keeper, "/admin/backup", where="folder").status_code == 422


def test_a_backup_into_the_folder(sqlite_url, tmp_path):
    """With a folder of backups the button writes there, and no more than are kept."""
    plan = BackupPlan(tmp_path / "copies", kept=2)
    with whole(sqlite_url, ServerSettings(backups=plan)) as (app, journal):
        keeper = TestClient(app)
        assert signed_in(keeper, secret(journal, "admin")).status_code == 303
        submitter = TestClient(app)
        assert signed_in(submitter, secret(journal, "submit")).status_code == 303
        assert send(submitter, "/admin/backup", where="folder").status_code == 403
        assert send(keeper, "/admin/backup", where="folder").status_code == 200
        assert [file.suffix for file in plan.folder.iterdir()] == [".db"]
        assert str(datetime.now(UTC).date()) in keeper.get("/admin").text


def test_a_slip_is_mended_by_who_made_it(house):
    """By the API a reporter corrects and strikes their own result, with an audit line; nobody
    else's.
    """
    ann, ben = (
        {"Authorization": f"Bearer {secret(house.journal, 'submit', source=name)}"}
        for name in ("ann", "ben")
    )
    game = {"category": "chess", "player_a": "Ada", "player_b": "Ben", "score": 1}
    made = house.stranger.post("/api/v1/results", json=game, headers=ann).json()["id"]
    path = f"/api/v1/results/{made}"
    slip = {"player_a": "Ada", "player_b": "Ben", "score": 0.5}
    assert house.stranger.put(path, json=slip, headers=ben).json()["code"] == "not_yours"
    told = house.stranger.put(f"{path}?preview=true", json=slip, headers=ann).json()
    assert {one["player"] for one in told["categories"]["chess"]["movers"]} >= {"Ada", "Ben"}
    assert house.stranger.put(path, json=slip, headers=ann).json()["score"] == 0.5
    assert house.stranger.delete(path, headers=ann).json()["state"] == "void"
    assert audit(house)[0][0] == "void"
    assert house.stranger.post(f"{path}:restore", headers=ann).status_code == 403


def test_only_games_between_two_can_be_compared(house):
    """Every link of a category's pages leads somewhere, of contests and before the first game."""
    usual = {"provisional_games": "10", "inactive_days": "365", "system": "elo"}
    for key, fields in (
        ("races", {"plays": "contests"}),
        ("empty", {}),
        ("two", {"side_size": "2"}),
    ):
        made = send(house.keeper, "/admin/changes/new-category", key=key, **usual, **fields)
        assert made.status_code == 200
    assert len(house.journal.categories()) > 3
    for one in house.journal.categories():
        for page in ("", "/enter", "/lists"):
            text = house.keeper.get(f"/c/{one.key}{page}").text
            for link in {each["href"] for each in Elements(text).of("a")}:
                if link.startswith(f"/c/{one.key}"):
                    assert house.keeper.get(link).status_code == 200, (page, link)


def test_a_category_has_an_icon(house):
    """The picture that a keeper chooses stands beside the name, also after a restart; no other."""
    key = house.journal.categories()[0].key
    fields = {"category": key, "key": key, "name": "Chess"}
    path = "/admin/changes/rename-category"
    assert send(house.keeper, path, icon="pawn", **fields).status_code == 200
    assert CATEGORY_ICONS["pawn"] in house.stranger.get(f"/c/{key}").text
    assert house.stranger.get(f"/api/v1/categories/{key}").json()["icon"] == "pawn"
    with house.journal.store.read() as connection:
        assert Registry(connection).category(key).icon == "pawn"
    refused = send(house.keeper, path, icon="<svg>", **fields)
    assert (refused.status_code, house.journal.category(key).icon) == (422, "pawn")


def test_a_category_of_teams_says_so(house):
    """What is rated has the word that a keeper chooses, on every page, also after a restart."""
    key = house.journal.categories()[0].key
    house.journal.commit(RenameCategory(key, noun="team"), CONSOLE)
    for address in (f"/c/{key}", f"/c/{key}/pairings", "/results/1"):
        text = re.sub(r"<[^>]+>", " ", house.stranger.get(address).text).casefold()
        assert "player" not in text, address
        assert "team" in text, address
    with house.journal.store.read() as connection:
        assert Registry(connection).category(key).noun == "team"
    with refused(Refused, "no_such_noun"):
        house.journal.commit(RenameCategory(key, noun="horse"), CONSOLE)


def test_the_chart_of_the_first_page_is_of_the_season(house):
    """A season that holds the last game is named under the chart; without one it is a year."""
    assert "of 12 months" in house.stranger.get("/").text
    key = house.journal.categories()[0].key
    day = house.journal.ratings(key).day * DAY_US
    span = (round(day) - 5 * DAY_US, round(day) + DAY_US)
    house.journal.commit(NewSeason(key, "now", "This <winter>", *span), Actor.console())
    assert "in <bdi>This &lt;winter&gt;</bdi>" in house.stranger.get("/").text


def test_what_another_result_would_have_done(house):
    """The page of a game has the changes after each result; that of this game is the real one."""
    key = house.journal.categories()[0].key
    step = house.journal.ratings(key).history("Ada").steps[0]
    page = house.stranger.get(f"/results/{step.row + 1}").text
    row = page.split("this game</span>")[1].split("</tr>")[0]
    assert f"{abs(step.change):.1f}" in row
    assert page.count("wins</th>") + page.count("wins <span") == 2


def test_a_player_without_games_has_a_page(house):
    """Who was added has a page before the first game, in every category, with other ratings."""
    played = house.journal.categories()[0].key
    usual = {"provisional_games": "10", "inactive_days": "365", "system": "elo"}
    assert send(house.keeper, "/admin/changes/new-category", key="new", **usual).status_code == 200
    for key, names in ((played, "Zoë <Q>"), ("new", "Zoë <Q>\nAda")):
        fields = {"category": key, "names": names}
        assert send(house.keeper, "/admin/changes/add-players", **fields).status_code == 200
        board = Elements(house.stranger.get(f"/c/{key}").text)
        number = house.journal.registry.people.find("Zoë <Q>")
        address = f"/c/{key}/players/{number}"
        assert address in [one["href"] for one in board.of("a")]
        text = house.stranger.get(address).text
        assert "<h1><bdi>Zoë &lt;Q&gt;</bdi></h1>" in text
        assert "not played yet" in text
        assert unsafe(text) == []
    ada = house.journal.registry.people.find("Ada")
    assert f'href="/c/{played}/players/{ada}"' in house.stranger.get(f"/c/new/players/{ada}").text
    assert house.stranger.get("/c/new/players/999").status_code == 404


def test_games_to_come_stand_on_the_pages_of_both(house):
    """A pasted round is shown with chances, told by the API, struck, and gone once it is played."""
    category = house.journal.categories()[0]
    key, people = category.key, house.journal.registry.people
    lines = "Ada - Ben\n\n2099-01-08 19:30 Ben vs Cleo\nNewcomer\tAda"
    fields = {"category": key, "day": "2099-01-01", "games": lines, "side": "1"}
    assert send(house.keeper, "/admin/changes/schedule", **fields).status_code == 200
    told = house.stranger.get(f"/api/v1/categories/{key}/fixtures").json()["items"]
    assert [(one["player_a"], one["player_b"], one["time"][:16]) for one in told] == [
        ("Ada", "Ben", "2099-01-01T00:00"), ("Newcomer", "Ada", "2099-01-01T00:00"),
        ("Ben", "Cleo", "2099-01-08T19:30"),
    ]  # fmt: skip
    assert [one["expected"] is None for one in told] == [False, True, False]
    for address in ("/", f"/c/{key}", f"/c/{key}/players/{people.find('Ben')}"):
        page = house.stranger.get(address).text
        assert "Next games" in page, address
        assert page.index("1 Jan 2099") < page.index("8 Jan 2099")
    assert "Next games" in house.stranger.get(f"/c/{key}/players/{people.find('Newcomer')}").text
    number = str(told[1]["number"])
    word = Elements(house.keeper.get("/admin/results").text).field("csrf")
    asked = house.keeper.post("/admin/changes/cancel", data={"csrf": word, "fixture": number})
    assert "Newcomer – Ada 2099-01-01" in asked.text
    struck = send(house.keeper, "/admin/changes/cancel", fixture=number)
    assert struck.status_code == 200
    assert (
        "Next games" not in house.stranger.get(f"/c/{key}/players/{people.find('Newcomer')}").text
    )
    for begin in ("2099-13-01", "05.12.2099", "2099-1-5", "2099-01-05,", "2099-01-05 19.30"):
        answer = send(
            house.keeper, "/admin/changes/schedule", **fields | {"games": f"{begin} A - B"}
        )
        assert (answer.status_code, "write the day as" in answer.text) == (422, True), begin
    assert (
        send(house.keeper, "/admin/changes/schedule", **fields | {"games": "A B"}).status_code
        == 422
    )
    assert audit(house)[0][0] == "cancel"


def test_a_round_is_planned_before_the_first_game(house):
    """A category without results shows what is to come."""
    house.journal.commit(NewCategory("autumn", system="elo"), Actor.console())
    fields = {"category": "autumn", "day": "2099-01-01", "games": "Ann v. Bob"}
    assert send(house.keeper, "/admin/changes/schedule", **fields).status_code == 200
    assert "Next games" in house.stranger.get("/c/autumn").text
    assert "Next games" not in house.stranger.get("/c/autumn?as_of=2098-01-01").text


def test_a_search_of_the_whole_site(house):
    """A name leads to the page of the player, a part of several names to all of them."""
    assert 'class="find" action="/"' in house.stranger.get("/").text
    one = house.stranger.get("/", params={"q": "dan"}, follow_redirects=False)
    key, number = house.journal.categories()[0].key, house.journal.registry.people.find("Dan")
    assert (one.status_code, one.headers["location"]) == (303, f"/c/{key}/players/{number}")
    both = house.stranger.get("/", params={"q": "cleo"}).text
    assert f"/c/{key}/players/" in both
    assert "/c/race/players/" in both
    assert "Nobody is called so" in house.stranger.get("/", params={"q": "<b>nobody"}).text
    fields = {"category": key, "day": "2099-01-01", "games": "Newcomer – Ada"}
    send(house.keeper, "/admin/changes/schedule", **fields)
    number = house.journal.registry.people.find("Newcomer")  # who has not played yet
    one = house.stranger.get("/", params={"q": "newc"}, follow_redirects=False)
    assert (one.status_code, one.headers["location"]) == (303, f"/c/{key}/players/{number}")
    for asked, there in (("newc", True), ("dan", False)):
        text = house.stranger.get(f"/c/{key}", params={"q": asked}).text
        assert (f"/c/{key}/players/{number}" in text.partition("Next games")[0]) == there
