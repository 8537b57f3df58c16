"""How a file is written, as a form asks for it: encoding, dates, and which column is what."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any, Literal

from prowess.games import BadData, read_games
from prowess.live.errors import Refused
from prowess.live.journal.imports import PREFIX
from prowess.live.result import CONTESTS

if TYPE_CHECKING:
    from pathlib import Path

    from prowess.games.games import Games
    from prowess.live.journal.registry import Category
    from prowess.live.pages.visits import Visit

SKIP = "leave out bad rows instead of taking nothing"  # what the box is called
WRITTEN = {  # of the whole file: what a box is called, what may be put in it
    "encoding": ("Encoding", "utf-8, latin-1, cp1252, utf-16"),
    "delimiter": ("Delimiter", "; or , or | or tab"),
    "date_format": ("Date format", "%d.%m.%Y, %m/%d/%Y, excel, seconds"),
    "unplaced": ("Without a place (DNF)", "last, skip"),
    "teams": ("Names such as A & B", "members: two players; names: one player"),
}
GAMES = {
    "player_a": "First player", "player_b": "Second player", "result": "Result",
    "score_a": "Points of the first", "score_b": "Points of the second", "winner": "Winner",
    "loser": "Loser", "draw": "Drawn", "time": "Date", "round": "Round",
    "side": "Side with the advantage",
    "neutral": "Neutral ground", "weight": "Weight", "margin": "Margin", "length": "Length",
    "facts": "Facts beside those in fact_ columns",
}  # fmt: skip
CONTESTS_HAVE = {
    "contest": "Contest", "player": "Player", "place": "Place", "points": "Points",
    "team": "Team of a player", "share": "Share of a player",
    "time": "Date", "weight": "Weight",
}  # fmt: skip
COLUMNS = GAMES | CONTESTS_HAVE
BOXES = {name: label for name, (label, _) in WRITTEN.items()} | COLUMNS
TAB = "tab"
OPTIONS = re.compile(r" ?\(--[^)]*\)")  # of the command line
GIVEN = re.compile(rf"\b({'|'.join(BOXES)})=(\.\.\.|COLUMN\b)?")


def table(visit: Visit, path: Path, category: Category, left_out: list[BadData]) -> Games:
    """A file as the form says it is to be read; bad rows come to `left_out`. Raises Refused."""
    given: dict[str, Any] = {name: visit.given(name) for name in BOXES if visit.given(name)}
    if given.get("delimiter", "").casefold() == TAB:
        given["delimiter"] = "\t"
    plays: Literal["games", "contests"] | None = "contests"
    if category.kind != CONTESTS:  # games of teams may have a row for each player
        plays = "games" if category.side_size == 1 else None
    skip = "all" if visit.given("on_error") == "skip" else False  # the page shows how many
    if "," in given.get("facts", ""):
        given["facts"] = next(csv.reader([given["facts"]], skipinitialspace=True))
    try:
        return read_games(
            path, kind=plays, skip_bad=skip, report=left_out.append, warn=False,
            fact_prefix=PREFIX, **given,
        )  # fmt: skip
    except (BadData, OSError, LookupError, ModuleNotFoundError) as error:
        raise Refused("bad_file", worded(error, path), field="file") from None


def worded(error: object, path: Path) -> str:
    """What is wrong, or a note, with the boxes of the form where the reader names its options."""
    text = str(error).replace(str(path), "the file").replace(path.name, "the file")
    text = re.sub(r"(skip bad rows with )?skip_bad=True \(--skip-bad\)", f'tick "{SKIP}"', text)
    text = OPTIONS.sub("", text)
    return GIVEN.sub(lambda found: f'the box "{BOXES[found[1]]}"{_value(found)}', text)


def _value(found: re.Match[str]) -> str:
    """What joins the name of a box to what is to be put in it."""
    after = found.string[found.end() : found.end() + 1]
    return ": " if after == '"' else ""
