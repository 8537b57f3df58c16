"""RoboRumble clients and the server: what a client sends is what Robocode's own client sends."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from prowess.live.api.application import build_application
from prowess.live.api.middleware import ServerSettings
from prowess.live.api.rumble import RumbleUpload, add_rumble_routes, parse_form
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.corrections import VoidWhere
from prowess.live.journal.journal import Journal
from prowess.live.store import access
from prowess.live.store.access import Actor

CONSOLE = Actor.console()
NOW = 1_700_000_000_000_000  # microseconds
A, B, C, D = (f"abc.Bot{letter} 1.0" for letter in "ABCD")
# The worked league of the specification, section 5: battles and their points.
LEAGUE = [
    (A, B, 600, 400), (A, C, 700, 300), (C, D, 640, 360), (A, D, 450, 550),
    (B, C, 500, 500), (B, D, 620, 380), (A, B, 550, 450), (A, D, 480, 520),
]  # fmt: skip
APS = {A: 0.58, B: 0.515, C: 0.48, D: 0.425}  # by hand: means of the pairings' mean shares


class NotTaken(Exception):
    """The client gets an exception instead of a text, and keeps the battle."""


class Rumble:
    """A server with two games, and a client that does what Robocode's does."""

    def __init__(self, url: str, **settings) -> None:
        self.url = url
        self.journal = Journal.open(url, clock=lambda: NOW)
        for key in ("roborumble", "minirumble"):
            if key not in self.journal.registry.keys:
                self.journal.commit(NewCategory(key, system="aps", extra=("points",)), CONSOLE)
        self.settings = ServerSettings(**settings)
        self.http = self.asked_first()

    def asked_first(self) -> TestClient:
        """The whole server, as if it had just been started."""
        app = build_application(self.journal, self.settings)
        add_rumble_routes(app, self.journal, self.settings)
        return TestClient(app, raise_server_exceptions=False)

    def send(self, first: str, second: str, a: object, b: object, **more: object) -> str:
        """Upload a battle; the form is not encoded and ends with a line's end."""
        said = {
            "game": "roborumble", "version": 1, "client": "1.9.5.4", "teams": "NOT", "melee": "NOT",
            "rounds": 35, "field": "800x600", "user": "Ada", "time": NOW // 1000, "fname": first,
            "fscore": a, "fbulletd": 1, "fsurvival": 2, "sname": second, "sscore": b,
            "sbulletd": 3, "ssurvival": 4,
        }  # fmt: skip
        form = "&".join(f"{name}={value}" for name, value in (said | more).items())
        return self.post("UploadedResults", form + "\n")

    def post(self, path: str, form: str | bytes) -> str:
        """Send a form."""
        head = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = self.http.post(f"/rumble/{path}", content=form, headers=head)
        if answer.status_code != 200:
            raise NotTaken(f"{answer.status_code} {answer.text}")
        return answer.text

    def ratings_file(self, game: str = "roborumble") -> dict[str, list[str]]:
        """What a client reads out of the ratings file."""
        answer = self.http.get(f"/rumble/RatingsFile?version=1&game={game}")
        assert answer.status_code == 200
        text = answer.text
        return {line.split("=")[0]: line.split("=")[1].split(",") for line in text.splitlines()}

    def settled(self) -> None:
        """Wait until every ladder has been fitted."""
        for one in self.journal.categories():
            self.journal.ladder(one.key).settle()

    def table(self) -> dict[str, float]:
        """The average percentage score of every bot."""
        self.settled()
        ratings = self.journal.ratings("roborumble")
        return {} if ratings is None else {bot: ratings[bot].aps for bot in ratings.players}

    def count(self, key: str = "roborumble") -> int:
        """How many battles count."""
        return len(self.journal.ladder(key))


@pytest.fixture
def rumble(sqlite_url: str) -> Iterator[Rumble]:
    """A server that anybody may upload to."""
    one = Rumble(sqlite_url, open_uploads=True)
    yield one
    one.journal.close()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rumble]:
    """The same for all tests that leave nothing there."""
    one = Rumble(f"sqlite:///{tmp_path_factory.mktemp('rumble')}/ladder.db", open_uploads=True)
    yield one
    assert one.count() == 0
    one.journal.close()


@pytest.fixture
def either(store_url: str) -> Iterator[Rumble]:
    """The same, on each of the databases."""
    one = Rumble(store_url, open_uploads=True)
    yield one
    one.journal.close()


@pytest.fixture
def closed(sqlite_url: str) -> Iterator[Rumble]:
    """A server that wants tokens."""
    one = Rumble(sqlite_url)
    yield one
    one.journal.close()


def acknowledged(answer: str) -> bool:
    """Whether the client deletes the battle: a line has OK in it."""
    return any("OK" in line for line in answer.splitlines())


def wanted(answer: str) -> list[str]:
    """The battles that the client writes down as wanted, as it cuts the names."""
    found = []
    for line in answer.splitlines():
        if "OK" in line or ("<" in line and ">" in line) or not ("[" in line and "]" in line):
            continue
        names = line[1:-1].split(",")
        found += [" ".join(name.rsplit("_", 1)) for name in names]
    return found


def test_the_worked_league(either: Rumble):
    """Uploaded battles give the average percentage scores of the worked league."""
    for k, one in enumerate(LEAGUE):
        assert acknowledged(either.send(*one, time=NOW // 1000 + k))
    assert either.table() == pytest.approx(APS)
    table = either.ratings_file()
    assert {name.replace("_", " "): float(row[0]) for name, row in table.items()} == pytest.approx(
        APS
    )
    assert {name: float(row[1]) for name, row in table.items()} == {
        "abc.BotA_1.0": 5, "abc.BotB_1.0": 4, "abc.BotC_1.0": 3, "abc.BotD_1.0": 4,
    }  # fmt: skip
    assert {row[2] for row in table.values()} <= {
        f"2023-11-14T22:13:20{part}Z" for part in ("", *(f".00{k}000" for k in range(8)))
    }


def test_a_battle_counts_once(either: Rumble):
    """The same battle sent again is acknowledged again and counts once, in each of its games."""
    for game in ("roborumble", "minirumble"):
        for word in ("recorded", "known already", "known already"):
            answer = either.send(A, B, 600, 400, game=game)
            assert acknowledged(answer)
            assert word in answer
        assert either.count(game) == 1
    assert acknowledged(either.send(A, B, 600, 400, time=NOW // 1000 + 1))
    assert acknowledged(either.send(A, B, 600, 400, user="Ben"))
    assert either.count() == 3


def test_another_score_of_the_same_battle(either: Rumble):
    """A battle that is told otherwise later is not acknowledged and changes nothing."""
    either.send(A, B, 600, 400)
    answer = either.send(A, B, 400, 600)
    assert not acknowledged(answer)
    assert "said otherwise" in answer
    assert either.count() == 1


def test_durable_before_acknowledged(either: Rumble):
    """What was acknowledged is in the store for whoever opens it next."""
    assert acknowledged(either.send(A, B, 600, 400))
    found = Journal.open(either.url, claim=False)
    try:
        assert len(found.ladder("roborumble")) == 1
    finally:
        found.close()


def test_nothing_is_acknowledged_that_is_lost(rumble: Rumble, monkeypatch: pytest.MonkeyPatch):
    """Where the store fails, no answer says OK."""

    def fails(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(rumble.journal.store.writer, "enter", fails)
    with pytest.raises(NotTaken, match="500"):
        rumble.send(A, B, 600, 400)


BAD = [
    {"version": 2},
    {"game": "meleerumble"},
    {"fname": "NoVersion"},
    {"fname": "abc.OK OK<1>[2]"},
    {"sname": A},
    {"fscore": -1},
    {"fscore": "nan"},
    {"fscore": "inf"},
    {"fscore": "many"},
    {"time": "yesterday"},
    {"time": "9" * 15},
    {"time": NOW // 1000 + 2 * 86_400_000},
    {"user": "x" * 300},
    {"user": ""},
]


@pytest.mark.parametrize("wrong", BAD, ids="-".join)
def test_what_is_refused(wrong: dict[str, object], empty: Rumble):
    """A battle that cannot be taken says why, in words no client takes for an acknowledgement."""
    answer = empty.send(A, B, 6, 4, **wrong)
    assert re.fullmatch(r"ERROR\. [^\n]+\n", answer)
    assert not acknowledged(answer)
    assert wanted(answer) == []
    assert empty.count() == 0


@pytest.mark.parametrize("field", ["game", "user", "time", "fname", "fscore", "sname", "sscore"])
def test_a_missing_field(field: str, empty: Rumble):
    """A form without a field that is needed names the field."""
    said = {
        "version": "1", "game": "roborumble", "user": "Ada", "time": "1", "fname": A,
        "fscore": "1", "sname": B, "sscore": "1",
    }  # fmt: skip
    said.pop(field)
    answer = empty.post("UploadedResults", "&".join(f"{k}={v}" for k, v in said.items()))
    assert f"ERROR. {field}: " in answer


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"&&==&", b"a=1&" * 200, b"version=%ff"])
def test_no_form(body: bytes, empty: Rumble):
    """Whatever comes in is answered with a reason."""
    assert empty.post("UploadedResults", body).startswith("ERROR. ")


def test_both_spellings_of_a_form():
    """A form is the same, encoded or as the client writes it."""
    plain = parse_form(b"game=roborumble&fname=abc.BotA 1.0&user=Ada\r\n")
    assert plain == parse_form(b"game=roborumble&fname=abc.BotA%201.0&user=Ada")
    assert plain == parse_form(b"game=roborumble&fname=abc.BotA+1.0&user=Ada")


def test_no_points_at_all():
    """0 to 0 is a half: specification, section 5."""
    assert RumbleUpload("g", "u", 0, A, B, 0.0, 0.0).share == 0.5
    assert RumbleUpload("g", "u", 0, A, B, 3.0, 1.0).share == 0.75


def test_numbers_of_battles(rumble: Rumble):
    """An answer holds how often the two bots have fought, for the client's own files."""
    rumble.send(A, B, 600, 400)
    rumble.send(A, C, 600, 400)
    rumble.settled()
    answer = rumble.send(A, C, 500, 500, time=1)
    rumble.settled()
    lines = rumble.send(A, C, 500, 500, time=1).splitlines()
    assert acknowledged(answer)
    assert "<3 2>" in lines


def test_wanted_battles(rumble: Rumble, monkeypatch: pytest.MonkeyPatch):
    """Answers ask for battles of bots that never met, each of them once."""
    monkeypatch.setattr("prowess.live.api.rumble.REST", 0.0)
    for first, second in ((A, B), (C, D)):
        rumble.send(first, second, 600, 400)
        rumble.settled()
        rumble.send(first, second, 600, 400)
    rumble.http = rumble.asked_first()
    found = [tuple(sorted(wanted(rumble.send(A, B, 600, 400)))) for _ in range(4)]
    never_met = {(A, C), (A, D), (B, C), (B, D)}
    assert set(found) == never_met


def test_a_retired_bot(either: Rumble):
    """A bot that left is in no file and in no wanted battle; its battles stay; it may return."""
    for k, one in enumerate(LEAGUE):
        either.send(*one, time=NOW // 1000 + k)
    either.settled()
    assert "abc.BotA_1.0" in either.ratings_file()  # which is not kept for the next one
    form = "version=1&game=roborumble&name=abc.BotA_1.0&dummy=NA\n"
    assert either.post("RemoveOldParticipant", form) == f"OK. {A} retired from roborumble\n"
    assert "abc.BotA_1.0" not in either.ratings_file()
    assert either.count() == len(LEAGUE)
    either.http = either.asked_first()  # it is remembered
    assert "abc.BotA_1.0" not in either.ratings_file()
    asked = [
        name for _ in range(20) for name in wanted(either.send(*LEAGUE[2], time=NOW // 1000 + 2))
    ]
    assert asked
    assert A not in asked
    either.send(A, B, 1, 0, time=5)
    either.settled()
    assert "abc.BotA_1.0" in either.ratings_file()


def test_a_link_retires_nobody(rumble: Rumble):
    """What changes something is no GET: a link or a picture of another site could ask it."""
    rumble.send(A, B, 600, 400)
    rumble.settled()
    query = "version=1&game=roborumble&name=abc.BotA_1.0"
    answer = rumble.http.get(f"/rumble/RemoveOldParticipant?{query}")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "abc.BotA_1.0" in rumble.ratings_file()


def test_nobody_to_retire(empty: Rumble):
    """A bot that nobody knows cannot leave."""
    form = "version=1&game=roborumble&name=abc.Nobody_1.0"
    assert empty.post("RemoveOldParticipant", form).startswith("ERROR. name: there is no")


def test_bulk_void_by_uploader(either: Rumble):
    """Everything that one uploader sent can be taken back at once."""
    either.send(A, B, 600, 400, user="Ada")
    either.send(A, B, 0, 1000, user="Mallory")
    either.send(C, B, 0, 1000, user="Mallory")
    either.journal.commit(VoidWhere(source="rumble:Mallory", reason="a wrong set-up"), CONSOLE)
    assert either.table() == pytest.approx({A: 0.6, B: 0.4})


# -- tokens --


def secret(rumble: Rumble, *scopes: str, **more) -> str:
    """A token of this server."""
    job = lambda c: access.make_token(c, "Ada's client", scopes, now=NOW, **more)  # noqa: E731
    return rumble.journal.store.writer.do(job)[0]


def test_only_with_a_token(closed: Rumble):
    """By default a battle is taken from holders of a token with the scope submit only."""
    for user in ("Ada", "prw_wrong", secret(closed, "read"), ""):
        answer = closed.send(A, B, 600, 400, user=user)
        assert not acknowledged(answer)
        assert user not in answer or user in ("", "Ada")
    assert closed.count() == 0
    assert acknowledged(closed.send(A, B, 600, 400, user=secret(closed, "submit")))
    assert closed.count() == 1


def test_a_token_reports_under_its_source(closed: Rumble):
    """A battle belongs to the source of the token it came with."""
    closed.send(A, B, 600, 400, user=secret(closed, "submit", source="ada"))
    closed.journal.commit(VoidWhere(source="ada", reason="all of it"), CONSOLE)
    assert closed.count() == 0


def test_a_mistyped_token_is_told_to_nobody(empty: Rumble):
    """Where uploads are open too, what looks like a token never becomes a name."""
    answer = empty.send(A, B, 600, 400, user="prw_mistyped")
    assert not acknowledged(answer)
    assert "prw_" not in answer
    assert empty.count() == 0


def test_held_battles(closed: Rumble):
    """A battle that waits for acceptance is safe, so it is acknowledged; it does not count."""
    answer = closed.send(A, B, 600, 400, user=secret(closed, "submit", review=True))
    assert acknowledged(answer)
    assert "held" in answer
    assert closed.count() == 0


def test_retiring_needs_a_token(closed: Rumble):
    """Nobody without a token makes a bot vanish."""
    closed.send(A, B, 600, 400, user=secret(closed, "submit"))
    closed.settled()
    form = "version=1&game=roborumble&name=abc.BotA_1.0"
    assert closed.post("RemoveOldParticipant", form).startswith("ERROR. ")
    assert "abc.BotA_1.0" in closed.ratings_file()


def test_private_ratings(sqlite_url: str):
    """A private server tells no ratings to strangers."""
    one = Rumble(sqlite_url, private=True)
    try:
        path = "/rumble/RatingsFile?version=1&game=roborumble"
        assert one.http.get(path).status_code == 401
        head = {"Authorization": f"Bearer {secret(one, 'read')}"}
        assert one.http.get(path, headers=head).status_code == 200
        head = {"Authorization": f"Bearer {secret(one, 'submit')}"}
        assert one.http.get(path, headers=head).status_code == 403
    finally:
        one.journal.close()


@pytest.mark.parametrize(
    "query", ["version=1&game=nowhere", "version=2&game=roborumble", "version=1", ""]
)
def test_no_ratings_file(query: str, empty: Rumble):
    """What is no file of ratings has an error's status, so that no client takes it for one."""
    assert empty.http.get(f"/rumble/RatingsFile?{query}").status_code in (404, 422)


def test_retiring_with_a_token(closed: Rumble):
    """Whoever may submit may retire a bot, by the header."""
    own = secret(closed, "submit")
    closed.send(A, B, 600, 400, user=own)
    closed.settled()
    form = {"version": "1", "game": "roborumble", "name": "abc.BotA_1.0"}
    head = {"Authorization": f"Bearer {own}"}
    answer = closed.http.post("/rumble/RemoveOldParticipant", data=form, headers=head)
    assert answer.text.startswith("OK. ")
    assert closed.ratings_file().keys() == {"abc.BotB_1.0"}
