"""The description of the API: a summary of every operation, and what its answers look like."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from prowess.live.api.authority import READING
from prowess.live.api.schemas import SCHEMAS, choice, of

PREFIX = "/api/v1"
JSON = "application/json"
RATED, NAMED, ONE = "/categories/{c}", "/players/{player}", "/results/{number}"
OPERATIONS: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = {  # summary; schemas of answers
    ("post", "/results"): ("Report one result", ("Reported", "Receipt")),
    ("post", "/results:batch"): ("Report many results", ("Batch",)),
    ("get", "/results"): ("List results", ("ResultPage",)),
    ("get", ONE): ("Show a result with all its versions", ("ResultVersions",)),
    ("put", ONE): ("Correct a result", ("ResultVersions", "Outlook")),
    ("delete", ONE): ("Make a result void", ("ResultVersions", "Outlook")),
    ("post", f"{ONE}:restore"): ("Restore a result", ("ResultVersions", "Outlook")),
    ("post", f"{ONE}:accept"): ("Accept a held result", ("ResultVersions", "Outlook")),
    ("post", f"{ONE}:reject"): ("Reject a held result", ("ResultVersions", "Outlook")),
    ("post", "/results:void"): ("Make many results void", ("Receipt", "Outlook")),
    ("post", "/results:restore"): ("Restore what one entry made void", ("Receipt", "Outlook")),
    ("get", "/categories"): ("List categories", ("CategoryPage",)),
    ("post", "/categories"): ("Make a category", ("Category",)),
    ("get", RATED): ("Show a category", ("Category",)),
    ("patch", RATED): ("Change how a category is rated", ("Category", "Outlook")),
    ("get", f"{RATED}/seasons"): ("List seasons", ("SeasonPage",)),
    ("post", f"{RATED}/seasons"): ("Make a season", ("Receipt",)),
    ("get", f"{RATED}/lists"): ("List what was published", ("ListPage",)),
    ("post", f"{RATED}/lists"): ("Publish the leaderboard as a list", ("Receipt",)),
    ("get", f"{RATED}/lists/{{key}}"): ("Show a published list", ("List",)),
    ("get", f"{RATED}/leaderboard"): ("Show the leaderboard", ("Leaderboard",)),
    ("get", f"{RATED}{NAMED}"): ("Show a player's rating", ("Standing",)),
    ("get", f"{RATED}{NAMED}/history"): ("List a player's results, explained", ("History",)),
    ("get", f"{RATED}/why/{{number}}"): ("Explain what a result changed", ("Why",)),
    ("get", f"{RATED}/head-to-head"): ("Compare two players by their games", ("HeadToHead",)),
    ("get", f"{RATED}/pairings"): ("List pairs that met", ("Pairings",)),
    ("get", f"{RATED}/forecast"): ("Forecast a game", ("Forecast",)),
    ("get", f"{RATED}/assess"): ("Show what a game would change", ("Assessment",)),
    ("get", f"{RATED}/next"): ("List games worth playing next", ("Next",)),
    ("get", f"{RATED}/calibration"): ("Judge past forecasts", ("Calibration",)),
    ("get", "/players"): ("List players", ("PlayerPage",)),
    ("get", NAMED): ("Show a player", ("Person",)),
    ("post", f"{NAMED}:rename"): ("Rename a player", ("Receipt",)),
    ("post", f"{NAMED}:alias"): ("Give a player a further name", ("Receipt",)),
    ("post", f"{NAMED}:merge"): ("Merge two players", ("Receipt", "Outlook")),
    ("post", f"{NAMED}:split"): ("Undo a merger", ("Receipt", "Outlook")),
    ("post", f"{NAMED}:anonymise"): ("Forget a player's names", ("Receipt",)),
    ("get", "/revisions"): ("List every change", ("RevisionPage",)),
    ("get", "/events"): ("Follow events as they happen", ()),
    ("get", "/export"): ("Export a category as a table", ()),
    ("get", "/tokens"): ("List tokens", ("TokenPage",)),
    ("post", "/tokens"): ("Make a token", ("NewToken",)),
    ("get", "/tokens/{number}"): ("Show a token", ("Token",)),
    ("delete", "/tokens/{number}"): ("Revoke a token", ("Token",)),
    ("get", "/webhooks"): ("List webhooks", ("WebhookPage",)),
    ("post", "/webhooks"): ("Make a webhook", ("NewWebhook",)),
    ("get", "/webhooks/{number}"): ("Show a webhook", ("Webhook",)),
    ("delete", "/webhooks/{number}"): ("Stop a webhook", ("Webhook",)),
    ("get", "/webhooks/{number}/deliveries"): ("List what was sent", ("DeliveryPage",)),
    ("get", "/audit"): ("Read the audit log", ("AuditPage",)),
}


class Described(FastAPI):
    """Its schema says what answers look like, and where reading needs no token."""

    private = False

    def openapi(self) -> dict[str, Any]:
        """See FastAPI."""
        if self.openapi_schema is None:
            schema = super().openapi()
            schema["components"]["schemas"] |= SCHEMAS
            for path, methods in schema["paths"].items():
                for method, operation in methods.items():
                    describe(operation, *OPERATIONS[method, path.removeprefix(PREFIX)])
                    if not self.private and {READING.scheme_name: []} in operation["security"]:
                        operation["security"].append({})
        return super().openapi()


def describe(operation: dict[str, Any], summary: str, names: tuple[str, ...]) -> None:
    """Write a summary and the schemas of what succeeds into an operation."""
    operation["summary"] = summary
    if names:
        schema = of(names[0]) if len(names) == 1 else choice(*names)
        for status, answer in operation["responses"].items():
            if status.startswith("2"):
                answer.setdefault("content", {})[JSON] = {"schema": schema}
