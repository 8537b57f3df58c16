"""Completions in a shell: systems, their parameters, columns of the file, players, formats.

A completion that cannot be made (a file that cannot be read) offers nothing and says nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[Any]]


def complete_formats(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """The formats of files."""
    from prowess.games.formats.sources import all_formats

    return match_words(all_formats(), begun)


def complete_systems(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """Names of systems, the last of a list; the files are read, not run, which is much quicker."""
    if "/" in begun or ".py" in begun:
        return [CompletionItem(begun, type="file")]
    import re

    room = Path(__file__).parent.parent / "systems"
    declared = r"(?:[A-Z0-9_]+ = (?:.*\bname=|over_whole_field\(\s*)|\s+name=)"
    named = re.compile(rf"""^{declared}["']([\w-]+)["']""", re.MULTILINE)
    found = {
        name
        for file in room.glob("**/*.py")
        for name in named.findall(file.read_text(encoding="utf-8"))
    }
    return match_words(sorted(found), begun, list_mark=",")


def complete_settings(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """`NAME=` for the parameters of the chosen system, and the words of one that is a choice."""
    from prowess.engine.params import parameters
    from prowess.engine.system import Choice
    from prowess.systems.catalogue import UnknownSystem
    from prowess.verbs.tables import take_system

    try:
        known = parameters(take_system(context.params.get("system")))
    except (UnknownSystem, ValueError):
        return []
    name, sign, value = begun.partition("=")
    if sign:
        domain = known[name].domain if name in known else None
        words = domain.words if isinstance(domain, Choice) else ()
        return [CompletionItem(f"{name}={word}") for word in words if word.startswith(value)]
    return [
        CompletionItem(f"{one.name}=", help=one.describe())
        for one in known.values()
        if one.name.startswith(begun)
    ]


def complete_columns(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """The columns of the first file, the last of a list."""
    return match_words(read_columns(context), begun, list_mark=",")


def complete_filters(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """`COLUMN=` for the columns of the first file."""
    return match_words((f"{name}=" for name in read_columns(context)), begun)


def complete_players(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """The players of the file."""
    return match_words(read_players(context), begun)


def complete_anchors(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """`PLAYER=` for the players of the file."""
    return match_words((f"{name}=" for name in read_players(context)), begun)


def complete_files(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """Files; after the first one players, where the verb takes some and any begins so."""
    taken = [one for one in context.command.params if isinstance(one, click.Argument)]
    names = {one.name for one in taken} | set((parameter.metavar or "").casefold().split())
    players = complete_players(context, parameter, begun) if names & {"a", "name"} else []
    return players or [CompletionItem(begun, type="file")]


def match_words(words: Iterable[str], begun: str, list_mark: str = "") -> list[CompletionItem]:
    """The words that begin so, of a list with commas those that may stand last."""
    head, mark, last = begun.rpartition(list_mark) if list_mark else ("", "", begun)
    return [
        CompletionItem(escape_for_bash(f"{head}{mark}{word}"))
        for word in words
        if word.casefold().startswith(last.casefold())
    ]


def escape_for_bash(word: str) -> str:
    """The word as bash needs it on the line; the other shells quote by themselves."""
    import re

    if os.environ.get("_PROWESS_COMPLETE") != "bash_complete":
        return word
    return re.sub(r"([^\w=,.:@/+-])", r"\\\1", word)


def find_file(context: click.Context) -> str | None:
    """The first file among the arguments so far."""
    for value in context.params.values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str) and Path(one).is_file():
                return one
    given = (*context.args, *getattr(context, "_protected_args", ()))
    return next((one for one in given if Path(one).is_file()), None)


def read_columns(context: click.Context) -> list[str]:
    """The headings of the file; none where it cannot be read."""
    from prowess.games.formats.opened_tables import open_tables
    from prowess.games.formats.sources import ReaderSettings
    from prowess.games.layout import Options

    file, given = find_file(context), context.params
    if file is None:
        return []
    names = ("format", "delimiter", "encoding", "table", "sql")
    try:
        with ExitStack() as files:
            settings = ReaderSettings(Options())
            for name in names:
                setattr(settings, name, given.get(name))
            return list(next(iter(open_tables(file, settings, files))).names)
    except Exception:  # whatever it is, the run itself will say
        return []


def read_players(context: click.Context) -> list[str]:
    """The players of the file as the options so far read it; none where that fails."""
    from prowess.games import read_games
    from prowess.verbs.tables import reader_options

    file = find_file(context)
    if file is None:
        return []
    try:
        given = {name: value for name, value in context.params.items() if value}
        reading = {name: value for name, value in given.items() if name in reader_options()}
        table = read_games(file, **{**reading, "warn": False, "skip_bad": "all"})
        return sorted(name for name in table.players if "@" not in name)
    except Exception:
        return []
