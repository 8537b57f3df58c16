"""What the page in a browser asks about a file (`docs/try`): plain data in, plain data out.

A `Visit` holds the file, how it was read, and its ratings. Every act is a method that takes and
returns what JSON holds, so the page only draws. `answer` runs one of them by name, and turns what
is refused into data as well: a question about the table comes with its answers, as options of
the reader, one of which decides it.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prowess.compile.refusals import ProwessError
from prowess.games.games import describe_games
from prowess.games.read import read_games
from prowess.verbs.pages import report
from prowess.verbs.predict import forecast
from prowess.verbs.rating import rate

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.engine.tabular import Tabular
    from prowess.games.games import Games

GAMES_LISTED = 8
GAMES_OF_PLAYER = 60  # of a history, the newest first
GIVEN = re.compile(r"(?:\b(\w+)=)?(\"[^\"]*\"|\{[^{}]*\}|True\b)")  # an option in a remedy
OPEN = re.compile(r"\b(\w+)=(?=[ ,.)]|$)")  # an option whose column is to be named
BETWEEN_SIDES = re.compile(r"\s+(?:-|\u2013|:|vs?\.?)\s+")
BROWSER_ACTS = (
    "read", "rate", "forecast", "fixtures", "show_player", "make_report", "download",
)  # fmt: skip


@dataclass
class Visit:
    """A file that was dropped into the page, and what is known of it."""

    path: Path
    options: dict[str, Any] = field(default_factory=dict)  # of the reader, as answers gave them
    system: str = ""

    @cached_property
    def games(self) -> Games:
        """The table as it is read now; raises BadData with a question where it is not clear."""
        return read_games(self.path, warn=False, **self.options)

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings of the table; raises ProwessError."""
        return rate(self.games, self.system or None)

    def read(self, options: dict[str, Any]) -> dict[str, Any]:
        """How the table is read with these options: lines, notes, the first games."""
        self.options = options
        for name in ("games", "ratings"):
            vars(self).pop(name, None)
        reading = self.games.reading
        return {
            "lines": reading.lines(),
            "notes": [str(note) for note in reading.notes],
            "games": describe_games(self.games, GAMES_LISTED),
            "command": self.command("rate"),
        }

    def rate(self, system: str) -> dict[str, Any]:
        """The leaderboard under a system, and the names of all players."""
        self.system = system
        vars(self).pop("ratings", None)
        board = self.ratings.leaderboard()
        return {
            "headline": f"{self.ratings.head()}.",
            "notes": list(self.ratings.notes),
            "board": list_cells(board),
            "players": list(board.columns.get("player", ())),
            "command": self.command("rate"),
        }

    def forecast(self, sides: list[str]) -> dict[str, Any]:
        """The forecast of a game of two sides or more."""
        return {"table": list_cells(forecast(self.ratings, tuple(sides)))}

    def fixtures(self, text: str) -> dict[str, Any]:
        """Forecasts of games to come, a line each: sides with ` - `, a tab or a comma between."""
        games = [tuple(cut_fixture(line)) for line in text.splitlines() if line.strip()]
        return {"table": list_cells(forecast(self.ratings, games))}

    def show_player(self, player: str) -> dict[str, Any]:
        """The newest games of a player, and the line of their rating for screen and phone."""
        from prowess.present.figures import histories
        from prowess.present.rendering import picture

        number = self.ratings.index(player)
        (steps,) = self.ratings.histories((number,), last=GAMES_OF_PLAYER)
        return {
            "headline": player,
            "figure": picture(histories(self.ratings, [player])),
            "table": list_cells(steps, newest=GAMES_OF_PLAYER),
        }

    def make_report(self) -> dict[str, Any]:
        """The report as HTML, without the comparison of systems where its package is missing."""
        title = self.path.stem
        try:
            made = report(self.ratings, title=title)
        except ModuleNotFoundError:  # SciPy, in a browser
            made = report(self.ratings, title=title, no_compare=True)
        return {"page": made.to_html()}

    def download(self, what: str) -> dict[str, Any]:
        """A file to keep: the leaderboard as CSV, the report, or the plan of the reading."""
        stem = self.path.stem
        if what == "plan":
            return {"name": f"{stem}.plan.json", "text": self.games.reading.plan.to_json()}
        if what == "report":
            return {"name": f"{stem}.html", "text": self.make_report()["page"]}
        return {"name": f"{stem}.ratings.csv", "text": self.ratings.leaderboard().to_csv()}

    def command(self, verb: str) -> str:
        """The command line that gives the same, with the plan of the reading beside the file.

        >>> Visit(Path("-cup.csv"), {"skip_bad": True}, "elo").command("rate")
        'prowess rate ./-cup.csv --plan ./-cup.plan.json --skip-bad --system elo'
        """
        folder = "./" if self.path.name.startswith("-") else ""  # else it would be an option
        words = ["prowess", verb, f"{folder}{self.path.name}"]
        words += ["--plan", f"{folder}{self.path.stem}.plan.json"]
        words += ["--skip-bad"] if self.options.get("skip_bad") else []  # no plan has it
        return shlex.join([*words, *(["--system", self.system] if self.system else [])])


def answer(visit: Visit, act: str, given: str) -> str:
    """What an act of a visit returns for the keywords `given`, both as JSON.

    What is refused is data, too: `refused` says why and what helps, `choices` are answers to a
    question, each with its words and the options that it gives the reader, `columns` are the
    options to which a column has to be named, with the headings there are.
    """
    if act not in BROWSER_ACTS:
        raise ValueError(f"ask one of {', '.join(BROWSER_ACTS)}")
    try:
        found = getattr(visit, act)(**json.loads(given))
    except ProwessError as error:
        found = describe_refusal(visit, error)
    except ModuleNotFoundError as error:
        text = f"use the command line for this: a browser has no package {error.name}"
        found = {"refused": text, "choices": [], "columns": {}}
    return json.dumps(found, ensure_ascii=False, default=str)


def describe_refusal(visit: Visit, error: ProwessError) -> dict[str, Any]:
    """What was refused, with the answers that the remedy offers."""
    remedy = getattr(error, "remedy", None) or ""
    named = list(dict.fromkeys(OPEN.findall(remedy)))
    headings = read_headings(visit.path) if named else []
    return {
        "refused": str(error),
        "read_as": "\n".join(getattr(error, "__notes__", ())),
        "choices": [
            {"words": ", ".join(map(describe_option, options.items())), "options": options}
            for options in find_choices(remedy)
        ],
        "columns": dict.fromkeys(named, headings) if headings else {},
    }


def read_headings(path: Path) -> list[str]:
    """The headings of a file; none where it has no table."""
    from prowess.games.errors import BadData
    from prowess.games.formats.opened_tables import read_cells

    try:
        return read_cells(path)[0]
    except (BadData, StopIteration):
        return []


def find_choices(remedy: str) -> list[dict[str, Any]]:
    """The answers that a remedy offers, as options of the reader.

    >>> find_choices('give date_format="day first" or "month first" (--date-format)')
    [{'date_format': 'day first'}, {'date_format': 'month first'}]
    >>> find_choices('say player_a="X" (--player-a X) and player_b="Y" (--player-b Y)')
    [{'player_a': 'X', 'player_b': 'Y'}]
    >>> find_choices('say score="X" (--score X), where 0 and 1 are known, or skip_bad=True')
    [{'score': 'X'}, {'skip_bad': True}]
    """
    choices: list[dict[str, Any]] = []
    name, end = "", 0
    for found in GIVEN.finditer(remedy):
        between = remedy[end : found.start()]
        if not found[1] and not (name and between == " or "):
            continue
        flag = between.startswith(" (--") and between.endswith(") and ")
        joined = bool(choices) and (between == " and " or flag)
        name, end = found[1] or name, found.end()
        value = {name: ast.literal_eval(found[2])}
        if joined:
            choices[-1] |= value
        else:
            choices.append(value)
    return choices


def describe_option(option: tuple[str, Any]) -> str:
    """An option and its value in words."""
    name, value = option
    words = name.replace("_", " ")
    if value is True:
        return "skip rows that cannot be read" if name == "skip_bad" else words
    if isinstance(value, dict):
        meanings = {None: "no game", 1: "the first won", 0: "the second won", 0.5: "a draw"}
        return ", ".join(
            f'"{cell}" is {meanings.get(sense, sense)}' for cell, sense in value.items()
        )
    if name == "points" and isinstance(value, str):
        less = value.startswith("-")
        return f"{value.removeprefix('-')}: {'less' if less else 'more'} is better"
    return str(value) if name == "date_format" else f"{words}: {value}"


def cut_fixture(line: str) -> Iterator[str]:
    """The sides of a game to come.

    >>> [*cut_fixture("Cid, Dee - Bob")], [*cut_fixture('"Cid, Dee", Eve')]
    (['Cid, Dee', 'Bob'], ['Cid, Dee', 'Eve'])
    """
    import csv

    mark = next((one for one in "\t,;" if one in line), None)
    named = mark == "\t" or '"' in line  # as a table: a dash belongs to a name
    if mark and (named or not BETWEEN_SIDES.search(line)):
        found = next(csv.reader([line], delimiter=mark, skipinitialspace=True))
    else:
        found = BETWEEN_SIDES.split(line)
    yield from (each.strip() for each in found)


def list_cells(table: Tabular, newest: int | None = None) -> list[list[str]]:
    """The cells of a table as they are printed, headings first; the newest rows first, so many."""
    head, *body = table.cells()
    return [head, *(islice(reversed(body), newest) if newest else body)]
