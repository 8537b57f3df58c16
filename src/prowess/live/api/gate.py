"""The way in, around everything else: who asks, how often, how much, and what came of it.

Every request gets a number (`X-Request-Id`) and one line in the log. A body that is too large is
refused while it is being read, an unforeseen error becomes a problem with the request's number.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

from anyio import fail_after, to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prowess.live.api.buckets import Buckets, network_of
from prowess.live.api.metrics import Metrics
from prowess.live.api.paths import parted
from prowess.live.api.problems import Problem, problem_of
from prowess.live.api.settings import Settings

if TYPE_CHECKING:
    from prowess.live.store.access import Actor

API = "/api/v1/"
FREE = ("/static/", "/healthz", "/readyz")  # not counted against anybody
SAFE = {"GET", "HEAD", "OPTIONS"}
LONGEST = 18  # digits of a length
PAST_COST = 20  # requests that one counts for which asks for an earlier revision: a replay
ASKS_PAST = re.compile(rb"(?:^|&)revision=")
IN_HAND = 65_536  # bytes of a body that nobody wants; more are not waited for
SLOWEST = 1000.0  # bytes a second of a body, on the whole
GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
LOG = logging.getLogger("prowess.requests")
FAULTS = logging.getLogger("prowess.faults")
HARDENED = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Vary": "Accept, Authorization",
}


class Gate:
    """Wraps the whole application."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        metrics: Metrics,
        known: Callable[[str], Actor | None],
    ) -> None:
        self.app, self.settings, self.metrics, self.known = app, settings, metrics, known
        self.by_address = Buckets(settings.by_address)
        self.by_token = Buckets(settings.by_token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        await _Visit(self, scope, receive, send).answer()


class _Visit:
    """One request on its way through."""

    def __init__(self, gate: Gate, scope: Scope, receive: Receive, send: Send) -> None:
        self.gate, self.scope, self.inner_receive, self.inner_send = gate, scope, receive, send
        self.headers = Headers(scope=scope)
        self.method = scope["method"]
        if self.method == "HEAD":  # the head of what GET would answer
            scope["method"] = "GET"
        if scope["path"].startswith(API):
            scope["path"] = parted(scope)
        self.began = perf_counter()
        self.status = 0  # 0: nothing was sent yet
        self.read = 0  # bytes of the body
        self.waited = 0.0  # seconds for them
        self.whole = False  # all of it
        self.told: dict[str, str] = {}  # headers about limits
        given = self.headers.get("x-request-id", "")
        self.id = given if GIVEN_ID.fullmatch(given) else secrets.token_hex(8)
        self.state = scope.setdefault("state", {})
        self.state |= {"id": self.id, "actor": None, "code": None, "settings": gate.settings}
        self.state |= {"address": self.address(), "head": self.method == "HEAD"}

    async def answer(self) -> None:
        """Let the application answer, or say why not."""
        try:
            await self.admit()
            await self.gate.app(self.scope, self.receive, self.send)
        except Exception as error:
            problem = problem_of(error)
            if problem is None:
                FAULTS.exception("request %s failed", self.id)
                told = f"a fault of the server, not of the request; it is noted as {self.id}"
                problem = Problem(500, "fault", told)
            self.state["code"] = problem.code
            if self.status:
                raise  # the head is gone: only breaking off tells the client
            await problem.response(self.id)(self.scope, self.receive, self.send)
        finally:
            self.note()

    async def admit(self) -> None:
        """Find out who asks; raise Problem for those who ask too often or with a bad token."""
        path = self.scope["path"]
        if path.startswith(FREE):
            return
        secret = _bearer(self.headers.get("authorization"))
        actor = None
        if secret is not None:
            actor = await to_thread.run_sync(self.gate.known, secret)
        cost = PAST_COST if ASKS_PAST.search(self.scope["query_string"]) else 1
        if actor is not None and actor.token is not None:
            taking = self.gate.by_token.take(str(actor.token), cost)
        else:
            taking = self.gate.by_address.take(network_of(self.state["address"]), cost)
        self.told = taking.headers()
        if not taking.granted:
            told = f"too many requests; the next one is granted in {taking.wait} s"
            raise Problem(429, "too_many_requests", told)
        if path.startswith(API):
            if actor is None and (secret is not None or "authorization" in self.headers):
                raise _unauthorised("bad_token", "the token is unknown, expired or revoked")
            if actor is None and self.scope["method"] not in SAFE:
                raise _unauthorised(
                    "no_token", "writing needs a token: Authorization: Bearer prw_..."
                )
        self.state["actor"] = actor
        length = self.headers.get("content-length", "")
        if length.isdecimal() and (len(length) > LONGEST or int(length) > self.most()):
            raise self.too_large()

    def address(self) -> str:
        """Whom the request comes from."""
        client = self.scope.get("client")
        direct = client[0] if client else ""
        if self.gate.settings.trust_proxy:
            passed = self.headers.getlist("x-forwarded-for")
            last = ",".join(passed).rpartition(",")[2].strip()
            return last or direct
        return direct

    def most(self) -> int:
        """How long the body may be."""
        settings = self.gate.settings
        bulk = self.scope["path"].endswith(":batch")
        return settings.batch_limit if bulk else settings.body_limit

    def too_large(self) -> Problem:
        """The body is longer than it may be."""
        told = f"the body is longer than {self.most():,} bytes; send it in parts"
        return Problem(413, "too_large", told, headers={"Connection": "close"})

    def more_is_coming(self) -> bool:
        """Whether the client may go on sending a body that the answer did not wait for."""
        length = self.headers.get("content-length", "")
        long = length.isdecimal() and int(length[:LONGEST]) > IN_HAND
        return long or "transfer-encoding" in self.headers

    async def receive(self) -> Message:
        """A part of the body, counted."""
        if self.whole:  # what comes now is the end of the connection
            return await self.inner_receive()
        patience, asked = self.gate.settings.patience, perf_counter()
        try:
            with fail_after(min(patience, patience + self.read / SLOWEST - self.waited)):
                message = await self.inner_receive()
        except TimeoutError:
            told = "send the body again, without pauses: it came too slowly, or stopped"
            raise Problem(408, "too_slow", told, headers={"Connection": "close"}) from None
        if message["type"] == "http.request":
            self.waited += perf_counter() - asked
            self.whole = not message.get("more_body", False)
            self.read += len(message.get("body", b""))
            if self.read > self.most():
                raise self.too_large()
        return message

    async def send(self, message: Message) -> None:
        """A part of the answer; its head gets what all heads have."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self.id
            if not self.whole and self.more_is_coming():
                headers["Connection"] = "close"
            for name, value in (HARDENED | self.told).items():
                headers.setdefault(name, value)
        elif self.method == "HEAD":
            message = {**message, "body": b""}
        await self.inner_send(message)

    def note(self) -> None:
        """One line in the log, and the counts."""
        seconds = perf_counter() - self.began
        route = getattr(self.scope.get("route"), "path", "other")
        self.gate.metrics.count(self.method, route, self.status, seconds)
        actor = self.state["actor"]
        line = {
            "request": self.id,
            "method": self.method,
            "route": route,
            "status": self.status,
            "code": self.state["code"],
            "ms": round(1000.0 * seconds, 2),
            "bytes": self.read,
            "token": None if actor is None else actor.token,
            "address": self.state["address"],
        }
        LOG.info(json.dumps({name: value for name, value in line.items() if value is not None}))


def _unauthorised(code: str, told: str) -> Problem:
    return Problem(401, code, told, headers={"WWW-Authenticate": 'Bearer realm="prowess"'})


def _bearer(header: str | None) -> str | None:
    """The secret of an Authorization header."""
    if header is None:
        return None
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.casefold() == "bearer" and secret.strip() else None
