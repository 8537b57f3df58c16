"""`prowess doctor`: is everything here that Prowess can use, and does it give the right numbers?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import click

from prowess.cli.output import json_option

PACKAGES = {  # what it is for, or "" where Prowess cannot do without
    "numpy": "",
    "narwhals": "",
    "click": "",
    "numba": "large tables at the speed of C: pip install 'prowess[fast]'",
    "pyarrow": "Parquet files: pip install 'prowess[files]'",
    "zstandard": ".zst files: pip install 'prowess[files]'",
    "pandas": "tables from and to pandas: pip install pandas",
    "polars": "tables from and to polars: pip install polars",
}


class Finding(NamedTuple):
    """One line of the report; `good` None is neither good nor bad."""

    what: str
    good: bool | None
    text: str


@click.command("doctor", short_help="Look at the installation and rate a tiny table.")
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Look at the installation and rate a tiny table; exit code 1 if something is wrong."""
    from prowess.cli.output import json_text, put

    findings = list(found())
    if as_json:
        put(json_text([finding._asdict() for finding in findings]))
    else:
        mark = {True: "ok", False: "BAD", None: "-"}
        put("\n".join(f"{mark[good]:<4} {what:<16} {text}" for what, good, text in findings))
    if any(finding.good is False for finding in findings):
        ctx.exit(1)


def found() -> Iterator[Finding]:
    """All that can be looked at."""
    import platform
    import sys

    from prowess import __version__

    yield Finding("prowess", True, __version__)
    yield Finding("python", sys.version_info >= (3, 11), platform.python_version())
    yield Finding("platform", None, f"{platform.system()} {platform.machine()}")
    yield from packages()
    yield cache()
    for what, test in TESTS.items():
        yield tried(what, test)


def packages() -> Iterator[Finding]:
    """The versions of packages that are there, and what is missed without the others."""
    from importlib.metadata import PackageNotFoundError, version

    for name, purpose in PACKAGES.items():
        try:
            yield Finding(name, True, version(name))
        except PackageNotFoundError:
            yield Finding(name, None if purpose else False, f"not installed; {purpose}")


def cache() -> Finding:
    """The folder of compiled loops."""
    import os

    from prowess.kernel import cache_folder

    what = "compiled loops"
    folder = cache_folder()
    if folder is None:
        return Finding(what, None, "not kept (PROWESS_CACHE=off, or no home folder)")
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not os.access(existing, os.W_OK) or not existing.is_dir():
        text = f"{folder} is not writable: every run compiles anew (PROWESS_CACHE=FOLDER)"
        return Finding(what, None, text)
    sizes = [path.stat().st_size for path in folder.glob("*") if path.is_file()]
    return Finding(what, True, f"{folder}, {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB")


def tried(what: str, test: Callable[[], str]) -> Finding:
    """Run a test; its failure is a finding."""
    try:
        return Finding(what, True, test())
    except NotTested as reason:
        return Finding(what, None, str(reason))
    except Exception as error:  # whatever is wrong here is what the user wants to know
        return Finding(what, False, f"{type(error).__name__}: {error}")


class NotTested(Exception):
    """A test that cannot be made on this installation."""


def published_example() -> str:
    """Glickman's worked example of Glicko: three games in one period."""
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


def same_bits() -> str:
    """A thousand games, plain and compiled."""
    import numpy as np

    from prowess import kernel
    from prowess.engine.rate import rate
    from prowess.games import read_games
    from prowess.systems.catalogue import find

    if not kernel.available():
        raise NotTested("plain Python only; Numba would make large tables quick")
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


TESTS = {"numbers": published_example, "compiler": same_bits}
