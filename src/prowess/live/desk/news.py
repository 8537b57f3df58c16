"""What outsiders are told of an entry: an event's name, and a message in the shape they read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, select

from prowess.live.desk.people import People
from prowess.live.store.tables import category, placing, revision, version

EVENTS = {  # by kind of entry
    "record": "result.recorded",
    "opening": "result.recorded",
    "correct": "correction.applied",
    "void": "correction.applied",
    "restore": "correction.applied",
    "accept": "correction.applied",
    "reject": "correction.applied",
    "publish": "list.published",
    "new_season": "season.made",
    "new_category": "category.changed",
    "change_method": "category.changed",
    "alias": "player.changed",
    "rename": "player.changed",
    "merge": "player.changed",
    "split": "player.changed",
    "anonymise": "player.changed",
}
MOST = 100  # results and players of one message
WORDS = {
    "result.recorded": "recorded",
    "correction.applied": "corrected",
    "list.published": "a list was published",
    "season.made": "a season was made",
    "category.changed": "the method was changed",
    "player.changed": "a player was changed",
}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def told(connection: Connection, people: People, number: int) -> dict[str, Any]:
    """The news of a revision as data; names are those of now."""
    chosen = (
        select(revision.c.at, revision.c.kind, revision.c.reason, category.c.key)
        .join_from(revision, category, category.c.id == revision.c.category_id, isouter=True)
        .where(revision.c.id == number)
    )
    row = connection.execute(chosen).one()
    those = (
        select(version.c.result_id, version.c.a, version.c.b)
        .where(version.c.revision == number)
        .order_by(version.c.result_id)
        .limit(MOST)
    )
    results = connection.execute(those).all()
    seats = (
        select(placing.c.result_id, placing.c.player_id)
        .where(placing.c.revision == number)
        .order_by(placing.c.result_id, placing.c.side, placing.c.player_id)
        .limit(MOST)
    )
    seated: dict[int, list[int]] = {}
    if any(result.a is None for result in results):
        for result_id, player in connection.execute(seats):
            seated.setdefault(result_id, []).append(player)
    players = [
        player
        for one in results
        for player in (seated.get(one.result_id, ()) if one.a is None else (one.a, one.b))
    ]
    names = dict.fromkeys(people.shown[people.canonical(one)] for one in players)
    return {
        "event": EVENTS[row.kind],
        "revision": number,
        "at": (EPOCH + timedelta(microseconds=row.at)).isoformat(),
        "kind": row.kind,
        "category": row.key,
        "reason": row.reason,
        "results": [result.result_id for result in results],
        "players": list(names)[:MOST],
    }


def shaped(news: dict[str, Any], shape: str) -> dict[str, Any]:
    """A message as the other side reads it: prowess (all data), discord or slack (a sentence)."""
    if shape == "discord":
        return {"content": sentence(news), "allowed_mentions": {"parse": []}}
    if shape == "slack":
        text = sentence(news)
        for letter, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
            text = text.replace(letter, safe)
        return {"text": text}
    return news


def sentence(news: dict[str, Any]) -> str:
    """The news in one line."""
    count = len(news["results"])
    what = WORDS[news["event"]]
    if count:
        number = f"{count} results" if count > 1 else f"result {news['results'][0]}"
        number = f"{MOST} results or more" if count == MOST else number
        what = f"{number} {what}"
    players = ", ".join(news["players"][:4]) + (", ..." if len(news["players"]) > 4 else "")
    place = f"{news['category']}: " if news["category"] else ""
    about = f" ({players})" if players else ""
    why = f": {news['reason']}" if news["reason"] else ""
    return f"{place}{what}{about}{why}, revision {news['revision']}"[:1900]
