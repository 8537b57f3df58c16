"""What a correction costs in a log of a million games, and that every bit is right after it.

    python benchmarks/corrections.py [--games N] [--players N] [--store URL]

Games are entered through the journal of the live server, then some are voided, changed and inserted
at the start, the middle and the end of the log, under Elo, Glicko-2 and `prowess`. After each of
them all ratings are compared bit for bit with the batch program's over a table of this program's
own, and with what the preview said; one difference ends the run. Times are those of the journal, in
one process, to the durable commit. Prints Markdown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from stopwatch import machine, markdown, peak_memory

FEWEST = 30_000  # games
ROOT = Path(__file__).parent.parent
SYSTEMS = ("elo", "glicko2", "prowess")


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--games", type=int, default=1_000_000)
    words.add_argument("--players", type=int, default=10_000)
    words.add_argument("--store", help="the address of an empty store; a file, if left out")
    words.add_argument("--smallest", action="store_true", help="only whether it runs")
    told = words.parse_args()
    systems = SYSTEMS
    if told.smallest:
        told.games, told.players, systems = FEWEST, 200, SYSTEMS[:2]
    if told.games < FEWEST:
        words.error(f"--games: give {FEWEST:,} or more; fewer have no rows to correct at the end")
    sys.path.insert(0, str(ROOT))
    facts = "; ".join(f"{name}: {fact}" for name, fact in machine().items())
    with tempfile.TemporaryDirectory() as folder:
        store = told.store or f"sqlite:///{folder}/ladder.db"
        print(f"{told.games:,} games of {told.players:,} players; {facts}\n")
        corrections, rest = measured(store, systems, told.games, told.players)
    head = ["system", "where", "what", "preview s", "commit s", "games played again", "who move"]
    print(markdown(head, corrections))
    print(markdown(["what", "s"], rest))
    print(f"Peak memory: {peak_memory():,.0f} MiB.")


def measured(
    store: str, systems: Sequence[str], games: int, players: int
) -> tuple[list[list[Any]], list[list[Any]]]:
    """The rows of both tables."""
    from sqlalchemy import delete

    from prowess.live.journal.categories import ChangeMethod, NewCategory
    from prowess.live.journal.journal import Journal, verify_store
    from prowess.live.journal.stored_log import collect_values
    from prowess.live.store.tables import checkpoint
    from tests.live.load_corrections import CATEGORY, CONSOLE, Log, corrected, imported

    log = Log(games, players)
    numbers = list(range(1, games + 1))
    rows: list[list[Any]] = []
    rest: list[list[Any]] = []
    journal = Journal.open(store)
    journal.commit(NewCategory(CATEGORY, system=systems[0]), CONSOLE)
    rest.append(["import of all games", clocked(lambda: imported(journal, log))])
    for turn, system in enumerate(systems):
        if turn:
            began = time.perf_counter()
            journal.commit(ChangeMethod(CATEGORY, system), CONSOLE)
            rest.append([f"change to {system}", f"{time.perf_counter() - began:.2f}"])
        for one in corrected(journal, log, numbers, turn):
            seconds = f"{one.preview:.3f}", f"{one.commit:.3f}"
            rows.append([system, one.place, one.change, *seconds, one.replayed, one.movers])
        shown = collect_values(journal.ratings(CATEGORY))
        rest.append([f"{system}: end, with a checkpoint kept", clocked(journal.close)])
        for kept in (True, False):
            if not kept:
                journal.store.writer.do(lambda connection: connection.execute(delete(checkpoint)))
                journal.store.close()
            began = time.perf_counter()
            journal = Journal.open(store)
            seconds = f"{time.perf_counter() - began:.2f}"
            rest.append([f"{system}: start {'with' if kept else 'without'} a checkpoint", seconds])
            assert collect_values(journal.ratings(CATEGORY)) == shown
    journal.close()
    rest.append(["`prowess check`", clocked(lambda: verify_store(store))])
    return rows, rest


def clocked(work: Callable[[], object]) -> str:
    """Its seconds."""
    began = time.perf_counter()
    work()
    return f"{time.perf_counter() - began:.2f}"


if __name__ == "__main__":
    main()
