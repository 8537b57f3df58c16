"""The upload protocol of RoboRumble clients; docs/live_rumble.md describes it.

Source    The client of Robocode (robocode.roborumble: ResultsUpload, BotsDownload) and the server
          LiteRumble (UploadedResults, RatingsFile, RemoveOldParticipant), as published.
Differs   The answer holds `OK` only if the battle is durable: a client deletes a battle when the
          answer holds `OK`, and keeps it otherwise.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from math import isfinite
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse

from prowess.live.api.calls import READ, check_scope
from prowess.live.api.encoding import format_time
from prowess.live.api.middleware import ServerSettings
from prowess.live.errors import NotFound, Refused
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.registry import Category
from prowess.live.journal.submission import Submission
from prowess.live.journal.unit_of_work import ALREADY
from prowess.live.result import DAY_US, GAMES
from prowess.live.store.access import TOKEN_PREFIX, Actor
from prowess.live.store.tables import read_setting, write_setting
from prowess.study.pairings import next_battles

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


BOT = re.compile(r"[\w.]+ [\w.-]+", re.ASCII)  # package, class and version, as the client asks
MAX_BATTLE_POINTS = 1e9
NOBODY = "Put_Your_Name_Here"  # the USER of a client that is not set up
REPLACEMENTS = {
    "OK": "Ok",
    "<": "(",
    ">": ")",
    "[": "(",
    "]": ")",
}  # replacements of what clients search for


class RumbleUpload(NamedTuple):
    """One pairing of one battle, as uploaded by a client."""

    game: str
    user: str
    time: int  # milliseconds since 1970
    first: str
    second: str
    first_points: float
    second_points: float

    @property
    def share(self) -> float:
        """The share of the points of the first bot; 1/2 if there are no points."""
        total = self.first_points + self.second_points
        return self.first_points / total if total else 0.5

    @property
    def number(self) -> str:
        """A number that identifies the battle: by game, time and bots."""
        form = "\n".join((self.game, str(self.time), self.first, self.second))
        return f"{self.time}-{sha256(form.encode()).hexdigest()[:32]}"

    def submission(self, keeps_points: bool) -> Submission:
        """Convert to a submission of the journal."""
        return Submission(
            category=self.game,
            player_a=self.first,
            player_b=self.second,
            score=self.share,
            points_a=self.first_points if keeps_points else None,
            points_b=self.second_points if keeps_points else None,
            time=1000 * self.time,
            external_id=self.number,
        )


def add_rumble_routes(app: FastAPI, journal: Journal, settings: ServerSettings) -> None:
    """Add the routes under /rumble."""
    rumble = Rumble(journal, settings)

    def add_upload(path: str, work: Callable[[Mapping[str, str], Actor | None], str]) -> None:
        async def answer(request: Request) -> PlainTextResponse:
            body, actor = await request.body(), request.state.actor
            return PlainTextResponse(await run_in_threadpool(rumble.answer, work, body, actor))

        app.add_api_route(f"/rumble/{path}", answer, methods=["POST"], include_in_schema=False)

    def ratings_file(request: Request) -> PlainTextResponse:
        check_scope(request, READ)
        text = rumble.ratings_file(parse_form(request.url.query.encode()))
        # Bots retire without a revision, so that no answer is kept for others.
        return PlainTextResponse(text, headers={"Cache-Control": "no-store"})

    add_upload("UploadedResults", rumble.upload)
    add_upload("RemoveOldParticipant", rumble.retire)
    app.add_api_route("/rumble/RatingsFile", ratings_file, include_in_schema=False)


class Rumble:
    """The requests of RoboRumble clients; a game is the category with that key."""

    def __init__(self, journal: Journal, settings: ServerSettings) -> None:
        self.journal, self.settings = journal, settings
        self.fields: dict[str, RumbleField] = {}  # by game

    def answer(
        self,
        work: Callable[[Mapping[str, str], Actor | None], str],
        body: bytes,
        actor: Actor | None,
    ) -> str:
        """Run `upload` or `retire` with the form of a body; returns the answer for the client."""
        try:
            form = parse_form(body)
            _check_version(form)
            return work(form, actor)
        except Refused as error:
            return format_refusal(error)

    def upload(self, form: Mapping[str, str], actor: Actor | None) -> str:
        """Record a battle; raises Refused."""
        one = parse_battle(form)
        field = self.field(one.game)
        who = self.uploader(one.user, actor)
        entry = RecordResults((one.submission("points" in field.category.extra),))
        committed = self.journal.commit(entry, who)
        status = committed.results[0].status
        how = "known already" if status == ALREADY else status
        lines = [f"OK. {one.first} vs {one.second} {how} at revision {committed.revision}"]
        field.reinstate(one.first, one.second)
        lines += field.counts_and_wanted(one.first, one.second)
        if one.user == NOBODY:
            lines.append("Please set USER in the settings of this client to your name.")
        return "\n".join(lines) + "\n"

    def retire(self, form: Mapping[str, str], actor: Actor | None) -> str:
        """Retire a bot from the ratings file and from wanted battles; raises Refused."""
        if not self.settings.open_uploads and (actor is None or not actor.may("submit")):
            raise Refused.of("no_token.retiring")
        field = self.field(_required_field(form, "game"))
        name = field.retire(_required_field(form, "name"))
        return f"OK. {name} retired from {field.key}\n"

    def ratings_file(self, form: Mapping[str, str]) -> str:
        """Lines `name_version=rating,battles,last battle` of all bots that are not retired."""
        _check_version(form)
        field = self.field(_required_field(form, "game"))
        ratings = field.ratings()
        return "" if ratings is None else "".join(_format_rows(ratings, field))

    def field(self, game: str) -> RumbleField:
        """The bots of a game; raises Refused."""
        category = self.journal.category(game)
        if category.kind != GAMES:
            raise Refused.of("not_a_game.battles", game=game, field="game")
        if game not in self.fields:
            self.fields[game] = RumbleField(self.journal, game)
        return self.fields[game]

    def uploader(self, user: str, actor: Actor | None) -> Actor:
        """The actor of an upload: by token (header or USER), or by name if uploads are open."""
        if actor is None and user.startswith(TOKEN_PREFIX):
            actors = self.journal.store.actors
            actor = actors.recall(user) or actors.find(user, self.journal.clock())
            if actor is None:
                raise Refused.of("bad_token.user")
        if actor is not None:
            if not actor.may("submit"):
                raise Refused.of("scope_missing.submit")
            return actor
        if not self.settings.open_uploads:
            raise Refused.of("no_token.user", field="user")
        if not user.strip():
            raise Refused.of("empty.user", field="user")
        source = f"rumble:{user}"
        return Actor(None, source, frozenset({"submit"}), source, review=False)


def parse_battle(form: Mapping[str, str]) -> RumbleUpload:
    """Parse a battle from a form; raises Refused."""
    first, second = _parse_bot(form, "fname"), _parse_bot(form, "sname")
    time = _required_field(form, "time")
    if not (time.isascii() and time.isdigit() and len(time) <= 15):
        raise Refused.of("bad_time.milliseconds", field="time")
    points = _parse_points(form, "fscore"), _parse_points(form, "sscore")
    return RumbleUpload(
        _required_field(form, "game"),
        _required_field(form, "user"),
        int(time),
        first,
        second,
        *points,
    )


def parse_form(body: bytes) -> dict[str, str]:
    """Parse a form, URL-encoded or (as clients send it) plain; raises Refused."""
    try:
        text = body.decode("utf-8").strip()
        return dict(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=100))
    except ValueError as error:
        raise Refused.of("not_a_form", error=error) from None


def format_refusal(error: Refused) -> str:
    """Format a refusal as a line without anything that clients take for success."""
    line = f"ERROR. {error}"
    for word, other in REPLACEMENTS.items():
        line = line.replace(word, other)
    return " ".join(line.split()) + "\n"


def _check_version(form: Mapping[str, str]) -> None:
    if form.get("version") != "1":
        raise Refused.of("bad_version", field="version")


def _required_field(form: Mapping[str, str], name: str) -> str:
    try:
        return form[name]
    except KeyError:
        raise Refused.of("missing.form", field=name) from None


def _parse_bot(form: Mapping[str, str], name: str) -> str:
    bot = _required_field(form, name)
    if not BOT.fullmatch(bot):
        raise Refused.of("bad_bot", bot=bot, field=name)
    return bot


def _parse_points(form: Mapping[str, str], name: str) -> float:
    text = _required_field(form, name)
    try:
        points = float(text)
    except ValueError:
        points = float("nan")
    if not (isfinite(points) and 0.0 <= points <= MAX_BATTLE_POINTS):
        raise Refused.of("bad_points", field=name)
    return points


def _format_rows(ratings: Ratings, field: RumbleField) -> Iterator[str]:
    values = ratings.column(next(iter(ratings.columns))).astype(float).tolist()
    fought = ratings.game_counts.tolist()
    last = [None] * len(fought) if ratings.last is None else ratings.last.tolist()
    for name, value, battles, day in zip(ratings.players, values, fought, last, strict=True):
        if BOT.fullmatch(name) and not field.is_retired(name):
            when = "" if day is None else format_time(round(day * DAY_US))
            yield f"{name.replace(' ', '_')}={value!r},{battles:g},{when}\n"


# The bots of one game: battle counts, retirement, and wanted battles.


MAX_BATTLES = 100  # found by one search
REST = 10.0  # seconds between two searches at least


class RumbleField:
    """One category as RoboRumble clients see it."""

    def __init__(self, journal: Journal, key: str) -> None:
        self.journal, self.key = journal, key
        self.setting = f"rumble.retired.{key}"
        self._lock = Lock()
        self._wanted: deque[tuple[str, str]] = deque()
        self._searched = -REST
        with journal.store.read() as connection:
            noted = read_setting(connection, self.setting)
        self._retired: set[int] = set(json.loads(noted or "[]"))

    @property
    def category(self) -> Category:
        """The category with its current method."""
        return self.journal.category(self.key)

    def ratings(self) -> Ratings | None:
        """The current ratings; None before the first battle."""
        return self.journal.ratings(self.key)

    def counts_and_wanted(self, first: str, second: str) -> list[str]:
        """The answer lines with the battle counts of two bots and a wanted battle."""
        ratings = self.ratings()
        if ratings is None:
            return []
        fought = dict(zip(ratings.players, ratings.game_counts.tolist(), strict=True))
        lines = []
        names = [self._display_name(name) for name in (first, second)]
        if all(name in fought for name in names):
            lines.append("<" + " ".join(f"{fought[name]:g}" for name in names) + ">")
        pair = self._next(ratings)
        if pair is not None:
            lines.append("[" + ",".join(name.replace(" ", "_") for name in pair) + "]")
        return lines

    # -- retirement --

    def is_retired(self, name: str) -> bool:
        """Whether a bot is retired."""
        return self.journal.registry.people.number_of(name) in self._retired

    def retire(self, written: str) -> str:
        """Retire a bot, named with underscores for spaces; raises NotFound."""
        ratings = self.ratings()
        players = () if ratings is None else ratings.players
        for name in _readings(written):
            if name in players:
                self._note(self._retired | {self.journal.registry.people.names[name]})
                return name
        raise NotFound.of("no_such_player.here", name=written, key=self.key, field="name")

    def reinstate(self, *names: str) -> None:
        """End the retirement of bots that fight again."""
        numbers = {self.journal.registry.people.number_of(name) for name in names}
        if numbers & self._retired:
            self._note(self._retired - numbers)

    def _note(self, retired: set[int]) -> None:
        """Store the retired bots; durable when this returns."""
        text = json.dumps(sorted(retired))
        self.journal.store.writer.do(lambda c: write_setting(c, self.setting, text))
        self._retired = retired

    def _display_name(self, name: str) -> str:
        number = self.journal.registry.people.number_of(name)
        return name if number is None else self.journal.name(number)

    # -- wanted battles --

    def _next(self, ratings: Ratings) -> tuple[str, str] | None:
        """The next wanted battle, a different one at every call."""
        with self._lock:
            if not self._wanted and monotonic() - self._searched >= REST:
                pairs = ((one.player, one.opponent) for one in next_battles(ratings, MAX_BATTLES))
                self._wanted.extend(pair for pair in pairs if all(map(self._playable, pair)))
                self._searched = monotonic()
            return self._wanted.popleft() if self._wanted else None

    def _playable(self, name: str) -> bool:
        """Clients cut a name at its last underscore, so a version can hold none."""
        _, space, version = name.partition(" ")
        return bool(space) and "_" not in version and not self.is_retired(name)


def _readings(written: str) -> list[str]:
    """Every name that is written like this with underscores for spaces."""
    cuts = [k for k, letter in enumerate(written) if letter == "_"]
    return [written, *(written[:k] + " " + written[k + 1 :] for k in cuts)]
