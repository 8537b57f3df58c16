"""Webhooks: payloads of events, and a thread that sends them, signed, and retries failures.

Deliveries are queued in the commit of the act itself, so none is lost when the server ends. A
message may arrive twice (the server may end between sending and noting it): it carries its
delivery number. No redirect is followed.
"""

from __future__ import annotations

import hmac
import json
import re
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from queue import SimpleQueue
from threading import Event as Signal, Lock, Thread
from time import monotonic
from typing import Any

from sqlalchemy import Connection, select

from prowess.games.dates import format_moment
from prowess.games.reading import list_some
from prowess.live.errors import StoreError
from prowess.live.journal.journal import Journal
from prowess.live.journal.registry import PlayerRegistry
from prowess.live.journal.unit_of_work import ACT_EVENTS
from prowess.live.result import HELD
from prowess.live.store import webhooks
from prowess.live.store.tables import category, placing, revision, version
from prowess.live.store.visibility import is_public
from prowess.live.store.webhook_addresses import (
    PORTS,
    BadAddress,
    Receiver,
    parse_address,
    resolve_host,
)
from prowess.version import __version__

EXCHANGE_SECONDS = 10.0  # for all of it: connection, request and answer
MOST_HEAD = 65_536  # bytes of the head of an answer
STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3})(?: |$)")
MESSAGE_ENTRIES = 100  # results and players of one message
EVENT_WORDS = {
    "result.recorded": "recorded",
    "correction.applied": "corrected",
    "list.published": "a list was published",
    "season.made": "a season was made",
    "category.changed": "the method was changed",
    "player.changed": "a player was changed",
}


def build_payload(connection: Connection, people: PlayerRegistry, number: int) -> dict[str, Any]:
    """The data of a revision for a message, with present names.

    Results that never counted have their numbers in it, but no names and no reason: a message may
    be read by everybody in a chat.
    """
    chosen = (
        select(revision.c.at, revision.c.kind, revision.c.reason, category.c.key)
        .join_from(revision, category, category.c.id == revision.c.category_id, isouter=True)
        .where(revision.c.id == number)
    )
    row = connection.execute(chosen).one()
    those = (
        select(
            version.c.result_id,
            version.c.a,
            version.c.b,
            version.c.state,
            is_public(version.c.result_id).label("public"),
        )
        .where(version.c.revision == number)
        .order_by(version.c.result_id)
        .limit(MESSAGE_ENTRIES)
    )
    results = connection.execute(those).all()
    seats = (
        select(placing.c.result_id, placing.c.player_id)
        .where(placing.c.revision == number)
        .order_by(placing.c.result_id, placing.c.side, placing.c.player_id)
        .limit(MESSAGE_ENTRIES)
    )
    seated: dict[int, list[int]] = {}
    if any(result.a is None for result in results):
        for result_id, player in connection.execute(seats):
            seated.setdefault(result_id, []).append(player)
    players = [
        player
        for one in results
        if one.public
        for player in (seated.get(one.result_id, ()) if one.a is None else (one.a, one.b))
    ]
    names = dict.fromkeys(people.shown[people.canonical(one)] for one in players)
    return {
        "event": ACT_EVENTS[row.kind],
        "revision": number,
        "at": format_moment(row.at),
        "kind": row.kind,
        "category": row.key,
        "reason": row.reason if not results or any(one.public for one in results) else None,
        "results": [result.result_id for result in results],
        "players": list(names)[:MESSAGE_ENTRIES],
        "waiting": sum(one.state == HELD for one in results),
    }


def format_payload(event: dict[str, Any], shape: str) -> dict[str, Any]:
    """A message in a shape: prowess (all data), discord or slack (a sentence)."""
    if shape == "discord":
        return {"content": format_sentence(event), "allowed_mentions": {"parse": []}}
    if shape == "slack":
        text = format_sentence(event)
        for letter, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
            text = text.replace(letter, safe)
        return {"text": text}
    return event


def format_sentence(event: dict[str, Any]) -> str:
    """One line of text about a revision."""
    count = len(event["results"])
    what = EVENT_WORDS[event["event"]]
    if event.get("waiting"):
        what = "waits for acceptance" if count == 1 else "wait for acceptance"
    if count:
        number = f"{count} results" if count > 1 else f"result {event['results'][0]}"
        number = f"{MESSAGE_ENTRIES} results or more" if count == MESSAGE_ENTRIES else number
        what = f"{number} {what}"
    players = list_some(event["players"], 4)
    place = f"{event['category']}: " if event["category"] else ""
    about = f" ({players})" if players else ""
    why = f": {event['reason']}" if event["reason"] else ""
    return f"{place}{what}{about}{why}, revision {event['revision']}"[:1900]


# -- sending --


MAX_EXCHANGES = 8  # webhooks served at the same time; a slow one keeps only itself waiting
TURN = 10.0  # seconds after which a webhook with many messages lets others go on
CLOSING_SECONDS = 1.0  # that exchanges have to end when the server ends
QUEUE_CHECK_SECONDS = 5.0  # between two looks for messages that are due
SECOND = 1_000_000

Post = Callable[[str, Mapping[str, str], bytes], str | None]


class WebhookSender:
    """Threads that deliver the events of a journal until it is closed."""

    def __init__(self, journal: Journal, post: Post | None = None) -> None:
        """`post` sends headers and a body to a URL; returns what went wrong, or None."""
        self.journal, self.exchanges = journal, Exchanges()
        self.post = post or self.exchanges.post
        self._wake, self._ending = Signal(), Signal()
        self._busy: set[int] = set()
        self._lock = Lock()
        self._rounds: SimpleQueue[tuple[int, list[webhooks.Due]] | None] = SimpleQueue()
        # Daemons: a receiver, or the search for its address, does not keep the program from ending.
        self._threads = [
            Thread(target=self._work, name=f"prowess-webhook-{at}", daemon=True)
            for at in range(MAX_EXCHANGES)
        ]
        self._thread = Thread(target=self._run, name="prowess-webhooks", daemon=True)
        self._stop = journal.listen(lambda event: self._wake.set() if event.deliveries else None)
        for one in (*self._threads, self._thread):
            one.start()

    def close(self) -> None:
        """Stop; messages being sent have a second to end, and are sent again otherwise."""
        self._stop()
        self._ending.set()
        self._wake.set()
        self._thread.join(CLOSING_SECONDS)
        for _ in self._threads:
            self._rounds.put(None)
        for seconds in (CLOSING_SECONDS, CLOSING_SECONDS):
            until = monotonic() + seconds
            for one in self._threads:
                one.join(max(0.0, until - monotonic()))
            self.exchanges.abort()

    def _run(self) -> None:
        while not self._ending.is_set():
            self._wake.clear()
            with self._lock:
                busy = set(self._busy)  # before looking: what they sent meanwhile seems due
            try:
                with self.journal.store.read() as connection:
                    found = webhooks.find_due(connection, self.journal.clock())
                for number, some in groupby(found, attrgetter("webhook")):
                    if number in busy:
                        continue
                    with self._lock:
                        self._busy.add(number)
                    self._rounds.put((number, list(some)))
            except StoreError:
                pass  # the database is away: try again at the next look
            self._wake.wait(QUEUE_CHECK_SECONDS)

    def _work(self) -> None:
        while (one := self._rounds.get()) is not None:
            if not self._ending.is_set():
                self._send_round(*one)

    def _send_round(self, number: int, some: list[webhooks.Due]) -> None:
        """One webhook's messages, in order; after a failure the others wait with it."""
        until = monotonic() + TURN
        try:
            for one in some:
                if self._ending.is_set() or self._deliver(one) is not None or monotonic() > until:
                    return
        except StoreError:
            pass  # it will be due again
        finally:
            with self._lock:
                self._busy.discard(number)
            if not self._ending.is_set():
                self._wake.set()

    def _deliver(self, one: webhooks.Due) -> str | None:
        """Send one message and note the outcome."""
        with self.journal.store.read() as connection:
            event = build_payload(connection, self.journal.registry.people, one.revision)
        body = json.dumps(format_payload(event, one.shape), ensure_ascii=False).encode()
        seconds = self.journal.clock() // SECOND
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"Prowess/{__version__}",
            "Prowess-Event": event["event"],
            "Prowess-Delivery": str(one.id),
            "Prowess-Signature": f"t={seconds},v1={sign_payload(one.secret, seconds, body)}",
        }
        error = self.post(one.url, headers, body)
        self.journal.store.writer.do(
            lambda connection: webhooks.note_attempt(
                connection, one.id, error, self.journal.clock()
            )
        )
        return error


def sign_payload(secret: str, seconds: int, body: bytes) -> str:
    """HMAC-SHA256 of `seconds.body`, hex."""
    return hmac.new(secret.encode(), b"%d." % seconds + body, sha256).hexdigest()


# -- requests to the receivers, each with one deadline for all of it --


class Exchanges:
    """The requests to receivers that are under way, each with a deadline; they can be aborted.

    A receiver may send a byte every few seconds: a limit of the time between two bytes would keep
    a thread with it for ever. The address of the host is checked once more, as it was found.
    """

    def __init__(self, patience: float = EXCHANGE_SECONDS) -> None:
        self.patience = patience
        self._open: set[socket.socket] = set()
        self._lock = Lock()
        self._aborted = False

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> str | None:
        """POST once, following nothing; None for an answer of 200 to 299, else what went wrong."""
        until = monotonic() + self.patience
        try:
            target = parse_address(url)
            line = self._connect(target, until)
            try:
                status = self._exchange(line, target, headers, body, until)
            finally:
                self._close(line)
        except (OSError, ValueError) as error:
            if monotonic() >= until and not isinstance(error, BadAddress):
                return f"no answer within {self.patience:g} s"
            return f"{type(error).__name__}: {error}"[:200]
        return None if 200 <= status < 300 else f"answered {status}"

    def abort(self) -> None:
        """End all exchanges at once."""
        with self._lock:
            self._aborted = True
            for one in self._open:
                with suppress(OSError):  # of the socket itself, also where TLS is spoken
                    socket.socket.shutdown(one, socket.SHUT_RDWR)

    def _connect(self, target: Receiver, until: float) -> socket.socket:
        """Connect to one of the addresses of a host; raises OSError, BadAddress."""
        error: OSError | None = None
        for family, number in resolve_host(target):
            line = socket.socket(family, socket.SOCK_STREAM)
            self._add(line)
            try:
                line.settimeout(time_left(until))
                line.connect((number, target.port))
                if target.scheme != "https":
                    return line
                context = ssl.create_default_context()
                secure = context.wrap_socket(
                    line, server_hostname=target.host, do_handshake_on_connect=False
                )
            except OSError as failed:
                error = failed
                self._close(line)
                continue
            try:
                self._add(secure)
                speak(secure, secure.do_handshake, until)
            except BaseException:
                self._close(secure)
                raise
            finally:
                with self._lock:
                    self._open.discard(line)
            return secure
        raise error or OSError("the host has no address")

    def _exchange(
        self,
        line: socket.socket,
        target: Receiver,
        headers: Mapping[str, str],
        body: bytes,
        until: float,
    ) -> int:
        """Send the request and read the head of the answer; returns its status."""
        host = f"[{target.host}]" if ":" in target.host else target.host
        usual = target.port == PORTS[target.scheme]
        fields = {
            "Host": host if usual else f"{host}:{target.port}",
            "Accept-Encoding": "identity",
            "Connection": "close",
            "Content-Length": str(len(body)),
            **headers,
        }
        lines = [f"POST {target.path} HTTP/1.1", *(f"{k}: {v}" for k, v in fields.items())]
        rest = memoryview("\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body)
        while rest:
            sent = speak(line, partial(line.send, rest), until)
            rest = rest[sent:]
        head = b""
        while True:
            part = speak(line, partial(line.recv, MOST_HEAD), until)
            head += part
            while b"\n" in head:  # of a status below 200 a further head follows
                found = STATUS_LINE.match(head.partition(b"\n")[0].rstrip(b"\r"))
                if found is None:
                    raise ValueError("the answer is not HTTP")
                if int(found[1]) >= 200:
                    return int(found[1])
                end = re.search(rb"\r?\n\r?\n", head)
                if end is None:
                    break
                head = head[end.end() :]
            if not part:
                raise ConnectionResetError("the receiver ended without an answer")
            if len(head) > MOST_HEAD:
                raise ValueError("the head of the answer is too long")

    def _add(self, line: socket.socket) -> None:
        with self._lock:
            self._open.add(line)
            if self._aborted:
                self._open.discard(line)
                line.close()
                raise ConnectionAbortedError("the server ends")

    def _close(self, line: socket.socket) -> None:
        with self._lock:
            self._open.discard(line)
        line.close()


def time_left(until: float) -> float:
    """Seconds until a deadline; raises TimeoutError after it."""
    left = until - monotonic()
    if left <= 0.0:
        raise TimeoutError("no answer in time")
    return left


def speak(line: socket.socket, say: Callable[[], Any], until: float) -> Any:
    """Send to or receive from a socket with the time that is left; returns what `say` does."""
    line.settimeout(time_left(until))
    return say()
