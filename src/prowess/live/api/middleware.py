"""Middleware: authentication, rate limits, body limits, access log.

Every request gets an id (`X-Request-Id`) and one line in the log. A body that is too large is
refused while it is read; an unforeseen error becomes a problem with the request's id.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from asyncio import timeout
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from itertools import count
from math import ceil
from threading import Event
from time import monotonic, perf_counter
from typing import TYPE_CHECKING
from urllib.parse import unquote

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prowess.engine.progress import stop_when
from prowess.live.api.encoding import RETRY, HttpProblem, find_problem
from prowess.live.api.read_model import AnswerInMaking, KeptAnswer, Pairs, ReadModel
from prowess.live.api.turns import HEAVY_COST, READS, Kind, Turn, Turns, client_left, kind_of
from prowess.live.store import access

if TYPE_CHECKING:
    from prowess.live.journal.journal import Journal
    from prowess.live.store.backup import BackupPlan


API_PATH = "/api/v1"
API_V1 = f"{API_PATH}/"
ALIVE_PATH = "/healthz"
STATELESS_PATH = f"{API_V1}rate"  # is posted, and reads and writes nothing
ALWAYS_SERVED = ("/static/", ALIVE_PATH)  # also while the server is starting
FREE_PATHS = (*ALWAYS_SERVED, "/readyz")  # exempt from rate limits
SAFE = {"GET", "HEAD", "OPTIONS"}
LENGTH_DIGITS = 18
EVENT_STREAM = "/events"  # read in turns of their own
SIGNING, SIGNING_LIMIT = ("/login", "/logout"), 65_536  # pages to sign in and out, and bytes
IN_HAND = 65_536  # bytes of an unread body that are awaited
SLOWEST = 1000.0  # bytes per second of a body, on average
OTHER = "other"  # the route of an unknown address
OF_CATEGORY = re.compile(rf"(/c/|/admin/categories/|{API_V1}categories/)([a-z0-9_-]+)")
GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
MAX_BUCKETS = 100_000  # the least recently used is dropped
PROCESS, NUMBERS = secrets.token_hex(4), count()  # together: the number of a request
LOG = logging.getLogger("prowess.requests")
FAULTS = logging.getLogger("prowess.faults")
CLOSED_AFTER = {"Connection": "close"}  # headers of problems
TOKEN_WANTED = {"WWW-Authenticate": 'Bearer realm="prowess"'}
HARDENED = (b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"same-origin")


MIB = 1 << 20
KEPT_LETTERS = access.ADDRESS_LETTERS  # of an address
SECURE_FOR = b"max-age=31536000"  # seconds: browsers come by https only
API_VARIES = b"vary", b"Accept, Authorization"
CORS_EXPOSED = b"access-control-expose-headers", b"ETag, Link, Prowess-Revision"
PAGES_VARY = b"vary", b"Accept, Authorization, Cookie"  # a page depends on who is signed in


@dataclass(frozen=True)
class Allowance:
    """A token bucket of `burst` requests, refilled at `rate` requests per second."""

    rate: float
    burst: int


@dataclass(frozen=True)
class ServerSettings:
    """Access, limits and timeouts of a server."""

    private: bool = False  # reading needs a token too
    trust_proxy: bool = False  # the last address of X-Forwarded-For is the client's
    body_limit: int = MIB  # bytes of a request
    batch_limit: int = 64 * MIB  # bytes of a bulk request
    batch_rows: int = 100_000  # results of a bulk request
    by_address: Allowance = field(default_factory=lambda: Allowance(50.0, 500))
    by_token: Allowance = field(default_factory=lambda: Allowance(2000.0, 10_000))
    open_uploads: bool = False  # RoboRumble clients need no token
    patience: float = 30.0  # seconds between two parts of a body or of an answer
    head_patience: float = 10.0  # seconds for the head of a request, and between two requests
    connections_by_address: int = 250  # at a time; behind a proxy that is trusted: any number
    streams: int = 500  # listeners to /events at a time
    streams_by_address: int = 100
    heartbeat: float = 15.0  # seconds between signs of life on /events
    rating_patience: float = 2.0  # seconds that the answer to a durable result waits for ratings
    audit_days: int = 90  # for which lines of the audit log are kept
    backups: BackupPlan | None = None  # by schedule
    allow_origin: str | None = None  # whose pages may read what anybody may; "*": all
    embed_on: tuple[str, ...] = ()  # sites whose frames may show the pages below /embed/
    root_path: str = ""  # "/ladder": the path below which a proxy serves this server


class Middleware:
    """ASGI middleware: authentication, limits, metrics and access log of every request.

    It comes before the layers of FastAPI, which take longer than a result.
    """

    def __init__(
        self,
        app: ASGIApp,
        short: Mapping[tuple[str, str], Callable[[ASGIApp], ASGIApp]],
        settings: ServerSettings,
        journal: Journal,
        count: Callable[[str, str, int, float], None],
        heavy: Turns,
    ) -> None:
        """`short` has, by method and path, what needs the layers around routes seldom."""
        self.app, self.settings, self.journal, self.count = app, settings, journal, count
        self.short = {of: make(app) for of, make in short.items()}
        self.by_address = Buckets(settings.by_address)
        self.by_token = Buckets(settings.by_token)
        self.reads, self.heavy = Turns(READS), heavy
        self.model = ReadModel(
            lambda: (
                journal.revision,
                sum(ladder.editions for ladder in tuple(journal.ladders.now.values())),
            )
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application; an exception becomes a problem response; see ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, method = perf_counter(), scope["method"]
        scope = {**scope}  # the server below goes by its own: the method of a HEAD, for one
        one = HttpExchange(self.settings, scope, receive, send)
        kept: KeptAnswer | AnswerInMaking | None = None
        try:
            path = scope["path"]
            app = self.short.get((method, path))  # it is cheap
            kind = kind_of(scope) if app is None else Kind.CHEAP
            await self.admit(one, kind)
            turns = None  # results need not wait for reads, which have theirs
            if (
                method in SAFE
                and not path.startswith(FREE_PATHS)
                and not path.endswith(EVENT_STREAM)
            ):
                turns = {Kind.CHEAP: self.reads, Kind.HEAVY: self.heavy}.get(kind)
            if turns is not None:
                kept = await self.model.find(scope, Headers(scope=scope))
            if isinstance(kept, KeptAnswer):
                await kept.send(Headers(scope=scope), one.send)
            elif turns is None:
                await (app or self.app)(scope, one.receive, one.send)
            else:
                one.making = kept
                one.left = Event()
                one.turn = await turns.take_for(receive, one.left)
                with stop_when(one.check_reader):
                    await self.app(scope, one.receive, one.send_shared if kept else one.send)
        except Exception as error:
            await one.send_problem(error)
        finally:
            if one.turn is not None:
                one.turn.end()
            if one.making is not None:
                self.model.end(one.making)
            seconds = perf_counter() - began
            route = kept.route if isinstance(kept, KeptAnswer) else route_path(scope)
            self.count(method, route, one.status, seconds)
            if LOG.isEnabledFor(logging.INFO):
                actor = one.state["actor"]
                line = {
                    "request": one.id,
                    "method": method,
                    "route": route,
                    "status": one.status,
                    "code": one.state["code"],
                    "ms": round(1000.0 * seconds, 2),
                    "bytes": one.read,
                    "token": None if actor is None else actor.token,
                    "address": one.state["address"],
                }
                known = {name: value for name, value in line.items() if value is not None}
                LOG.info(json.dumps(known))

    async def admit(self, one: HttpExchange, kind: Kind) -> None:
        """Authenticate and apply limits; raises HttpProblem 401, 413 or 429."""
        path, header = one.scope["path"], one.fields.get("authorization", "")
        if one.scope["app"].state.starting and not path.startswith(ALWAYS_SERVED):
            raise HttpProblem.of("starting", 503, RETRY)
        if path.startswith(FREE_PATHS):
            return
        scheme, _, secret = header.partition(" ")
        actor = None
        if scheme.casefold() == "bearer" and secret.strip():
            actors = self.journal.store.actors
            actor = actors.recall(secret.strip()) or await to_thread.run_sync(
                actors.find, secret.strip(), self.journal.clock()
            )
        cost = 1 if kind is Kind.CHEAP else HEAVY_COST
        if actor is not None and actor.token is not None:
            wait, one.limit_headers = self.by_token.take(str(actor.token), cost)
        else:
            wait, one.limit_headers = self.by_address.take(network_of(one.state["address"]), cost)
        if wait:
            raise HttpProblem.of("too_many_requests", 429, wait=wait)
        if actor is None and path.startswith(API_V1):
            if "authorization" in one.fields:
                raise HttpProblem.of("bad_token.request", 401, TOKEN_WANTED)
            if one.scope["method"] not in SAFE and path != STATELESS_PATH:
                raise HttpProblem.of("no_token.write", 401, TOKEN_WANTED)
        one.state["actor"] = actor
        may_read, registry = actor is not None or not self.settings.private, self.journal.registry
        has_former = len(registry.keys) > len(registry.categories)
        if has_former and may_read and one.scope["method"] in SAFE:
            self.lead_on(one.scope)
        if (one.length or 0) > one.most:
            raise one.too_large()

    def lead_on(self, scope: Scope) -> None:
        """Raise HttpProblem 301 for an address with a key that a category had before."""
        path = scope.get("raw_path", scope["path"].encode()).decode("latin-1")
        found = OF_CATEGORY.match(path)
        registry = self.journal.registry
        if found is None or found[2] not in registry.keys:
            return
        key = registry.category(found[2]).key
        if key == found[2]:
            return
        there = found[1] + key + path[found.end() :]
        if scope["query_string"]:
            there += "?" + scope["query_string"].decode("latin-1")
        headers = {"Location": there, "Cache-Control": "no-store"}  # it may be renamed back
        raise HttpProblem.of("moved", 301, headers, there=there)


class HttpExchange:
    """One request and its response."""

    def __init__(
        self, settings: ServerSettings, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self.settings, self.scope = settings, scope
        self.inner_receive, self.inner_send = receive, send
        self.fields = fields = {  # headers by name in small letters, the first of each
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in reversed(scope["headers"])
        }
        self.head = scope["method"] == "HEAD"
        if self.head:  # the head of what GET would answer
            scope["method"] = "GET"
        if root := settings.root_path:
            strip_root(scope, root)
        path = scope["path"]
        if b"%" in scope.get("raw_path", b"") and path.startswith(API_V1):
            scope["path"] = path = decode_path(scope)
        self.most = settings.batch_limit if path.endswith(":batch") else settings.body_limit
        if path in SIGNING:
            self.most = min(self.most, SIGNING_LIMIT)
        length = fields.get("content-length", "")
        self.length = int(length[: LENGTH_DIGITS + 1]) if length.isdecimal() else None
        self.whole = self.length is None and "transfer-encoding" not in fields  # the body is read
        self.read = 0  # bytes of the body
        self.waited = 0.0  # seconds waited for the body
        self.status = 0  # 0: nothing sent yet
        self.turn: Turn | None = None  # that it has
        self.making: AnswerInMaking | None = None  # for which others may wait
        self.held: Message | None = None  # the head of an answer that may be kept
        self.left: Event | None = None  # set once the client has left, where that matters
        self.limit_headers: Pairs = []  # of the rate limit
        given = fields.get("x-request-id", "")
        self.id = given if GIVEN_ID.fullmatch(given) else f"{PROCESS}{next(NUMBERS):08x}"
        client = scope.get("client")
        address = client[0] if client else ""
        scheme = scope.get("scheme")
        if settings.trust_proxy:  # the last of X-Forwarded-For
            passed = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
            address = passed.rpartition(",")[2].strip()[:KEPT_LETTERS] or address
            passed = fields.get("x-forwarded-proto", "")
            scheme = passed.rpartition(",")[2].strip() or scheme
        self.encrypted = scheme == "https"  # to this server, or to a proxy that is trusted
        self.state = scope.setdefault("state", {})
        self.state |= {
            "id": self.id, "actor": None, "code": None, "settings": settings, "fields": fields,
            "address": address, "head": self.head, "encrypted": self.encrypted,
        }  # fmt: skip

    def check_reader(self) -> None:
        """Raise HttpProblem once the client has left; called by what is worked out for it."""
        if self.left is not None and self.left.is_set():
            raise client_left()

    def too_large(self) -> HttpProblem:
        """The problem of a body that exceeds the limit."""
        return HttpProblem.of("too_large.body", 413, CLOSED_AFTER, most=self.most)

    async def receive(self) -> Message:
        """Receive a part of the body within the size and time limits; see ASGI."""
        if self.whole:  # the next message is the disconnect
            return await self.inner_receive()
        patience, asked = self.settings.patience, perf_counter()
        left = min(patience, patience + self.read / SLOWEST - self.waited)
        try:
            async with nullcontext() if "at_hand" in self.state else timeout(left):
                message = await self.inner_receive()
        except TimeoutError:
            raise HttpProblem.of("too_slow.body", 408, CLOSED_AFTER) from None
        if message["type"] == "http.request":
            self.waited += perf_counter() - asked
            self.whole = not message.get("more_body", False)
            self.read += len(message.get("body", b""))
            if self.read > self.most:
                raise self.too_large()
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the response, adding the common headers; see ASGI."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.turn is not None:
                self.turn.end()
            message["headers"] = headers = list(message["headers"])
            names = {name for name, _ in headers}
            if root := self.settings.root_path:
                add_root(MutableHeaders(raw=headers), root)
            if not self.whole and (self.length is None or self.length > IN_HAND):
                MutableHeaders(raw=headers)["Connection"] = "close"  # the client may still send
            common = [(b"x-request-id", self.id.encode()), *HARDENED, *self.limit_headers]
            varies = API_VARIES
            if not self.scope["path"].startswith((API_V1, *FREE_PATHS)):
                varies = PAGES_VARY
            elif (origin := self.settings.allow_origin) and self.state["actor"] is None:
                common += (b"access-control-allow-origin", origin.encode()), CORS_EXPOSED
            if self.encrypted:
                common.append((b"strict-transport-security", SECURE_FOR))
            if b"vary" in names:
                MutableHeaders(raw=headers).add_vary_header(varies[1].decode())
            common.append(varies)
            headers += [pair for pair in common if pair[0] not in names]
        elif self.head:
            message = {**message, "body": b""}
        await self.inner_send(message)

    async def send_shared(self, message: Message) -> None:
        """Send a part of a response for which others may wait: one that is kept goes out as it is
        kept, compressed where the client reads that. See ASGI.
        """
        assert self.making is not None
        making = self.making
        if not making.ended.is_set():
            await making.note(message, route_path(self.scope))
            if message["type"] == "http.response.start":
                self.held = None  # of an answer that failed before its body
                if making.headers is not None:
                    self.held = message  # until it is known how long the answer is
                    return
            if making.answer is not None:
                await making.answer.send(Headers(scope=self.scope), self.send)
                return
            if self.held is not None:
                await self.send(self.held)
        await self.send(message)

    async def send_problem(self, error: Exception) -> None:
        """Send the problem response of an exception; raises it again if headers are sent."""
        problem = find_problem(error)
        if problem is None:
            FAULTS.error("request %s failed", self.id, exc_info=error)
            problem = HttpProblem.of("fault", 500, id=self.id)
        self.state["code"] = problem.code
        if self.status:
            raise error  # only closing the connection signals the error
        response = self.scope["app"].state.answer_fault(Request(self.scope), problem)
        send = self.send if self.making is None else self.send_shared
        await response(self.scope, self.receive, send)


# Below a path of a proxy, such as https://club.example/ladder, which may leave it in requests or
# take it out. Within the server all addresses begin at the root; what leaves it gets the path.

LOCAL_ADDRESSES = {"location": "/", "link": "</"}  # headers, and how an address here begins


def strip_root(scope: Scope, root: str) -> None:
    """Take the root path out of the address of a request, if it is there."""
    if f"{scope['path']}/".startswith(f"{root}/"):
        scope["path"] = scope["path"].removeprefix(root) or "/"
        scope["raw_path"] = scope.get("raw_path", b"").removeprefix(root.encode()) or b"/"


def add_root(headers: MutableHeaders, root: str) -> None:
    """Put the root path before the addresses in the headers of an answer."""
    for name, begins in LOCAL_ADDRESSES.items():
        if headers.get(name, "").startswith(begins):
            headers[name] = headers[name].replace("/", f"{root}/", 1)
    for place, (key, value) in enumerate(headers.raw):
        if key == b"set-cookie":  # other programs of the same host get no session
            headers.raw[place] = key, value.replace(b"Path=/", b"Path=" + root.encode(), 1)


def route_path(scope: Scope) -> str:
    """The path of the route of a request, as it was declared; "other" for an unknown address.

    Only routes of FastAPI are noted in the scope; those of pages are found by their endpoint.
    """
    if (route := scope.get("route")) is not None:
        return str(route.path)
    endpoint, app = scope.get("endpoint"), scope.get("app")
    if endpoint is None or app is None:
        return OTHER
    paths = getattr(app.state, "paths", None)
    if paths is None:
        known = (one for one in app.routes if hasattr(one, "endpoint"))
        paths = app.state.paths = {one.endpoint: one.path for one in known}
    return str(paths.get(endpoint, OTHER))


class Buckets:
    """Rate limits: a token bucket in memory for each token or address, full at first."""

    def __init__(self, allowance: Allowance, clock: Callable[[], float] = monotonic) -> None:
        self.allowance, self.clock = allowance, clock
        self.levels: OrderedDict[str, tuple[float, float]] = OrderedDict()  # level, when

    def take(self, key: str, cost: int = 1) -> tuple[int, Pairs]:
        """Take `cost` from a bucket (at most its size), if available.

        Returns the seconds to wait (0: it was taken) and the headers RateLimit-* and Retry-After.
        """
        rate, burst = self.allowance.rate, self.allowance.burst
        now = self.clock()
        level, when = self.levels.pop(key, (float(burst), now))
        level = min(float(burst), level + (now - when) * rate)
        wanted = float(min(cost, burst))
        wait = 0 if level >= wanted else max(1, ceil((wanted - level) / rate))
        if not wait:
            level -= wanted
        self.levels[key] = level, now
        if len(self.levels) > MAX_BUCKETS:
            self.levels.popitem(last=False)
        headers = [
            (b"ratelimit-limit", b"%d" % burst),
            (b"ratelimit-remaining", b"%d" % level),
            (b"ratelimit-reset", b"%d" % ceil((burst - level) / rate)),
        ]
        return wait, [*headers, (b"retry-after", b"%d" % wait)] if wait else headers


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """The network that shares a bucket: an IPv4 address, or the /64 of an IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:  # of a socket for both
            return str(parsed.ipv4_mapped)
        return str(IPv6Address(int(parsed) >> 64 << 64))
    return address


# A name in a path may hold a slash as %2F. ASGI servers decode paths, so `Ada%2Fhistory` would
# become the history of Ada: an encoded slash is replaced by `SLASH` until the name is parsed.

SLASH = "\udc2f"  # a lone surrogate: decoded UTF-8 never contains it


def decode_path(scope: Scope) -> str:
    """The path of a request, decoded, with encoded slashes as `SLASH`."""
    parts = scope["raw_path"].decode("latin-1").split("/")
    return "/".join(unquote(part).replace("/", SLASH) for part in parts)


def join_segment(part: str) -> str:
    """Replace `SLASH` in a path segment by a slash."""
    return part.replace(SLASH, "/")
