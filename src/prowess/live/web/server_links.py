"""Addresses of the pages of the live server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from urllib.parse import urlencode

from prowess.present.links import Links
from prowess.present.rendering import static_files

ADMIN = "/admin"


class ServerLinks(Links):
    """Links to pages of a category; with key None only to common pages."""

    live = True

    def __init__(
        self,
        key: str | None = None,
        ids: Sequence[int] = (),
        *,
        played: bool = True,
        games: Mapping[int, int] | None = None,
        revision: int | None = None,
    ) -> None:
        """`ids` are the store's numbers of the roster, `games` results by row of the table.

        With `revision` all links are to pages as known at that revision.
        """
        self.revision = revision
        self.key = key
        self.ids = ids
        self.played = played
        self.games_by_row = games or {}

    @property
    def home(self) -> str:
        """The prefix of the pages of the category."""
        return f"/c/{self.key}"

    def static(self, file: str) -> str:
        """See Links; the address changes with the content, so that it can be cached for ever."""
        return f"/static/{file}?v={fingerprints()[file]}"

    def leaderboard(self, *, everyone: bool = False) -> str:
        """See Links."""
        if self.key is None:
            return "/"
        return self.leaderboard_with(include="all" if everyone else None)

    def place(self, k: int, *, listed: bool) -> str:
        """See Links; the server redirects to the right page."""
        return self.leaderboard_with(player=int(self.ids[k]))

    def export(self, form: str, as_of: str = "", *, everyone: bool = False) -> str:
        """See Links."""
        include = "all" if everyone else None
        return self._address(f"{self.home}/leaderboard.{form}", as_of=as_of, include=include)

    def player(self, k: int) -> str | None:
        """See Links."""
        return self.of(int(self.ids[k]))

    def of(self, number: int, *, older: int = 0) -> str:
        """A player by store number, without the `older` newest games."""
        return self._address(f"{self.home}/players/{number}", older=older)

    def games(self, k: int) -> str | None:
        """See Links."""
        return self._address(f"{self.home}/players/{int(self.ids[k])}.csv")

    def pair(self, a: int, b: int) -> str | None:
        """See Links."""
        return self._address(f"{self.home}/pairs/{int(self.ids[a])}/{int(self.ids[b])}")

    def pairings(self) -> str | None:
        """See Links."""
        return self._address(f"{self.home}/pairings") if self.played else None

    def method(self) -> str:
        """See Links."""
        return f"{self.home}/method"

    def lists(self) -> str:
        """The page of published lists and seasons."""
        return f"{self.home}/lists"

    def enter(self) -> str:
        """The score sheet."""
        return f"{self.home}/enter"

    def list(self, key: str) -> str:
        """One published list."""
        return f"{self.home}/lists/{key}"

    def game(self, row: int) -> str | None:
        """See Links."""
        number = self.games_by_row.get(row)
        return None if number is None else self.result(number)

    def result(self, number: int) -> str:
        """The page of a result by number."""
        return f"/results/{number}"

    def leaderboard_with(self, **chosen: str | int | None) -> str:
        """The leaderboard with query parameters; None is left out."""
        return self._address(self.home, **chosen)

    def _address(self, address: str, **chosen: str | int | None) -> str:
        """Build an address with query parameters and the revision."""
        choices = {"revision": self.revision} | chosen
        given = {name: value for name, value in choices.items() if value not in (None, "", 0)}
        return f"{address}?{urlencode(given)}" if given else address


@cache
def fingerprints() -> dict[str, str]:
    """The first 12 digits of the SHA-256 of every static file."""
    return {name: sha256(content).hexdigest()[:12] for name, content in static_files().items()}
