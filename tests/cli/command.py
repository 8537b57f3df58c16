"""Runs the real command, as a shell would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    """`prowess ARGUMENTS`, run to its end; never shows a traceback."""
    done = subprocess.run(
        [sys.executable, *python, "-m", "prowess", *map(str, arguments)],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        cwd=cwd,
        env=environment(**env),
        timeout=60,
        check=False,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err, err
    assert "Warning" not in err, err
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


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
