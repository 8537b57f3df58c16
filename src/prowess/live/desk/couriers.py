"""Couriers: a thread that sends news to webhooks, signed, and tries again where it fails.

What is to be sent was written with the entry itself, so nothing is forgotten when the server
ends. A message may arrive twice (the server may end between sending and noting it): it carries
its delivery number. No redirect is followed.
"""

from __future__ import annotations

import hmac
import json
import ssl
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from itertools import groupby
from operator import attrgetter
from threading import Event as Signal, Lock, Thread
from urllib.parse import urlsplit

from prowess import __version__
from prowess.live.desk.desk import Desk
from prowess.live.desk.news import shaped, told
from prowess.live.store import webhooks
from prowess.live.store.errors import StoreError

AT_ONCE = 8  # webhooks served at the same time; a slow one keeps only itself waiting
PATIENCE = 10.0  # seconds for an answer
LOOK = 5.0  # seconds after which the next attempt of somebody may be due
SECOND = 1_000_000

Post = Callable[[str, Mapping[str, str], bytes], str | None]


class Couriers:
    """Delivers the news of a desk until it is closed."""

    def __init__(self, desk: Desk, post: Post | None = None) -> None:
        """`post` sends an address some headers and a body and says what went wrong, or None."""
        self.desk, self.post = desk, post or posted
        self._wake, self._ending = Signal(), Signal()
        self._busy: set[int] = set()
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="prowess-courier")
        self._thread = Thread(target=self._run, name="prowess-couriers", daemon=True)
        self._stop = desk.listen(lambda _: self._wake.set())
        self._thread.start()

    def close(self) -> None:
        """Finish what is on its way."""
        self._stop()
        self._ending.set()
        self._wake.set()
        self._thread.join()
        self._pool.shutdown(cancel_futures=True)

    def _run(self) -> None:
        while not self._ending.is_set():
            self._wake.clear()
            with self._lock:
                busy = set(self._busy)  # before looking: what they sent meanwhile seems due
            try:
                with self.desk.store.read() as connection:
                    found = webhooks.due(connection, self.desk.clock())
                for number, some in groupby(found, attrgetter("webhook")):
                    if number in busy:
                        continue
                    with self._lock:
                        self._busy.add(number)
                    self._pool.submit(self._round, number, list(some))
            except StoreError:
                pass  # the database is away: so is everybody who would be told of anything
            self._wake.wait(LOOK)

    def _round(self, number: int, some: list[webhooks.Due]) -> None:
        """One webhook's messages, in order; after a failure the others wait with it."""
        try:
            for one in some:
                if self._ending.is_set() or self._deliver(one) is not None:
                    return
        except StoreError:
            pass  # it will be due again
        finally:
            with self._lock:
                self._busy.discard(number)
            if not self._ending.is_set():
                self._wake.set()

    def _deliver(self, one: webhooks.Due) -> str | None:
        """Send one message and note what came of it."""
        with self.desk.store.read() as connection:
            news = told(connection, self.desk.books.people, one.revision)
        body = json.dumps(shaped(news, one.shape), ensure_ascii=False).encode()
        seconds = self.desk.clock() // SECOND
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"Prowess/{__version__}",
            "Prowess-Event": news["event"],
            "Prowess-Delivery": str(one.id),
            "Prowess-Signature": f"t={seconds},v1={signature(one.secret, seconds, body)}",
        }
        error = self.post(one.url, headers, body)
        self.desk.store.writer.do(
            lambda connection: webhooks.outcome(connection, one.id, error, self.desk.clock())
        )
        return error


def signature(secret: str, seconds: int, body: bytes) -> str:
    """HMAC-SHA256 of `seconds.body`, hex."""
    return hmac.new(secret.encode(), b"%d." % seconds + body, sha256).hexdigest()


def posted(url: str, headers: Mapping[str, str], body: bytes) -> str | None:
    """POST once, following nothing; None for an answer of 200 to 299, else what went wrong."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        connection: HTTPConnection
        if parts.scheme == "https":
            secure = ssl.create_default_context()
            connection = HTTPSConnection(host, parts.port, timeout=PATIENCE, context=secure)
        else:
            connection = HTTPConnection(host, parts.port, timeout=PATIENCE)
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", path, body, dict(headers))
            status = connection.getresponse().status
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as error:
        return f"{type(error).__name__}: {error}"[:200]
    return None if 200 <= status < 300 else f"answered {status}"
