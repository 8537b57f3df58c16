"""Servers that start at once: a process with everything imported, which forks them.

    python -m tests.live.load_nursery [--cold]

Each line on standard input is JSON: the words of a command line, the file for what the server
says, and the seconds between two rounds of its housekeeping. The answers are the server's
number and, when it has ended, how it ended (-9: killed). With its standard input the nursery
ends, and the server with it. From `fork` on a server runs what `prowess serve` runs. With
`--cold` nothing is imported before, and each server starts as a user starts it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from typing import NoReturn

LOOK = 0.003  # seconds between two looks at a server
NEEDED = (
    "prowess.cli.verbs.serve",
    "prowess.live.api.application",
    "prowess.live.api.rumble",
    "prowess.live.api.server",
    "prowess.live.journal.journal",
    "prowess.live.web.routes",
    "prowess.study.backtest",
    "prowess.systems.catalogue",
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
)


COLD = """
import json, sys
from prowess.cli.exits import run
from prowess.live.api import server
server.HOUSEKEEPING = float(sys.argv[1])
run(json.loads(sys.argv[2]))
"""


def born(words: list[str], said: str, housekeeping: float, *, cold: bool) -> NoReturn:
    """Become a server."""
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, place in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(descriptor, place)
    if cold:
        os.execv(sys.executable, [sys.executable, "-c", COLD, str(housekeeping), json.dumps(words)])
    from prowess.cli.exits import run
    from prowess.live.api import server

    server.HOUSEKEEPING = housekeeping
    run(words)


def ended(child: int) -> int:
    """Wait until the server has ended, or end it with our standard input; how it ended."""
    while True:
        number, status = os.waitpid(child, os.WNOHANG)
        if number:
            return os.waitstatus_to_exitcode(status)
        if select.select([0], [], [], LOOK)[0]:  # nothing comes while a server runs, but the end
            os.kill(child, signal.SIGKILL)


def warmed() -> None:
    """Read the catalogue and load what is compiled, as every server would."""
    import numpy as np

    from prowess.live.ladder.loading import load_ladder
    from prowess.live.result import GAMES

    column = np.arange(3)
    log = {"id": column, "time": column, "a": column, "b": column + 1, "score": column / 2.0}
    for system in ("elo", "glicko2"):
        load_ladder(log, system, {}, None, GAMES, (), str).ratings()


def told(answer: object) -> None:
    """Say something to whoever asked."""
    sys.stdout.write(f"{answer}\n")
    sys.stdout.flush()


def main() -> None:
    """Fork servers, one after the other."""
    cold = "--cold" in sys.argv
    if not cold:
        for name in NEEDED:
            __import__(name)
        warmed()
    told("ready")
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            born(*json.loads(line), cold=cold)
        told(child)
        told(ended(child))


if __name__ == "__main__":
    main()
