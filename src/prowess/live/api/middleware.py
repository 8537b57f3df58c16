"""Middleware: authentication, rate limits, body limits, metrics, access log.

Every request gets an id (`X-Request-Id`) and one line in the log. A body that is too large is
refused while it is read; an unforeseen error becomes a problem with the request's id.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from anyio import fail_after, to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prowess.live.api.limits import Buckets, ServerSettings, network_of
from prowess.live.api.problems import HttpProblem, find_problem

if TYPE_CHECKING:
    from prowess.live.store.access import Actor


METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


class Metrics:
    """Request counts and response times."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.seconds: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self.total: defaultdict[str, float] = defaultdict(float)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request; unknown methods are counted together."""
        method = method if method in METHODS else "other"
        with self.lock:
            self.requests[method, route, status] += 1
            self.seconds[route][bisect_left(BOUNDS, seconds)] += 1
            self.total[route] += seconds

    def render(self, gauges: Iterable[tuple[str, str, dict[str, str], float]]) -> str:
        """Render Prometheus text; `gauges` are (name, help, labels, value), grouped by name."""
        lines = [
            "# HELP prowess_requests_total Requests that were answered.",
            "# TYPE prowess_requests_total counter",
        ]
        with self.lock:
            for (method, route, status), n in sorted(self.requests.items()):
                labels = format_labels({"method": method, "route": route, "status": str(status)})
                lines.append(f"prowess_requests_total{labels} {n}")
            name = "prowess_request_seconds"
            lines += [f"# HELP {name} Time to an answer.", f"# TYPE {name} histogram"]
            for route, counts in sorted(self.seconds.items()):
                so_far = 0
                for bound, n in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
                    so_far += n
                    labels = format_labels({"route": route, "le": bound})
                    lines.append(f"{name}_bucket{labels} {so_far}")
                labels = format_labels({"route": route})
                lines.append(f"{name}_sum{labels} {self.total[route]:.6f}")
                lines.append(f"{name}_count{labels} {so_far}")
        previous = ""
        for name, about, label, value in gauges:
            if name != previous:
                lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge"]
                previous = name
            lines.append(f"{name}{format_labels(label)} {value!r}")
        return "\n".join(lines) + "\n"


def format_labels(labels: dict[str, str]) -> str:
    """Format labels in braces with escaped values."""
    if not labels:
        return ""
    inner = ",".join(f'{name}="{_escape_label(value)}"' for name, value in labels.items())
    return f"{{{inner}}}"


def _escape_label(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


# A name in a path may hold a slash as %2F. ASGI servers decode paths, so `Ada%2Fhistory` would
# become the history of Ada: an encoded slash is replaced by `SLASH` until the name is parsed.

SLASH = "\udc2f"  # a lone surrogate: decoded UTF-8 never contains it


def split_path(scope: Any) -> str:
    """The decoded path of a request, encoded slashes as `SLASH`."""
    path: str = scope["path"]
    raw: bytes | None = scope.get("raw_path")
    if raw is None or b"%" not in raw:
        return path
    parts = raw.decode("latin-1").split("/")
    return "/".join(unquote(part).replace("/", SLASH) for part in parts)


def join_segment(part: str) -> str:
    """Replace `SLASH` in a path segment by a slash."""
    return part.replace(SLASH, "/")


API = "/api/v1/"
FREE = ("/static/", "/healthz", "/readyz")  # exempt from rate limits
SAFE = {"GET", "HEAD", "OPTIONS"}
LONGEST = 18  # digits of a length
PAST_COST = 20  # cost of a request with ?revision=, which replays the log
ASKS_PAST = re.compile(rb"(?:^|&)revision=")
IN_HAND = 65_536  # bytes of an unread body that are awaited
SLOWEST = 1000.0  # bytes per second of a body, on average
GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
LOG = logging.getLogger("prowess.requests")
FAULTS = logging.getLogger("prowess.faults")
HARDENED = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Vary": "Accept, Authorization",
}


class Middleware:
    """ASGI middleware: authentication, limits, metrics and access log of every request."""

    def __init__(
        self,
        app: ASGIApp,
        settings: ServerSettings,
        metrics: Metrics,
        find_actor: Callable[[str], Actor | None],
    ) -> None:
        self.app, self.settings, self.metrics, self.find_actor = app, settings, metrics, find_actor
        self.by_address = Buckets(settings.by_address)
        self.by_token = Buckets(settings.by_token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; see ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        await HttpExchange(self, scope, receive, send).answer()


class HttpExchange:
    """One request and its response."""

    def __init__(self, middleware: Middleware, scope: Scope, receive: Receive, send: Send) -> None:
        self.middleware, self.scope, self.inner_receive, self.inner_send = (
            middleware,
            scope,
            receive,
            send,
        )
        self.headers = Headers(scope=scope)
        self.method = scope["method"]
        if self.method == "HEAD":  # the head of what GET would answer
            scope["method"] = "GET"
        if scope["path"].startswith(API):
            scope["path"] = split_path(scope)
        self.began = perf_counter()
        self.status = 0  # 0: nothing sent yet
        self.read = 0  # bytes of the body
        self.waited = 0.0  # seconds waited for the body
        self.whole = False  # whether the body is complete
        self.limit_headers: dict[str, str] = {}  # of the rate limit
        given = self.headers.get("x-request-id", "")
        self.id = given if GIVEN_ID.fullmatch(given) else secrets.token_hex(8)
        self.state = scope.setdefault("state", {})
        self.state |= {"id": self.id, "actor": None, "code": None, "settings": middleware.settings}
        self.state |= {"address": self.address(), "head": self.method == "HEAD"}

    async def answer(self) -> None:
        """Run the application; an exception becomes a problem response."""
        try:
            await self.admit()
            await self.middleware.app(self.scope, self.receive, self.send)
        except Exception as error:
            problem = find_problem(error)
            if problem is None:
                FAULTS.exception("request %s failed", self.id)
                message = f"a fault of the server, not of the request; it is logged as {self.id}"
                problem = HttpProblem(500, "fault", message)
            self.state["code"] = problem.code
            if self.status:
                raise  # headers are sent: only closing the connection signals the error
            await problem.response(self.id)(self.scope, self.receive, self.send)
        finally:
            self.log()

    async def admit(self) -> None:
        """Authenticate and apply limits; raises HttpProblem 401, 413 or 429."""
        path = self.scope["path"]
        if path.startswith(FREE):
            return
        secret = _parse_bearer(self.headers.get("authorization"))
        actor = None
        if secret is not None:
            actor = await to_thread.run_sync(self.middleware.find_actor, secret)
        cost = PAST_COST if ASKS_PAST.search(self.scope["query_string"]) else 1
        if actor is not None and actor.token is not None:
            taking = self.middleware.by_token.take(str(actor.token), cost)
        else:
            taking = self.middleware.by_address.take(network_of(self.state["address"]), cost)
        self.limit_headers = taking.headers()
        if not taking.granted:
            message = f"wait {taking.wait} s and ask again: too many requests"
            raise HttpProblem(429, "too_many_requests", message)
        if path.startswith(API):
            if actor is None and (secret is not None or "authorization" in self.headers):
                raise _unauthorised_problem("bad_token", "the token is unknown, expired or revoked")
            if actor is None and self.scope["method"] not in SAFE:
                raise _unauthorised_problem(
                    "no_token", "writing needs a token: Authorization: Bearer prw_..."
                )
        self.state["actor"] = actor
        length = self.headers.get("content-length", "")
        if length.isdecimal() and (len(length) > LONGEST or int(length) > self.most()):
            raise self.too_large()

    def address(self) -> str:
        """The client's address; behind a trusted proxy the last of X-Forwarded-For."""
        client = self.scope.get("client")
        direct = client[0] if client else ""
        if self.middleware.settings.trust_proxy:
            passed = self.headers.getlist("x-forwarded-for")
            last = ",".join(passed).rpartition(",")[2].strip()
            return last or direct
        return direct

    def most(self) -> int:
        """Maximum size of the body in bytes."""
        settings = self.middleware.settings
        bulk = self.scope["path"].endswith(":batch")
        return settings.batch_limit if bulk else settings.body_limit

    def too_large(self) -> HttpProblem:
        """The problem of a body that exceeds the limit."""
        message = f"send the body in parts: it is longer than {self.most():,} bytes"
        return HttpProblem(413, "too_large", message, headers={"Connection": "close"})

    def more_is_coming(self) -> bool:
        """Whether the client may still be sending a body that was not read."""
        length = self.headers.get("content-length", "")
        long = length.isdecimal() and int(length[:LONGEST]) > IN_HAND
        return long or "transfer-encoding" in self.headers

    async def receive(self) -> Message:
        """Receive a part of the body within the size and time limits; see ASGI."""
        if self.whole:  # the next message is the disconnect
            return await self.inner_receive()
        patience, asked = self.middleware.settings.patience, perf_counter()
        try:
            with fail_after(min(patience, patience + self.read / SLOWEST - self.waited)):
                message = await self.inner_receive()
        except TimeoutError:
            detail = "send the body again without pauses: it arrived too slowly"
            raise HttpProblem(408, "too_slow", detail, headers={"Connection": "close"}) from None
        if message["type"] == "http.request":
            self.waited += perf_counter() - asked
            self.whole = not message.get("more_body", False)
            self.read += len(message.get("body", b""))
            if self.read > self.most():
                raise self.too_large()
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the response, adding the common headers; see ASGI."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self.id
            if not self.whole and self.more_is_coming():
                headers["Connection"] = "close"
            for name, value in (HARDENED | self.limit_headers).items():
                headers.setdefault(name, value)
        elif self.method == "HEAD":
            message = {**message, "body": b""}
        await self.inner_send(message)

    def log(self) -> None:
        """Write the line of the access log and count the request."""
        seconds = perf_counter() - self.began
        route = getattr(self.scope.get("route"), "path", "other")
        self.middleware.metrics.count(self.method, route, self.status, seconds)
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


def _unauthorised_problem(code: str, detail: str) -> HttpProblem:
    return HttpProblem(401, code, detail, headers={"WWW-Authenticate": 'Bearer realm="prowess"'})


def _parse_bearer(header: str | None) -> str | None:
    """The secret of a bearer Authorization header, or None."""
    if header is None:
        return None
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.casefold() == "bearer" and secret.strip() else None
