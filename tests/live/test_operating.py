"""What an operator relies on: the audit log, metrics, names of routes, headers of pages."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from starlette.testclient import TestClient

from prowess.live.api.middleware import ServerSettings
from prowess.live.api.server import run_maintenance
from prowess.live.journal.journal import Journal
from prowess.live.result import DAY_US
from prowess.live.store import access
from prowess.live.store.backup import BackupPlan, list_backups
from prowess.live.web.routes import READ
from tests.live.house import signed_in
from tests.live.whole import API, Place, bearer, secret, whole

ROOT = Path(__file__).parents[2]
PROXY = ServerSettings(trust_proxy=True)


@pytest.fixture
def place(sqlite_url):
    """A server behind a proxy that it trusts."""
    with whole(sqlite_url, PROXY) as (app, journal):
        yield Place(sqlite_url, app, journal)


def lines(journal: Journal, action: str = access.SIGN_IN) -> list[access.AuditRow]:
    """The lines of the audit log about an action, newest first."""
    with journal.store.read() as connection:
        return [one for one in access.read_lines(connection, 1000) if one.action == action]


def test_wrong_sign_ins_are_one_line_a_minute(place, monkeypatch: pytest.MonkeyPatch):
    """Thirty wrong sign-ins in a minute are a line with their count; a right one has its own."""
    for _ in range(30):
        assert signed_in(place.client, "prw_wrong").status_code == 403
    (one,) = lines(place.journal)
    assert one.outcome == "unknown token, 30 times within a minute"
    later = place.journal.clock() + 61_000_000
    monkeypatch.setattr(place.journal, "clock", lambda: later)
    assert signed_in(place.client, "prw_wrong").status_code == 403
    assert signed_in(place.client, secret(place.journal, "admin")).status_code == 303
    assert [one.outcome for one in lines(place.journal)] == [
        "done", "unknown token", "unknown token, 30 times within a minute",
    ]  # fmt: skip


def test_addresses_are_cut(place):
    """An address that a proxy passes on is kept with at most 64 letters."""
    page = place.client.get("/login", headers={"X-Forwarded-For": "x" * 50_000})
    assert page.status_code == 200
    place.client.headers["X-Forwarded-For"] = "y" * 50_000
    signed_in(place.client, "prw_wrong")
    assert lines(place.journal)[0].address == "y" * 64


def test_old_lines_of_the_audit_log_go(place):
    """Lines are kept for 90 days unless another number is set; newer ones stay."""
    assert ServerSettings().audit_days == 90
    now = place.journal.clock()

    def write(connection: Any) -> None:
        for days in (200, 91, 89, 1):
            connection.execute(access.build_line(None, f"{days}", "", now=now - days * DAY_US))

    place.journal.store.writer.do(write)
    place.journal.store.writer.do(lambda c: access.delete_old_lines(c, 90, now))
    with place.journal.store.read() as connection:
        left = {one.action for one in access.read_lines(connection, 100)}
    assert left & {"200", "91", "89", "1"} == {"89", "1"}


@pytest.mark.parametrize("allowed", [None, "*", "https://club.example"])
def test_other_sites_read_what_anybody_may(sqlite_url, allowed: str | None):
    """Pages of an allowed site read answers of the API that need no token, and no others."""
    with whole(sqlite_url, ServerSettings(allow_origin=allowed)) as (app, journal):
        client = TestClient(app)
        for header in ({}, {}, bearer(secret(journal, "read"))):  # made, kept, one's own
            answer = client.get(f"{API}/categories", headers=header)
            got = answer.headers.get("Access-Control-Allow-Origin")
            assert got == (None if header else allowed)
            assert "Access-Control-Allow-Credentials" not in answer.headers
        assert "Access-Control-Allow-Origin" not in client.get("/").headers


def test_backups_are_written_beside_a_running_server(
    sqlite_url, tmp_path, caplog: pytest.LogCaptureFixture
):
    """A server writes the backup that is due when it starts; what keeps it from that is logged."""
    plan = BackupPlan(tmp_path / "backups")
    with whole(sqlite_url, ServerSettings(backups=plan)) as (app, journal):
        ending = Event()
        ending.set()
        run_maintenance(journal, ending, app.state.settings)
        assert len(list_backups(plan.folder, "ladder")) == 1
        (tmp_path / "file").write_text("")
        settings = ServerSettings(backups=BackupPlan(tmp_path / "file"))
        logging.getLogger("prowess.faults").propagate = True
        with caplog.at_level(logging.WARNING, logger="prowess.faults"):
            run_maintenance(journal, ending, settings)
        assert "check the folder of backups" in caplog.text


def test_the_dashboard_draws_what_is_counted(sqlite_url):
    """Every series and label that `deploy/grafana.json` asks for is one of /metrics."""
    dashboard = json.loads((ROOT / "deploy" / "grafana.json").read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    with whole(sqlite_url) as (app, journal):
        client = TestClient(app)
        client.get("/c/chess")
        header = bearer(secret(journal, "metrics"))
        text = client.get("/metrics", headers=header).text
    given = dict(re.findall(r"^(prowess_[a-z_]+)(?:{(.*)})? ", text, re.MULTILINE))
    series = {name for one in asked for name in re.findall(r"prowess_[a-z_]+", one)}
    assert series == set(given)  # nothing is counted in vain
    known = {name for labels in given.values() for name in re.findall(r"(\w+)=", labels)} | {"job"}
    for one in asked:
        labels = re.findall(r"(\w+)=", one) + re.findall(r"by \(([^)]*)\)", one)
        assert {name for some in labels for name in some.split(", ")} <= known


def test_metrics_are_for_operators(sqlite_url):
    """Metrics are shown to the machine itself and to tokens for them, not through a proxy."""
    with whole(sqlite_url, ServerSettings()) as (app, journal):
        for address, header, status in (
            ("203.0.113.7", {}, 401), ("127.0.0.1", {}, 200), ("::1", {}, 200),
            ("::ffff:127.0.0.1", {}, 200), ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 401),
            ("127.0.0.1", {"Forwarded": "for=1.2.3.4"}, 401), ("not an address", {}, 401),
            ("203.0.113.7", bearer(secret(journal, "metrics")), 200),
            ("203.0.113.7", bearer(secret(journal, "admin")), 200),
            ("203.0.113.7", bearer(secret(journal, "read", "submit")), 403),
            ("203.0.113.7", bearer("prw_wrong"), 401),
        ):  # fmt: skip
            client = TestClient(app, client=(address, 1), raise_server_exceptions=False)
            answer = client.get("/metrics", headers=header)
            assert answer.status_code == status, (address, header)


def test_every_page_has_its_route(place, caplog: pytest.LogCaptureFixture):
    """Log and metrics name the route of each page; only unknown addresses are `other`."""
    logging.getLogger("prowess.requests").propagate = True
    values = {"{key}": "chess", "{form:str}": "csv", "{list}": "x", "{player}": "1", "{a}": "1",
              "{b}": "2", "{number}": "1", "{file:path}": "style.css"}  # fmt: skip
    asked = [one.path for one in READ] + [f"{API}/openapi.json", f"{API}/results"]
    with caplog.at_level(logging.INFO, logger="prowess.requests"):
        for path in asked:
            address = path
            for name, value in values.items():
                address = address.replace(name, value)
            place.client.get(address, follow_redirects=False)
        place.client.get("/nothing/here")
    told = [json.loads(one.message)["route"] for one in caplog.records]
    assert told == [*asked, "other"]
    counted = place.client.get("/metrics", headers=place.admin).text
    assert 'route="/c/{key}"' in counted
    assert counted.count('route="other",status="404"') == 1


def test_pages_by_https(place):
    """By https browsers are told to come by https only; pages vary with the cookie."""
    secure = {"X-Forwarded-Proto": "https"}
    for path in ("/", "/login", f"{API}/results", "/nothing", f"{API}/nothing"):
        answer = place.client.get(path, headers=secure)
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        plain = place.client.get(path)
        assert "strict-transport-security" not in plain.headers
        assert ("Cookie" in plain.headers["vary"]) == (not path.startswith(API)), path


def test_the_header_of_an_unknown_proxy(sqlite_url):
    """A server that trusts no proxy takes nobody's word for https."""
    with whole(sqlite_url) as (app, _), TestClient(app) as client:
        answer = client.get("/", headers={"X-Forwarded-Proto": "https"})
        assert "strict-transport-security" not in answer.headers
    with whole(f"{sqlite_url}2") as (app, _):
        secure = TestClient(app, base_url="https://testserver")
        assert "strict-transport-security" in secure.get("/").headers
