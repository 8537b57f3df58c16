"""`prowess look`, `systems`, `doctor`, `demo` and `completion`: what there is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple

import click

from prowess.cli.completion import complete_systems
from prowess.cli.exits import NO
from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import AnswerOptions, AsJson
from prowess.cli.reading import ReadingOptions
from prowess.cli.verbs import SAMPLE_GAMES

PACKAGES = {  # its use, "" for one that is required
    "numpy": "",
    "narwhals": "",
    "click": "",
    "llvmlite": "systems of your own at the speed of C: pip install 'prowess[fast]'",
    "pyarrow": "Parquet files: pip install 'prowess[files]'",
    "zstandard": ".zst files: pip install 'prowess[files]'",
    "pandas": "tables from and to pandas: pip install pandas",
    "polars": "tables from and to polars: pip install polars",
}


class InstallationCheck(NamedTuple):
    """One line of the report; `good` None: neither good nor bad."""

    what: str
    good: bool | None
    text: str


@verb("doctor")
def doctor_verb(*, as_json: AsJson = False) -> int:
    """Check the installation and rate a tiny table; exit code 1 if something is wrong."""
    from prowess.cli.output import format_json, print_text

    findings = list(check_installation())
    if as_json:
        print_text(format_json([finding._asdict() for finding in findings]))
    else:
        mark = {True: "ok", False: "BAD", None: "-"}
        lines = (f"{mark[good]:<4} {what:<16} {text}" for what, good, text in findings)
        print_text("\n".join(lines))
    return NO if any(finding.good is False for finding in findings) else 0


def check_installation() -> Iterator[InstallationCheck]:
    """All findings, in the order of the report."""
    import platform
    import sys

    from prowess.version import __version__

    yield InstallationCheck("prowess", True, __version__)
    yield InstallationCheck("python", sys.version_info >= (3, 11), platform.python_version())
    yield InstallationCheck("platform", None, f"{platform.system()} {platform.machine()}")
    yield from check_packages()
    yield check_kernels()
    yield check_cache()
    for what, test in INSTALLATION_TESTS.items():
        yield run_test(what, test)


def check_packages() -> Iterator[InstallationCheck]:
    """The versions of the packages that are installed, and the use of those that are not."""
    from importlib.metadata import PackageNotFoundError, version

    for name, purpose in PACKAGES.items():
        try:
            yield InstallationCheck(name, True, version(name))
        except PackageNotFoundError:
            yield InstallationCheck(name, None if purpose else False, f"not installed; {purpose}")


def check_kernels() -> InstallationCheck:
    """The loops that the installation brings as machine code."""
    from prowess.compile.prebuilt import find_target, load_kernels

    what = "kernels"
    if (kernels := load_kernels()) is not None:
        text = f"{len(kernels.loops)} loops made ahead of time for {kernels.target}"
        return InstallationCheck(what, True, text)
    target = find_target() or "this processor"
    text = f"none for {target}: loops are compiled, or run as plain Python without llvmlite"
    return InstallationCheck(what, None, text)


def check_cache() -> InstallationCheck:
    """The folder of compiled loops."""
    import os

    from prowess.compile.cache import cache_folder

    what = "compiled loops"
    folder = cache_folder()
    if folder is None:
        return InstallationCheck(what, None, "not kept (PROWESS_CACHE=off, or no home folder)")
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not os.access(existing, os.W_OK) or not existing.is_dir():
        text = f"{folder} is not writable: every run compiles anew (PROWESS_CACHE=FOLDER)"
        return InstallationCheck(what, None, text)
    sizes = [path.stat().st_size for path in folder.glob("*") if path.is_file()]
    return InstallationCheck(what, True, f"{folder}, {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB")


def run_test(what: str, test: Callable[[], str]) -> InstallationCheck:
    """The finding of a test: its answer, or its failure."""
    try:
        return InstallationCheck(what, True, test())
    except NotTested as reason:
        return InstallationCheck(what, None, str(reason))
    except Exception as error:  # any failure is a finding
        return InstallationCheck(what, False, f"{type(error).__name__}: {error}")


class NotTested(Exception):
    """A test that this installation cannot run."""


def rate_published_example() -> str:
    """Rate Glickman's worked example of Glicko: three games in one period."""
    from prowess.engine.rate import rate
    from prowess.games import read_games
    from prowess.systems.catalogue import find

    games = read_games(
        {
            "player_a": ["ada"] * 3,
            "player_b": ["ben", "cy", "dot"],
            "result": [1.0, 0.0, 0.0],
            "round": [1, 1, 1],
        }
    )
    values = {"ada": (1500, 200), "ben": (1400, 30), "cy": (1550, 100), "dot": (1700, 300)}
    start = {name: {"rating": r, "deviation": d} for name, (r, d) in values.items()}
    glicko: Any = find("glicko")
    ada = rate(games, glicko, period="round", start=start)["ada"]
    # M. E. Glickman, "The Glicko system", worked example: 1464 and 151.4, as printed there
    if abs(ada.rating - 1464) > 0.5 or abs(ada.deviation - 151.4) > 0.05:
        raise ArithmeticError(f"{ada.rating}, {ada.deviation} instead of 1464, 151.4")
    return f"Glicko's published example gives {ada.rating:.0f} and {ada.deviation:.1f}"


def compare_compiled() -> str:
    """Rate a thousand games by plain and by compiled loops."""
    import numpy as np

    from prowess.compile import kernel
    from prowess.engine.rate import rate
    from prowess.games import read_games
    from prowess.systems.catalogue import find

    if not kernel.available():
        raise NotTested("plain Python only; llvmlite would make large tables quick")
    chance = np.random.default_rng(1)
    a = chance.integers(0, 50, 1000)
    b = (a + chance.integers(1, 50, 1000)) % 50
    games = read_games(
        {
            "player_a": [f"player {k}" for k in a],
            "player_b": [f"player {k}" for k in b],
            "result": chance.choice([0.0, 0.5, 1.0], 1000).tolist(),
        }
    )
    system: Any = find("elo")
    plain = rate(games, system, compiled=False).values
    fast = rate(games, system, compiled=True).values
    if not np.array_equal(plain, fast):
        raise ArithmeticError("plain and compiled loops give different ratings")
    return "plain and compiled loops agree to the last bit on 1,000 games"


INSTALLATION_TESTS = {"numbers": rate_published_example, "compiler": compare_compiled}


@verb("demo")
def demo_verb() -> None:
    """Rate a small table of real matches and show what can be asked."""
    from prowess.cli.commands import prowess
    from prowess.cli.output import print_text
    from prowess.games.read import read_games
    from prowess.verbs.rating import rate

    ratings = rate(read_games(SAMPLE_GAMES, warn=False), "elo")
    best, second = ratings.leaderboard(2).columns["player"]
    print_text(f"# {ratings.head()}\n")
    for words in (  # what is printed of a command is what it prints
        ["rate", str(SAMPLE_GAMES), "--system", "elo", "--top", "10", "-q"],
        ["forecast", str(SAMPLE_GAMES), best, second, "--system", "elo", "-q"],
        ["history", str(SAMPLE_GAMES), best, "--system", "elo", "--why", "--last", "3", "-q"],
    ):
        print_text("$ prowess " + " ".join(map(quote_word, words)))
        prowess.main(words, prog_name="prowess", standalone_mode=False)
        print_text("")
    print_text(
        "The table is a part of the package (CC0, see README.md beside it). Try next:\n\n"
        f"  prowess rate {quote_word(str(SAMPLE_GAMES))} --system glicko2 --period 1mo\n"
        "  prowess rate YOUR_GAMES.csv\n"
        "  prowess systems\n"
        "  prowess systems glicko2\n"
        "  prowess rate --help\n"
    )


def quote_word(word: str) -> str:
    """A word as it is typed: quoted where a shell would split it or read it otherwise."""
    return word if re.fullmatch(r"[\w./:\\-]+", word) else f'"{word}"'


SHELLS = """\b
bash   echo 'eval "$(prowess completion bash)"' >> ~/.bashrc
zsh    echo 'eval "$(prowess completion zsh)"' >> ~/.zshrc
fish   prowess completion fish > ~/.config/fish/completions/prowess.fish
"""


@verb("completion", epilog=SHELLS)
def completion_verb(
    *, shell: Annotated[str, Argument(type=click.Choice(["bash", "zsh", "fish"]))]
) -> None:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    from prowess.cli.commands import prowess
    from prowess.cli.output import print_text

    kind = get_completion_class(shell)
    assert kind is not None
    print_text(kind(prowess, {}, "prowess", "_PROWESS_COMPLETE").source())


# How a table is understood, and what there is to rate it with.


GAMES_SHOWN = 5  # games that are shown
LOOK_EXAMPLES = """\b
prowess look games.csv
prowess look results.xlsx --table Results
prowess look season.csv --first 1000 -o season.html
prowess look season.csv --time Datum --date-format "day first"
prowess look week1.csv --save-plan plan.json
"""


@verb("look", epilog=LOOK_EXAMPLES)
def look_verb(
    reading: ReadingOptions,
    *,
    first: Annotated[int, Option("Show so many games as they are read.", "N")] = GAMES_SHOWN,
    save_plan: Annotated[
        str | None, Option("Write how it is read, for --plan.", "JSON", type=click.Path())
    ] = None,
    answer: AnswerOptions,
) -> None:
    """Show how the table in FILE... is understood: columns, what is left out, the first games."""
    from prowess.cli.output import write_file
    from prowess.cli.reading import read_table
    from prowess.engine.tabular import ResultTable
    from prowess.games.games import describe_games

    table = read_table(reading._replace(quiet=True))
    games = describe_games(table, first)
    if save_plan is not None:
        write_file(save_plan, table.reading.plan.to_json())
    names = list(games[0]) if games else []
    rows = [names, *([str(game[name]) for name in names] for game in games)]
    answer.give(
        lambda: table.reading.to_dict() | {"first_games": games},
        lambda: ResultTable.of_rows(games, "First games"),
        lambda: [str(table.reading), rows if games else ""],
        notes=(f"note: {note}" for note in table.reading.guesses),
    )


@verb("systems")
def systems_verb(
    *,
    name: Annotated[str | None, Argument(complete=complete_systems)] = None,
    answer: AnswerOptions,
) -> None:
    """List the rating systems, or show formula, source and parameters of NAME.

    NAME may be a system of your own, FILE.py:NAME.
    """
    from functools import partial

    from prowess.cli.output import format_definitions
    from prowess.present.declarations import format_system, summary_of, system_data
    from prowess.systems.catalogue import BY_USE, catalogue, find

    if name is not None:
        data = system_data(find(name))
        page = partial(format_system, render=format_definitions)
        answer.give_rows(data, data["parameters"], lambda found: [page(found)])
        return
    rows = [summary_of(system) for system in catalogue().values()]
    listed = [(row["name"], f"{row['summary']} [{row['rates']}]") for row in rows]
    taken = ("By use:", format_definitions([*BY_USE.items()]))
    answer.give_rows(rows, rows, lambda _: [taken, ("All:", format_definitions(listed))])
