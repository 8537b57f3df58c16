"""The client: one method for each operation of the API.

Methods return the JSON of the server as dicts; docs/live_client.md shows them.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPResponse
from types import MappingProxyType, TracebackType
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import quote, urlencode

from prowess.live.client.connection import (
    Away,
    ConnectionPool,
    Event,
    Problem,
    build_problem,
    parse_events,
    read_lines,
)

API_ROOT = "/api/v1"
MAX_TOP = 1000  # rows of a list in one answer, the maximum of the server
PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds before a stream of events is resumed
STREAM = MappingProxyType({"Accept": "text/event-stream", "Cache-Control": "no-store"})
NO_PARAMETERS: Mapping[str, str] = MappingProxyType({})

Data = dict[str, Any]


class Client:
    """A thread-safe client of one server, authenticated by a token.

    Every method raises Problem if the server responds with an error, and Away if no response
    arrives. Requests that create something carry an Idempotency-Key (`key` if given): the same
    request with the same key takes effect once, however often it is sent.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0) -> None:
        """`url` has no path except that of a proxy; `timeout` is in seconds."""
        self._connections = ConnectionPool(url, timeout)
        self._headers = {"Accept": "application/json", "User-Agent": "prowess-client"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    # -- results --

    def submit(
        self,
        result: Result,
        *,
        dry_run: bool = False,
        look_alikes: bool = False,
        key: str | None = None,
    ) -> Data:
        """Report a result. It is durable when this returns.

        `look_alikes` accepts a new name that looks like a known one.
        """
        return self._write(
            "POST", "/results", result, key, dry_run=dry_run, look_alikes=look_alikes
        )

    def submit_many(
        self,
        results: Iterable[Result],
        *,
        on_error: Literal["stop", "skip"] = "stop",
        dry_run: bool = False,
        look_alikes: bool = False,
        key: str | None = None,
    ) -> Data:
        """Report results in order: all or none, or (`skip`) all that are valid."""
        lines = "\n".join(json.dumps(one) for one in results).encode()
        skip = on_error if on_error != "stop" else None
        return self._write(
            "POST", "/results:batch", lines, key,
            on_error=skip, dry_run=dry_run, look_alikes=look_alikes,
        )  # fmt: skip

    def result(self, number: int) -> Data:
        """A result with all its versions."""
        return self._read(f"/results/{number}")

    def correct(
        self,
        number: int,
        result: Result,
        reason: str | None = None,
        *,
        if_revision: int | None = None,
    ) -> Data:
        """Replace a result: fields that are left out are reset, except the time.

        With `if_revision` only if that is still its current version.
        """
        body = {**result, "reason": reason}
        return self._write("PUT", f"/results/{number}", body, None, if_revision)

    def void(
        self, number: int, reason: str | None = None, *, if_revision: int | None = None
    ) -> Data:
        """Void a result: it no longer counts and stays in the log."""
        return self._write("DELETE", f"/results/{number}", None, None, if_revision, reason=reason)

    def restore(self, number: int, reason: str | None = None, *, key: str | None = None) -> Data:
        """Restore a void result: it counts again."""
        return self._write("POST", f"/results/{number}:restore", {"reason": reason}, key)

    def preview(self, number: int, result: Result | None = None) -> Data:
        """Preview a correction, or without `result` a void: the ratings that would change."""
        method = "DELETE" if result is None else "PUT"
        return self._write(method, f"/results/{number}", result, None, preview=True)

    def add_players(
        self,
        category: str,
        names: Iterable[str],
        reason: str | None = None,
        *,
        look_alikes: bool = False,
        key: str | None = None,
    ) -> Data:
        """Add players to a category, also before their first game; unknown names are new players.

        Those who are there already are left as they are; Problem `nothing_changes` if all are.
        """
        body = {"names": list(names), "reason": reason}
        path = f"/categories/{_segment(category)}/players"
        return self._write("POST", path, body, key, look_alikes=look_alikes)

    def add_games(
        self,
        category: str,
        games: Iterable[Mapping[str, object]],
        *,
        once: bool = False,
        look_alikes: bool = False,
        key: str | None = None,
    ) -> Data:
        """Add games to come to a category: `player_a`, `player_b`, `time` and perhaps `side` each.

        Those that are there already are left as they are; Problem `nothing_changes` if all are.
        With `once`, as for all games of a table, those that were settled or struck do not come
        again, and one that is planned for another time is moved, but for one that stands in the
        table still, also on a day before today.
        """
        path = f"/categories/{_segment(category)}/fixtures"
        body = {"games": list(games), "once": once}
        return self._write("POST", path, body, key, look_alikes=look_alikes)

    # -- ratings --

    def leaderboard(
        self,
        category: str,
        *,
        top: int | None = None,
        as_of: str | None = None,
        revision: int | None = None,
        everyone: bool = False,
    ) -> list[Data]:
        """Rows of a leaderboard, best first: all, or the first `top`.

        `everyone` also lists and ranks provisional and inactive players. `as_of` excludes later
        games, `revision` excludes later entries.
        """
        path = f"/categories/{_segment(category)}/leaderboard"
        include = "all" if everyone else None
        return list(self._pages(path, top, as_of=as_of, revision=revision, include=include))

    def revision(self) -> int:
        """The current revision."""
        number: int = self._read("/categories")["revision"]
        return number

    def player(self, category: str, name: str) -> Data:
        """A player: rating, rank, peak and record."""
        return self._read(f"/categories/{_segment(category)}/players/{_segment(name)}")

    def history(self, category: str, name: str, *, last: int | None = None) -> list[Data]:
        """A player's results and the rating change of each, newest first: all, or the `last`."""
        path = f"/categories/{_segment(category)}/players/{_segment(name)}/history"
        return list(self._pages(path, last))

    def forecast(
        self, category: str, a: str | Sequence[str], b: str | Sequence[str], *, side: float = 0.0
    ) -> Data:
        """Forecast a game between two players, or two teams as lists of names.

        `side` is 1 where `a` has the advantage.
        """
        return self._read(f"/categories/{_segment(category)}/forecast", a=a, b=b, side=side or None)

    def next_games(
        self,
        category: str,
        *,
        goal: Literal["coverage", "ranking", "balance"] = "ranking",
        budget: int = 10,
        player: str | None = None,
    ) -> list[Data]:
        """The most informative games to play next, best first, each with a reason."""
        path = f"/categories/{_segment(category)}/next"
        return list(self._read(path, goal=goal, budget=budget, player=player)["items"])

    # -- streams --

    def events(self, after: int | None = None) -> Generator[Event, None, None]:
        """Yield events after a revision (None: from now on) until the generator is closed.

        A broken connection is resumed after the last event. Raises Problem for an error that
        waiting cannot cure, and Away if the server cannot be reached at the start.
        """
        now: int = self._read("/revisions", limit=1)["revision"]
        return self._stream(now if after is None else after)

    def export(
        self,
        category: str | None = None,
        *,
        as_of: str | None = None,
        revision: int | None = None,
    ) -> Iterator[Data]:
        """Yield all results that count in a category, in order of play: by time, then number.

        Without a category, the categories follow one another. `as_of` excludes later games,
        `revision` excludes later entries.
        """
        query = {"category": category, "format": "ndjson", "as_of": as_of, "revision": revision}
        with self._open("GET", _address("/export", query)) as answer:
            for line in read_lines(answer):
                yield json.loads(line)

    def close(self) -> None:
        """Close the connections; they reopen when needed."""
        self._connections.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- requests --

    def _read(self, path: str, **query: object) -> Data:
        return self._load("GET", _address(path, query))

    def _load(
        self,
        method: str,
        address: str,
        headers: Mapping[str, str] = NO_PARAMETERS,
        body: bytes | None = None,
    ) -> Data:
        with self._open(method, address, headers, body) as answer:
            data: Data = json.load(answer)
            return data

    def _stream(self, after: int) -> Generator[Event, None, None]:
        pause = PAUSE
        while True:
            try:
                headers = {**STREAM, "Last-Event-ID": str(after)}
                with self._open("GET", _address("/events"), headers) as answer:
                    for event in parse_events(read_lines(answer)):
                        pause = PAUSE
                        after = event.revision
                        yield event
            except Away:
                pass
            except Problem as error:
                if error.status < 500 and error.status != 429:
                    raise
            time.sleep(pause)
            pause = min(2.0 * pause, LONGEST_PAUSE)

    def _write(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | bytes | None,
        key: str | None,
        if_revision: int | None = None,
        **query: object,
    ) -> Data:
        headers = {"Idempotency-Key": key or uuid.uuid4().hex}
        if if_revision is not None:
            headers["If-Match"] = f'"v{if_revision}"'
        if isinstance(body, bytes):
            headers["Content-Type"] = "application/x-ndjson"
        elif body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        return self._load(method, _address(path, query), headers, body)

    def _pages(self, path: str, top: int | None, **query: object) -> Iterator[Data]:
        """Yield the rows of all pages of a listing, or the first `top`."""
        left = top
        address = _address(path, {**query, "limit": MAX_TOP if top is None else min(top, MAX_TOP)})
        while left is None or left > 0:
            page = self._load("GET", address)
            yield from page["items"][:left]
            left = None if left is None else left - len(page["items"])
            if page["next"] is None:
                return
            address = page["next"].removeprefix(self._connections.path)

    @contextmanager
    def _open(
        self,
        method: str,
        address: str,
        headers: Mapping[str, str] = NO_PARAMETERS,
        body: bytes | None = None,
    ) -> Iterator[HTTPResponse]:
        """Send a request and yield its successful response; raises Problem, Away."""
        everything = {**self._headers, **headers}
        with self._connections.open(method, address, everything, body) as answer:
            if answer.status >= 300:
                raise build_problem(answer.status, answer.headers, answer.read())
            yield answer


def _address(path: str, query: Mapping[str, object] = NO_PARAMETERS) -> str:
    """Build a path of the API; query values of None or False are left out."""
    given = {
        name: "1" if value is True else value
        for name, value in query.items()
        if value is not None and value is not False
    }
    return f"{API_ROOT}{path}?{urlencode(given, doseq=True)}" if given else API_ROOT + path


def _segment(text: str) -> str:
    """Escape a name as one segment of a path."""
    return quote(text, safe="")


# The fields of a result.


class Placing(TypedDict):
    """One player's row of a contest; place 1 is best, equal places are ties."""

    player: str
    place: float
    points: NotRequired[float]


class Member(TypedDict):
    """A player of a side and the share of the result they played: 0.5 for half."""

    player: str
    share: NotRequired[float]


class Side(TypedDict):
    """A side of one or several players: of a game with a score or points, of a contest a place."""

    players: Sequence[str | Member]
    score: NotRequired[float]
    place: NotRequired[float]
    points: NotRequired[float]


class Result(TypedDict, total=False):
    """A game (player_a, player_b, score), a contest (placings), or either by `sides`.

    `score` is that of player_a in [0, 1], `time` is ISO 8601 with its zone, `side` is 1 where
    the first side has the side advantage. `facts` are numbers and categories by name.
    `external_id` is the reporter's own number: with the source it identifies the
    result, so a result that is sent twice counts once.
    """

    category: str
    player_a: str
    player_b: str
    score: float
    placings: list[Placing]
    sides: list[Side]
    time: str
    side: float
    weight: float
    margin: float
    length: float
    points_a: float
    points_b: float
    round: str
    source: str
    external_id: str
    facts: dict[str, float | str]
