"""The read model: what anonymous readers see, made once for each revision and address.

The answer to the first who asks is kept as bytes, plain and compressed; who asks meanwhile waits
for it. A change of what is shown, a minute, or a limit of memory ends what is kept.
"""

from __future__ import annotations

import gzip
from asyncio import Event, get_running_loop
from typing import TYPE_CHECKING, NamedTuple

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Scope, Send

if TYPE_CHECKING:
    from prowess.live.journal.journal import Journal


KEPT_SECONDS = 60.0  # some pages show the present day
MAX_KEPT_BYTES = 64 << 20  # of all answers
MAX_ANSWER_BYTES = 4 << 20  # longer ones are not kept
MIN_ZIPPED_BYTES = 1_000  # shorter ones are sent as they are
ZIP_LEVEL = 5
PERSONAL = ("authorization", "cookie")  # headers of requests that are answered anew
Address = tuple[object, ...]  # of an answer: revision, path, query, media types, host
Pairs = list[tuple[bytes, bytes]]  # headers


class Variant(NamedTuple):
    """An answer in one encoding."""

    headers: Pairs
    etag: bytes | None
    body: bytes


class KeptAnswer(NamedTuple):
    """A complete answer with status 200."""

    route: str
    plain: Variant
    zipped: Variant | None

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return len(self.plain.body) + (0 if self.zipped is None else len(self.zipped.body))

    async def send(self, request: Headers, send: Send) -> None:
        """Send it, compressed where the client reads that; only its head where the client has it.

        Raises what `send` raises.
        """
        one = self.plain
        if self.zipped is not None and "gzip" in request.get("accept-encoding", ""):
            one = self.zipped
        status, headers, body = 200, list(one.headers), one.body
        if one.etag is not None and one.etag in request.get("if-none-match", "").encode("latin-1"):
            status, body = 304, b""
            headers = [pair for pair in headers if not pair[0].startswith(b"content-")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class AnswerInMaking:
    """An answer that is worked out for one client, while others wait for it."""

    def __init__(self, model: ReadModel, address: Address) -> None:
        self.model, self.address = model, address
        self.ended = Event()
        self.headers: Pairs | None = None

    async def note(self, message: Message, route: str) -> None:
        """Note a part of the answer before it is sent: the others do not wait for its reader.

        Only an answer with status 200 that comes in one piece is kept.
        """
        if self.ended.is_set():
            return
        if message["type"] == "http.response.start":
            headers = Headers(raw=message["headers"])
            own = "set-cookie" in headers or "no-store" in headers.get("cache-control", "")
            if message["status"] == 200 and not own:
                self.headers = list(message["headers"])
                return
        body = message.get("body", b"")
        if self.headers is None or message.get("more_body") or len(body) > MAX_ANSWER_BYTES:
            self.end()
            return
        self.end(await to_thread.run_sync(build_answer, route, self.headers, body))

    def end(self, answer: KeptAnswer | None = None) -> None:
        """Have an answer kept, or without one let the next client make it."""
        if not self.ended.is_set():
            self.ended.set()
            self.model.end(self.address, answer)


def build_answer(route: str, headers: Pairs, body: bytes) -> KeptAnswer:
    """An answer to keep, with its compressed form unless it is short."""
    if len(body) < MIN_ZIPPED_BYTES:
        return KeptAnswer(route, build_variant(headers, body), None)
    zipped = MutableHeaders(raw=list(headers))
    zipped["Content-Encoding"] = "gzip"
    if "etag" in zipped:
        zipped["ETag"] = f'{zipped["etag"][:-1]}-gzip"'
    small = gzip.compress(body, ZIP_LEVEL, mtime=0)
    return KeptAnswer(route, build_variant(headers, body), build_variant(zipped.raw, small))


def build_variant(headers: Pairs, body: bytes) -> Variant:
    """An answer in an encoding."""
    found = MutableHeaders(raw=list(headers))
    found["Content-Length"] = str(len(body))
    found.add_vary_header("Accept-Encoding")
    etag = found.get("etag")
    return Variant(found.raw, None if etag is None else etag.encode("latin-1"), body)


class ReadModel:
    """The answers of a server that are kept or being made; used in its event loop only."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.kept: dict[Address, KeptAnswer] = {}
        self.making: dict[Address, AnswerInMaking] = {}
        self.version: object = None  # of what is kept
        self.size = 0  # bytes

    def address_of(self, scope: Scope, headers: Headers) -> Address | None:
        """The address of an answer for anonymous readers; None for any other."""
        if any(name in headers for name in PERSONAL):
            return None
        version = self.journal.shown
        if version != self.version:
            self.version = version
            self.drop()
        kinds, host = headers.get("accept", ""), headers.get("host", "")
        return version, scope["path"], scope["query_string"], kinds, host

    async def find(self, address: Address) -> KeptAnswer | AnswerInMaking:
        """A kept answer, waited for where it is being made; else the one that is to be made now.

        Whoever gets that one ends it.
        """
        while True:
            if (kept := self.kept.get(address)) is not None:
                return kept
            making = self.making.get(address)
            if making is None:
                self.making[address] = AnswerInMaking(self, address)
                return self.making[address]
            await making.ended.wait()

    def end(self, address: Address, answer: KeptAnswer | None) -> None:
        """Keep an answer that was made; the oldest ones make room for it."""
        del self.making[address]
        if answer is not None and address[0] == self.version:
            self.forget(address, self.kept.get(address))
            self.kept[address] = answer
            self.size += answer.size
            get_running_loop().call_later(KEPT_SECONDS, self.forget, address, answer)
            while self.size > MAX_KEPT_BYTES:
                self.forget(*next(iter(self.kept.items())))

    def forget(self, address: Address, answer: KeptAnswer | None) -> None:
        """Forget an answer, if it is still kept."""
        if answer is not None and self.kept.get(address) is answer:
            del self.kept[address]
            self.size -= answer.size

    def drop(self) -> None:
        """Forget all answers."""
        self.kept.clear()
        self.size = 0
