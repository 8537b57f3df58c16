"""The read model: what anonymous readers see, made once for each revision and address.

Only what everybody may see who shows no token and no cookie but the choice of light or dark is
kept; where an answer depends on more than that and the address, it says `Cache-Control: no-store`.
The answer to the first who asks is kept as bytes, plain and compressed; who asks meanwhile waits
for it. A change of what is shown, a minute, or a limit of memory ends what is kept.
"""

from __future__ import annotations

import gzip
from asyncio import Event, TimerHandle, get_running_loop
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import NamedTuple

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Scope, Send

from prowess.live.api.encoding import accept_quality, has_tag

KEPT_SECONDS = 60.0  # some pages show the present day
MAX_KEPT_BYTES = 64 << 20  # of all answers
MAX_ANSWER_BYTES = 4 << 20  # longer ones are not kept
MIN_ZIPPED_BYTES = 1_000  # shorter ones are sent as they are
ZIP_LEVEL = 5
ENTRY_BYTES = 4_000  # of headers and the address of an answer, about
MAX_ADDRESS_LETTERS = 2_000  # of path, query, media types and host; longer ones are not kept
THEME_COOKIE, THEMES = "prowess_theme", ("light", "dark")
SHARED_COOKIES = ("", *(f"{THEME_COOKIE}={theme}" for theme in THEMES))  # others are personal
Address = tuple[object, ...]  # of an answer: revision, path, query, media types, host, cookies
Pairs = list[tuple[bytes, bytes]]  # headers


class Variant(NamedTuple):
    """An answer in one encoding."""

    headers: Pairs
    etag: str  # in its quotes; "" without
    body: bytes


class KeptAnswer(NamedTuple):
    """A complete answer with status 200: as it is, and compressed unless it is short."""

    route: str
    variants: tuple[Variant, ...]
    size: int  # bytes
    until: float

    async def send(self, request: Headers, send: Send) -> None:
        """Send it, compressed where the client reads that; only its head where the client has it.

        Raises what `send` raises.
        """
        zipped = accept_quality(request.get("accept-encoding", ""), "gzip") > 0.0
        one = self.variants[-1 if zipped else 0]
        status, body = 200, one.body
        given = request.get("if-none-match", "")
        for other in self.variants:
            if other.etag and has_tag(given, other.etag):
                one, status, body = other, 304, b""
        headers = list(one.headers)
        if status == 304:
            headers = [pair for pair in headers if not pair[0].startswith(b"content-")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@dataclass(eq=False)
class AnswerInMaking:
    """An answer that is worked out for one client, while others wait for it."""

    model: ReadModel
    address: Address
    ended: Event = field(default_factory=Event)
    headers: Pairs | None = None
    answer: KeptAnswer | None = None  # once it has ended; None: only its client gets one

    async def note(self, message: Message, route: str) -> None:
        """Note a part of the answer before it is sent: the others do not wait for its reader.

        Only an answer with status 200 that comes in one piece is kept.
        """
        if message["type"] == "http.response.start":
            headers = Headers(raw=message["headers"])
            own = "set-cookie" in headers or "no-store" in headers.get("cache-control", "")
            if message["status"] == 200 and not own:
                self.headers = list(message["headers"])
                return
            self.headers = None
        body = message.get("body", b"")
        answer = None
        if self.headers is not None and not message.get("more_body"):
            answer = await to_thread.run_sync(build_answer, route, self.headers, body)
        self.model.end(self, answer)


def build_answer(route: str, headers: Pairs, body: bytes) -> KeptAnswer | None:
    """An answer to keep, with its compressed form unless it is short; None where it is too long."""
    if len(body) > MAX_ANSWER_BYTES:
        return None
    variants, size = [], ENTRY_BYTES
    for encoding in ("",) if len(body) < MIN_ZIPPED_BYTES else ("", "gzip"):
        found = MutableHeaders(raw=list(headers))
        if encoding:
            body = gzip.compress(body, ZIP_LEVEL, mtime=0)
            found["Content-Encoding"] = encoding
            if "etag" in found:
                found["ETag"] = f'{found["etag"][:-1]}-{encoding}"'
        found["Content-Length"] = str(len(body))
        found.add_vary_header("Accept-Encoding")
        variants.append(Variant(found.raw, found.get("etag", ""), body))
        size += len(body)
    return KeptAnswer(route, tuple(variants), size, monotonic() + KEPT_SECONDS)


class ReadModel:
    """The answers of a server that are kept or being made; used in its event loop only."""

    def __init__(self, find_version: Callable[[], object]) -> None:
        """`find_version` gives a mark that changes with whatever readers see."""
        self.find_version = find_version
        self.kept: dict[Address, KeptAnswer] = {}  # the first kept first
        self.making: dict[Address, AnswerInMaking] = {}
        self.version: object = None  # of what is kept
        self.size = 0  # bytes
        self.timer: TimerHandle | None = None

    async def find(self, scope: Scope, headers: Headers) -> KeptAnswer | AnswerInMaking | None:
        """A kept answer, waited for where it is being made; else the one that is to be made now,
        which the caller ends. None where no answer may be kept.
        """
        cookies = "; ".join(headers.getlist("cookie"))
        if scope["method"] != "GET" or "authorization" in headers or cookies not in SHARED_COOKIES:
            return None
        path, query = scope["path"], scope["query_string"]
        kinds, host = headers.get("accept", ""), headers.get("host", "")
        if len(path) + len(query) + len(kinds) + len(host) > MAX_ADDRESS_LETTERS:
            return None
        version = self.find_version()
        if version != self.version:
            self.version = version
            self.forget(inf)
        address = version, path, query, kinds, host, cookies
        if (kept := self.kept.get(address)) is not None and monotonic() < kept.until:
            return kept
        if (making := self.making.get(address)) is None:
            making = self.making[address] = AnswerInMaking(self, address)
            return making
        await making.ended.wait()
        return making.answer

    def end(self, making: AnswerInMaking, answer: KeptAnswer | None = None) -> None:
        """Give an answer to those who wait for it, and keep it; the oldest make room for it.

        Without one, each works out their own.
        """
        if making.ended.is_set():
            return
        making.answer = answer
        making.ended.set()
        address = making.address
        del self.making[address]
        if answer is None or address[0] != self.version:
            return
        if (old := self.kept.pop(address, None)) is not None:
            self.size -= old.size
        self.kept[address] = answer
        self.size += answer.size
        while self.size > MAX_KEPT_BYTES:
            self.size -= self.kept.pop(next(iter(self.kept))).size
        if self.timer is None:
            self.timer = get_running_loop().call_later(KEPT_SECONDS, self.sweep)

    def sweep(self) -> None:
        """Forget what was kept for long enough, and again while something is kept."""
        self.forget(monotonic())
        again = self.kept and get_running_loop().call_later(KEPT_SECONDS, self.sweep)
        self.timer = again or None

    def forget(self, now: float) -> None:
        """Forget the answers that are kept until a moment."""
        while self.kept and next(iter(self.kept.values())).until <= now:
            self.size -= self.kept.pop(next(iter(self.kept))).size
