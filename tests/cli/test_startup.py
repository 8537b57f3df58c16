"""What the command line loads."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.cli.command import prowess

COMPILERS_AND_FRAMES = {"llvmlite", "pandas", "polars", "pyarrow", "scipy", "rich"}


def loaded_modules(*arguments: object, **env: str) -> set[str]:
    """The modules that a run imports."""
    done = prowess(*arguments, python=("-X", "importtime"), **env)
    assert done.returncode == 0, done.stderr
    pattern = r"^import time: +\d+ \| +\d+ \| +([\w.]+)$"
    return set(re.findall(pattern, done.stderr, re.MULTILINE))


def loaded(*arguments: object, **env: str) -> set[str]:
    """The top-level packages that a run imports."""
    return {name.partition(".")[0] for name in loaded_modules(*arguments, **env)}


@pytest.fixture
def thousand(tmp_path):
    """A table of 1,000 games."""
    file = tmp_path / "thousand.csv"
    rows = [f"2024-01-01,player {k % 97},other {k % 89},{k % 3 / 2}" for k in range(1000)]
    file.write_text("date,player_a,player_b,result\n" + "\n".join(rows), encoding="utf-8")
    return file


def test_import_times_are_seen(games):
    """The list of loaded packages is real: rating needs NumPy and Click."""
    assert {"numpy", "click"} <= loaded("rate", games)


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["rate", "--help"], ["--version"], ["completion", "bash"]],
    ids=" ".join,
)
def test_talking_about_itself_loads_nothing(arguments):
    """Help and version load neither NumPy nor anything heavier."""
    assert not loaded(*arguments) & {"numpy", "narwhals", *COMPILERS_AND_FRAMES}


def test_completing_loads_nothing():
    """Completing words and names of systems loads neither NumPy nor anything heavier."""
    names = loaded(
        COMP_WORDS="prowess rate --system gl", COMP_CWORD="3", _PROWESS_COMPLETE="bash_complete"
    )
    assert "click" in names
    assert not names & {"numpy", "narwhals", *COMPILERS_AND_FRAMES}


@pytest.mark.parametrize(
    "verb",
    [["rate"], ["rate", "--json"], ["rate", "--system", "glicko2"], ["forecast"], ["history"]],
    ids=" ".join,
)
def test_small_tables_load_no_compiler(thousand, verb):
    """A thousand games of one setting never load a compiler, a library of data frames, or Rich."""
    more = {"forecast": ["player 1", "other 1"], "history": ["player 1"]}.get(verb[0], [])
    system = () if "--system" in verb else ("--system", "elo")
    names = loaded(verb[0], thousand, *more, *verb[1:], *system)
    assert "numpy" in names
    assert not names & COMPILERS_AND_FRAMES


def test_one_game_of_the_default_system_loads_no_compiler(tmp_path):
    """A table of one row is played by the functions as they are."""
    (tmp_path / "one.csv").write_text("a,b,score\nAnn,Ben,1\n", encoding="utf-8")
    assert not loaded("rate", tmp_path / "one.csv") & COMPILERS_AND_FRAMES


def test_a_small_fit_loads_no_cluster(thousand):
    """A fit of merged rows loads neither leaves nor what shares them among workers."""
    names = loaded_modules("rate", thousand, "--system", "bradley_terry")
    assert "prowess.engine.fits.strengths" in names
    clusters = {"prowess.engine.cluster.workers", "prowess.engine.cluster.dask"}
    assert names.isdisjoint({*clusters, "prowess.engine.fits.leaves"})


def test_the_entry_of_the_command_line_stays_a_function():
    """`prowess.cli.main` is the same function before a command has run and after."""
    program = (
        "import prowess.cli as cli, sys; first = cli.main; sys.argv = ['prowess', '--help']\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "import importlib, pkgutil\n"
        "for one in pkgutil.iter_modules(cli.__path__):\n"
        "    importlib.import_module(f'prowess.cli.{one.name}')\n"
        "sys.exit(0 if cli.main is first and callable(first) else 1)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
