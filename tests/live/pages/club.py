"""A made-up club whose members have names that break careless pages."""

from __future__ import annotations

from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any

from sqlalchemy import update

from prowess.live.api.application import build_application
from prowess.live.api.middleware import ServerSettings
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from prowess.live.result import DAY_US
from prowess.live.store import access, tables
from prowess.live.store.access import Actor
from prowess.live.web.routes import add_page_routes

HOSTILE = (
    '<script>alert("x")</script>',
    "' onmouseover='alert(1)",
    "x" * 200,
    "شطرنج",  # written from right to left
    "\u202eneb",  # turns the direction of what follows; only old stores hold such a name
    "🏆 winner & loser",
    "..%2F..%2Fetc",
    "{{ 7 * 7 }}",
)
NAMES = ("Ada", "Ben", "Cleo", "Dan", *HOSTILE)


TAKEN = tuple(name.lstrip("\u202e") for name in NAMES)  # as a store takes them today


def write_name(journal: Journal, name: str, old: str) -> None:
    """Put a name into the store, as it stands there from the time when all letters were taken."""

    def job(connection: Any) -> None:
        for table in (tables.player, tables.name):
            connection.execute(update(table).where(table.c.name == name).values(name=old))

    journal.store.writer.do(job)


def games(names=NAMES):
    """(player_a, player_b, score, day) of sixty games: everybody meets, every tenth is drawn."""
    rows = []
    for k in range(60):
        a, b = names[k % len(names)], names[(k * 5 + 1 + k // len(names)) % len(names)]
        if a != b:
            rows.append((a, b, 0.5 if k % 10 == 0 else float(k % 3 > 0), 19_000 + k))
    return rows


def submissions(rows, category="club"):
    """Games as they are reported."""
    return tuple(
        Submission(category=category, player_a=a, player_b=b, score=score, time=day * DAY_US)
        for a, b, score, day in rows
    )


@contextmanager
def club(url: str, settings: ServerSettings | None = None, **method: Any):
    """(application, journal) of a store that holds the games of the club."""
    journal = Journal.open(url)
    chosen = settings or ServerSettings()
    me = Actor.console()
    given = {"system": "glicko", "provisional_games": 2, "inactive_days": 10_000} | method
    journal.commit(NewCategory(key="club", name="The <i>club</i>", **given), me)
    journal.commit(RecordResults(submissions(games(TAKEN))), me)
    for name, old in zip(TAKEN, NAMES, strict=True):
        write_name(journal, name, old)
    journal.close()
    journal = Journal.open(url)
    app = build_application(journal, chosen)
    end = add_page_routes(app, journal, chosen)
    try:
        yield app, journal
    finally:
        end()
        journal.close()


def secret(journal: Journal, *scopes: str, **more: Any) -> str:
    """A new token."""
    found: str = journal.store.writer.do(
        lambda connection: access.make_token(
            connection, "keeper", scopes, now=journal.clock(), **more
        )
    )[0]
    return found


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the links among them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """See HTMLParser."""
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def of(self, tag: str) -> list[dict[str, str]]:
        """The attributes of all elements of a kind."""
        return [attributes for name, attributes in self.found if name == tag]

    def links(self) -> list[str]:
        """Everything that the page leads to or loads."""
        names = ("href", "src", "action", "formaction")
        return [attributes[n] for _, attributes in self.found for n in names if n in attributes]

    def field(self, name: str) -> str:
        """The value of the first field of a form that is called so."""
        return next(one["value"] for one in self.of("input") if one.get("name") == name)


def unsafe(text: str) -> list[str]:
    """Scripts and styles within a page, and attributes that are scripts: there must be none."""
    page = Elements(text)
    found = [f"<{tag}>" for tag, one in page.found if tag == "script" and "src" not in one]
    found += [f"<{tag}>" for tag, _ in page.found if tag in ("style", "iframe", "object", "i")]
    found += [
        f"{tag} {name}"
        for tag, one in page.found
        for name in one
        if name == "style" or name.startswith("on")
    ]
    return found + [link for link in page.links() if link.strip().lower().startswith("javascript:")]
