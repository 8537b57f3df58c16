"""Runs the command as a shell would, in this process or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from prowess.cli.exits import run

ROOT = Path(__file__).parent.parent.parent
FOOTBALL = ROOT / "examples" / "international_football_results.csv.gz"

GAMES = """\
date,player_a,player_b,result
2024-01-01,ada,ben,1
2024-01-02,ben,cy,0.5
2024-01-09,cy,ada,0
2024-02-01,ben,ada,1
"""
CONTESTS = """\
date,race,driver,position
2024-01-01,first,ada,1
2024-01-01,first,ben,2
2024-01-01,first,cy,3
2024-01-08,second,cy,1
2024-01-08,second,ada,2
2024-01-08,second,dot,2
"""


def environment(**more: str) -> dict[str, str]:
    """The environment of the tests, with our sources first."""
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **more}


def prowess(
    *arguments: object,
    stdin: str | bytes = b"",
    cwd: Path | None = None,
    python: tuple[str, ...] = (),
    **env: str,
) -> subprocess.CompletedProcess[str]:
    """`prowess ARGUMENTS`, run to its end; never shows a traceback.

    It has a process of its own where it is given options of Python or variables: starting the
    interpreter takes longer than most verbs.
    """
    given = [str(one) for one in arguments]
    data = stdin.encode() if isinstance(stdin, str) else stdin
    if python or env:
        done = subprocess.run(
            [sys.executable, *python, "-m", "prowess", *given],
            input=data,
            capture_output=True,
            cwd=cwd,
            env=environment(**env),
            timeout=60,
            check=False,
        )
        code, out, err = done.returncode, done.stdout.decode(), done.stderr.decode()
    else:
        code, out, err = run_here(given, data, cwd)
    assert "Traceback" not in err, err
    assert "Warning" not in err, err
    return subprocess.CompletedProcess(given, code, out, err)


def run_here(arguments: list[str], stdin: bytes, cwd: Path | None) -> tuple[int, str, str]:
    """The exit code, stdout and stderr of a run in this process."""
    streams = CliRunner().isolation(stdin)
    with chdir(cwd or Path.cwd()), patch.dict(os.environ), streams as (out, err, _):
        try:
            run(arguments)
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
        sys.stderr.flush()
    assert isinstance(code, int)
    return code, out.getvalue().decode(), err.getvalue().decode()


def answered(*arguments: object, **how: Any) -> str:
    """What a run that must go well prints on stdout."""
    done = prowess(*arguments, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(code: int, *arguments: object, **how: Any) -> str:
    """What a run that must end with this code says on stderr; stdout stays empty."""
    done = prowess(*arguments, **how)
    assert (done.returncode, done.stdout) == (code, ""), done.stdout + done.stderr
    assert "bug" not in done.stderr, done.stderr
    return done.stderr
