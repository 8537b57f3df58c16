"""The description of the API says what answers look like, and real answers look so."""

from __future__ import annotations

from typing import Any

from jsonschema_rs import validate
from pydantic import TypeAdapter

from tests.live.api.site import API, Site


def fits(site: Site, method: str, path: str, answer: Any) -> None:
    """Raise where an answer is not as the operation says."""
    whole = site.get("/openapi.json")
    told = whole["paths"][API + path][method.lower()]["responses"]
    content = told[str(answer.status_code)]["content"]
    schema = content["application/json"]["schema"] | {"components": whole["components"]}
    validate(schema, answer.json())


def test_every_operation_is_described(site):
    """Each has a summary of its own, and a schema of every answer that succeeds as JSON."""
    whole = site.get("/openapi.json")
    summaries = []
    for methods in whole["paths"].values():
        for operation in methods.values():
            summaries.append(operation["summary"])
            for status, answer in operation["responses"].items():
                for kind, content in answer.get("content", {}).items():
                    if status.startswith("2") and kind == "application/json":
                        assert content["schema"], operation
    assert len(set(summaries)) == len(summaries)
    assert "Report one result" in summaries
    named = {"Result", "ResultVersions", "Receipt", "Batch", "Outlook", "Leaderboard", "Problem"}
    assert whole["components"]["schemas"].keys() >= named


def test_real_answers_fit(site):
    """What the server says is as its description says."""
    site.filled()
    game = {"player_a": "Ada", "player_b": "Ben", "score": 1.0}
    season = {"key": "s", "name": "S", "starts": "2024-01-01", "ends": "2024-12-31"}
    token, hook = {"name": "t", "scopes": ["read"]}, {"url": "http://a.example", "events": ["*"]}
    rated, named = "/categories/{c}", "/players/{player}"
    two = "?a=Ada&b=Ben"
    match = {"system": "elo", "sides": ["Ada", ["Ben", "Cleo"]], "result": "draw"}
    asked: tuple[tuple[str, str, str, Any], ...] = (
        ("POST", "/results", "", game),
        ("POST", "/results", "?dry_run=1", game),
        ("POST", "/results:batch", "", [game]),
        ("POST", "/results:batch", "?on_error=skip", [game, {}]),
        ("GET", "/results", "", None),
        ("PUT", "/results/{number}", "?preview=1", game | {"score": 0}),
        ("PUT", "/results/{number}", "", game | {"score": 0}),
        ("DELETE", "/results/{number}", "", None),
        ("GET", "/results/{number}", "", None),
        ("POST", "/results/{number}:restore", "", {}),
        ("POST", "/results:void", "", {"player": "Eve"}),
        ("GET", f"{rated}/calibration", "", None),
        ("GET", "/categories", "", None),
        ("GET", rated, "", None),
        ("PATCH", rated, "?preview=1", {"system": "bradley_terry"}),
        ("POST", f"{rated}/seasons", "", season),
        ("GET", f"{rated}/seasons", "", None),
        ("POST", f"{rated}/lists", "", {"key": "l", "name": "L"}),
        ("GET", f"{rated}/lists", "", None),
        ("GET", f"{rated}/lists/{{key}}", "", None),
        ("GET", f"{rated}/leaderboard", "", None),
        ("GET", f"{rated}{named}", "", None),
        ("GET", f"{rated}{named}/history", "", None),
        ("GET", f"{rated}/why/{{number}}", "", None),
        ("GET", f"{rated}/head-to-head", two, None),
        ("GET", f"{rated}/pairings", "", None),
        ("GET", f"{rated}/pairings", "?player=Ada", None),
        ("GET", f"{rated}/forecast", two, None),
        ("GET", f"{rated}/assess", "?player=Ada&opponent=Ben", None),
        ("GET", f"{rated}/next", "", None),
        ("POST", "/rate", "", match),
        ("GET", "/players", "", None),
        ("GET", named, "", None),
        ("POST", f"{named}:alias", "", {"name": "Zoe"}),
        ("GET", "/revisions", "", None),
        ("POST", "/tokens", "", token),
        ("GET", "/tokens", "", None),
        ("POST", "/webhooks", "", hook),
        ("GET", "/webhooks", "", None),
        ("GET", "/audit", "", None),
    )
    for method, path, query, sent in asked:
        address = path.format(c="main", player="Ada", number=1, key="l") + query
        more = {} if sent is None else {"json": sent}
        answer = site.ask(method, address, "admin", **more)
        assert answer.is_success, (method, address, answer.text)
        fits(site, method, path, answer)


def test_the_first_request_builds_no_route(tmp_path, monkeypatch):
    """Routes are whole when the application is: whoever asks first waits for none of them."""
    built, build = [], TypeAdapter.__init__

    def note(self: Any, *asked: Any, **more: Any) -> None:
        built.append(asked)
        build(self, *asked, **more)

    with Site(str(tmp_path / "first.db")) as site:
        monkeypatch.setattr(TypeAdapter, "__init__", note)
        answer = site.ask("PUT", "/results/1", "admin", json={})
    assert (answer.status_code, built) == (404, [])
