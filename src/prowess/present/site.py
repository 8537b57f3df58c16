"""Write a rated table as a folder of static pages, readable from a disk or any web server."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from prowess.engine.rate import DynamicRatings
from prowess.games.names import guard_cell
from prowess.present.boards import COVERAGE, build_board, order_players
from prowess.present.brand import NO_BRAND, Brand, brand_files, link_brand_files
from prowess.present.figures import leaders
from prowess.present.histories import Career, careers
from prowess.present.listing import Listing, rating_label
from prowess.present.methods import judgement, method
from prowess.present.pairs import (
    Meeting,
    build_square,
    most_met_pairs,
    next_games,
)
from prowess.present.players import Profile, build_profiles, describe_pair, draw_player
from prowess.present.rendering import format_csv, moment, render_template, static_files
from prowess.present.svg import Undrawable

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


BOARD_ROWS = 2_000  # of a leaderboard on one page
MAX_PAGE_GAMES = 200  # of a player; the CSV file beside it has all
PAIRING_TABLE_PLAYERS = 16
NEXT_GAMES = 10  # worth playing
MAX_SURVEYED = 400  # players of a league in which such games are searched
CARD, CARD_PLAYERS, CARD_PX = "leaderboard.png", 7, 600.0  # 1200 dots wide, as services ask


class Limits(NamedTuple):
    """The most pages of players (the best) and of pairs of them (the most met)."""

    players: int = 100
    pairs: int = 100


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, eq=False)
class Site:
    """The contents of a folder of pages: ratings (with forecasts, if any) and the listing rule."""

    forecasting: Ratings
    title: str
    listing: Listing
    limits: Limits = DEFAULT_LIMITS
    brand: Brand = NO_BRAND

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings without their forecasts, which forecasting a further game requires."""
        made = self.forecasting
        return replace(made, forecasts=None) if isinstance(made, DynamicRatings) else made

    @cached_property
    def paged(self) -> tuple[int, ...]:
        """The players with a page: those listed by rank, then the others."""
        return tuple(order_players(self.ratings, self.listing)[: self.limits.players])

    @cached_property
    def pairs(self) -> list[Meeting]:
        """The pairs with a page."""
        return most_met_pairs(self.ratings, self.paged, self.limits.pairs)

    @cached_property
    def links(self) -> FolderLinks:
        """Addresses as seen from the first page."""
        names = {k: player_file(k, self.ratings.players[k]) for k in self.paged}
        met = {(one["a"].k, one["b"].k) for one in self.pairs}
        return FolderLinks(names, met)

    @property
    def squared(self) -> bool:
        """Whether there is a table of pairings."""
        return self.ratings.table.duels and len(self.paged) > 1

    @cached_property
    def profiles(self) -> dict[int, Profile]:
        """The players with a page."""
        return build_profiles(self.ratings, self.paged, self.listing)

    @cached_property
    def careers(self) -> dict[int, Career]:
        """Their rating histories; empty for a whole-table system."""
        if not isinstance(self.ratings, DynamicRatings):
            return {}
        names = [self.ratings.players[k] for k in self.paged]
        return dict(zip(self.paged, careers(self.ratings, names), strict=True))

    @cached_property
    def card(self) -> bytes:
        """The best as a PNG image, which services show beside a link; empty without the extra
        `report`.
        """
        try:
            best = leaders(self.ratings, CARD_PLAYERS, listing=self.listing)
            return replace(best, title=self.title).to_png(CARD_PX)
        except (ModuleNotFoundError, Undrawable):
            return b""


def files(site: Site) -> Iterator[tuple[str, bytes]]:
    """Every file of the folder by its path in it."""
    for name, content in static_files().items():
        yield f"static/{name}", content
    for name, content in brand_files(site.brand).items():
        yield f"static/{name}", content
    if site.brand.imprint:
        yield "imprint.html", _page(site, "imprint")
    if site.card:
        yield CARD, site.card
    for name, listing in (("leaderboard", site.listing), ("everyone", Listing())):
        yield f"{name}.csv", leaderboard_csv(site.ratings, listing).encode()
        summary = site.ratings.summary(min_games=listing.min_games, since=listing.since)
        yield f"{name}.json", json.dumps(summary, ensure_ascii=False, indent=1).encode()
    board = build_board(site.ratings, site.listing, limit=BOARD_ROWS)
    values: dict[str, Any] = {"board": board, "playing": False, "compared": None, "today": None}
    yield "index.html", _page(site, "leaderboard", **values)
    one = method(site.ratings, *judgement(site.forecasting))
    yield "method.html", _page(site, "method", one=one)
    if site.squared:
        wanted = next_games(site.ratings, NEXT_GAMES) if len(site.ratings) <= MAX_SURVEYED else []
        square = build_square(site.ratings, site.paged[:PAIRING_TABLE_PLAYERS])
        values = {"square": square, "pairs": site.pairs, "wanted": wanted}
        yield "pairings.html", _page(site, "pairings", **values)
    for k in site.paged:
        yield f"players/{site.links.names[k]}.html", _player(site, k)
        yield f"players/{site.links.names[k]}.csv", games_csv(site.profiles[k])
    for met in site.pairs:
        file = pair_file(site.links.names, met["a"].k, met["b"].k)
        yield f"pairs/{file}.html", _pair(site, met)


def _page(site: Site, here: str, *, up: str = "", **values: Any) -> bytes:
    """The page of a template with what the frame needs; `up` leads to the first folder."""
    links = replace(site.links, up=up)
    places = ("leaderboard", *(("pairings",) if site.squared else ()), "method")
    frame = {
        "site": site.title,
        "brand": site.brand,
        "own": link_brand_files(site.brand, links.own),
        "card": f"{up}{CARD}" if site.card else "",
        "links": links,
        "navigation": [(place.capitalize(), links.to(place), place) for place in places],
        "here": here,
        "what": site.ratings.table.unit,
        "rating": rating_label(site.ratings),
        "level": COVERAGE,
    }
    return render_template(f"{here}.html", **frame, **values).encode()


def _player(site: Site, k: int) -> bytes:
    one = site.profiles[k]
    values = {
        "one": one,
        "lines": one.lines[:MAX_PAGE_GAMES],
        "opponents": one.opponents,
        "rule": site.listing.describe(site.ratings),
        "today": None,
        "ranges": [],
    } | draw_player(site.ratings, one, site.careers.get(k))
    return _page(site, "player", up="../", **values)


def _pair(site: Site, met: Meeting) -> bytes:
    i, j = met["a"].k, met["b"].k
    careers = [site.careers[k] for k in (i, j) if k in site.careers]
    values = describe_pair(
        site.ratings, site.profiles[i], site.profiles[j], careers, MAX_PAGE_GAMES
    )
    return _page(site, "pair", up="../", today=None, **values)


def leaderboard_csv(ratings: Ratings, listing: Listing) -> str:
    """The leaderboard as CSV; names are guarded against formulas of spreadsheets."""
    board = listing.board(ratings)
    return format_csv(tuple(board.columns), board.rows())


def games_csv(one: Profile) -> bytes:
    """All games of a player as CSV, the oldest first, at full precision."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    numbers = ("their_rating", "score", "expected", "before", "after", "change", "why")
    paired = any(line["partners"] for line in one.lines)
    partners = ("partners",) if paired else ()
    writer.writerow(("number", "time", "opponent", "opponents", *numbers, *partners))
    for line in reversed(one.lines):
        named = line["opponent"] is not None or line["field"] == 1
        opponent = guard_cell(line["against"]) if named else ""
        row = (line["number"], moment(line["time"]), opponent, line["field"])
        partner_cell = (guard_cell(line["partners"]),) if paired else ()
        writer.writerow((*row, *(line[name] for name in numbers), *partner_cell))
    return text.getvalue().encode()


# Addresses of pages: the same methods for pages of a server and for files of a folder.
#
# A method gives None where there is no such page; the template then shows words without a link.


MAX_NAME_LETTERS = 40  # of a player in the name of a file


@dataclass(frozen=True)
class FolderLinks:
    """Addresses of the files of a folder, as templates ask for them (see `ServerLinks`).

    `names` are the files of the players that have a page, `pairs` the pairs that have one; `up`
    leads from the folder of the page to the first.
    """

    names: dict[int, str]
    pairs: Collection[tuple[int, int]]
    up: str = ""
    live: ClassVar[bool] = False

    def to(self, page: str, /, *numbers: Any, everyone: bool = False) -> str | None:
        """The address of a page; None where there is none."""
        if page in ("player", "games"):
            (k,) = numbers
            suffix = "html" if page == "player" else "csv"
            return f"{self.up}players/{self.names[k]}.{suffix}" if k in self.names else None
        if page == "pair":
            pair = next((one for one in (numbers, numbers[::-1]) if one in self.pairs), None)
            return None if pair is None else f"{self.up}pairs/{pair_file(self.names, *pair)}.html"
        if page == "export":
            return f"{self.up}{'everyone' if everyone else 'leaderboard'}.{numbers[0]}"
        if page == "leaderboard":
            page = "index"
        return f"{self.up}{page}.html"

    def static(self, file: str) -> str:
        """A file that pages load."""
        return f"{self.up}static/{file}"

    def own(self, file: str, content: bytes) -> str:
        """A file of the owner."""
        return self.static(file)

    def place(self, k: int) -> str:
        """A player's place on the leaderboard."""
        return f"{self.to('leaderboard')}#player-{k + 1}"

    def game(self, row: int) -> None:
        """A folder has no pages of single games."""


def pair_file(names: dict[int, str], a: int, b: int) -> str:
    """The file of a pair, without its suffix."""
    return f"{names[a]}-{names[b]}"


def player_file(k: int, name: str) -> str:
    """A unique file name from a player's name and number.

    Only plain letters and digits, which every file system and every address allows.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", plain)[:MAX_NAME_LETTERS].strip("-")
    return f"{plain}-{k + 1}" if plain else str(k + 1)
