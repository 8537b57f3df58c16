"""Addresses of pages: the same methods for pages of a server and for files of a folder.

A method gives None where there is no such page; the template then shows words without a link.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Collection

LONGEST = 40  # letters of a name in the name of a file


class Links(ABC):
    """Addresses of the pages of one ladder; players are numbers of the roster."""

    live = False  # whether a server answers, so that there are forms

    @abstractmethod
    def static(self, file: str) -> str:
        """A style sheet or script."""

    @abstractmethod
    def leaderboard(self, *, everyone: bool = False) -> str:
        """The leaderboard: of those listed, or of everyone."""

    @abstractmethod
    def place(self, k: int, *, listed: bool) -> str:
        """A player's place on the leaderboard."""

    @abstractmethod
    def export(self, form: str, *, everyone: bool = False) -> str:
        """The leaderboard, of those listed or of everyone, as csv or json."""

    @abstractmethod
    def player(self, k: int) -> str | None:
        """A player's page."""

    @abstractmethod
    def games(self, k: int) -> str | None:
        """All games of a player, as CSV."""

    @abstractmethod
    def pair(self, a: int, b: int) -> str | None:
        """The games of two players."""

    @abstractmethod
    def pairings(self) -> str | None:
        """The best against one another."""

    @abstractmethod
    def method(self) -> str:
        """How ratings are made."""

    def game(self, row: int) -> str | None:
        """One game with its corrections, by row of the table."""
        return None


class FolderLinks(Links):
    """Files of a folder as seen from a file `depth` folders below it."""

    def __init__(
        self,
        names: dict[int, str],
        pairs: Collection[tuple[int, int]],
        *,
        paired: bool,
        depth: int = 0,
    ) -> None:
        """`names` are the files of players that have a page; `pairs` those pages there are."""
        self.names = names
        self.pairs = pairs
        self.paired = paired
        self.up = "../" * depth

    def deeper(self) -> FolderLinks:
        """The same folder, seen from one of its folders."""
        return FolderLinks(self.names, self.pairs, paired=self.paired, depth=1)

    def static(self, file: str) -> str:
        """See Links."""
        return f"{self.up}static/{file}"

    def leaderboard(self, *, everyone: bool = False) -> str:
        """See Links."""
        return f"{self.up}{'everyone' if everyone else 'index'}.html"

    def place(self, k: int, *, listed: bool) -> str:
        """See Links."""
        return f"{self.leaderboard(everyone=not listed)}#player-{k + 1}"

    def export(self, form: str, *, everyone: bool = False) -> str:
        """See Links."""
        return f"{self.up}{'everyone' if everyone else 'leaderboard'}.{form}"

    def player(self, k: int) -> str | None:
        """See Links."""
        return f"{self.up}players/{self.names[k]}.html" if k in self.names else None

    def games(self, k: int) -> str | None:
        """See Links."""
        return f"{self.up}players/{self.names[k]}.csv" if k in self.names else None

    def pair(self, a: int, b: int) -> str | None:
        """See Links: each pair has one page, from whichever side it was written."""
        for one in ((a, b), (b, a)):
            if one in self.pairs:
                return f"{self.up}pairs/{pair_file(self.names, *one)}.html"
        return None

    def pairings(self) -> str | None:
        """See Links."""
        return f"{self.up}pairings.html" if self.paired else None

    def method(self) -> str:
        """See Links."""
        return f"{self.up}method.html"


def pair_file(names: dict[int, str], a: int, b: int) -> str:
    """The file of a pair, without its suffix."""
    return f"{names[a]}-{names[b]}"


def player_file(k: int, name: str) -> str:
    """A unique file name that reads like the player's: letters, then the number.

    Plain letters and digits only, so that every file system and every address takes it.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", plain)[:LONGEST].strip("-")
    return f"{plain}-{k + 1}" if plain else str(k + 1)
