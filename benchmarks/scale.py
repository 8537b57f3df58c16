"""Tables larger than memory: how fast, in how much memory, beside scans that rate nothing.

    python benchmarks/scale.py make FOLDER --games 1e8 --players 1e6 [--ids] [--csv]
    python benchmarks/scale.py scan FOLDER
    python benchmarks/scale.py rate FOLDER [--system elo,glicko2] [--digest]
    python benchmarks/scale.py resume FOLDER [--kills 10]
    python benchmarks/scale.py cluster FOLDER [--work periods,fit,tune,resample,swiss]
    python benchmarks/scale.py          # all of it with 10^7 games in a temporary folder

`make` writes games of players with hidden strengths in ascending time, the same for the same seed.
Every other word runs commands in processes of their own, in turns, and prints Markdown: the least
and the median seconds of the rounds, those of the processor, peak memory. A scan reads every column
and finds the least, the greatest and the sum by DuckDB, Polars and pyarrow; a rating is
`prowess rate` as a stream (`--memory`), from the files to the leaderboard; `--digest` compares it
with the same table rated in memory, bit for bit. `resume` kills a rating at random moments and
compares the digest of the resumed one. `cluster` does the same work in one process, on Dask with
one and with two processes of this machine, and with one of two killed in the middle, and compares
digests. Runs on Linux and macOS.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from large.measure import Best, command_prowess, command_script, measure, measure_all
from large.resume import kill_and_resume
from stopwatch import machine, markdown

SCANS = ("duckdb", "polars", "pyarrow")
WORK = ("periods", "fit", "tune", "resample", "swiss")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the word that was given, or all of them on games made for it."""
    given = parse_arguments(arguments)
    if given.word == "make":
        make(given.folder, given)
        return
    print("\n".join(f"{name}: {fact}  " for name, fact in machine().items()), "\n")
    if given.word:
        RUNS[given.word](given.folder, given)
        return
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), given)
        for run in (rate, resume, cluster):
            run(Path(name), given)


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The word, the folder and how much of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words = ("make", *RUNS)
    parser.add_argument("word", nargs="?", choices=words, help="default: all, on games made for it")
    parser.add_argument("folder", nargs="?", type=Path, help="of the games")
    parser.add_argument("--games", type=float, default=1e7)
    parser.add_argument("--players", type=float, default=1e5)
    parser.add_argument("--files", type=int, help="of the games; default: one for 5 million")
    parser.add_argument("--ids", action="store_true", help="integers in place of names")
    parser.add_argument("--csv", action="store_true", help="CSV in place of Parquet")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--system", default="elo,glicko2", help="one or several, with commas")
    parser.add_argument("--memory", default="4GB", help="of a stream; 0: leave it to prowess")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--work", default=",".join(WORK), help="of the cluster")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--digest", action="store_true", help="compare with ratings in memory")
    parser.add_argument("--smallest", action="store_true", help="only whether everything runs")
    parser.set_defaults(workers=(0, 1, 2))  # of the cluster; 0 is one process without a cluster
    given = parser.parse_args(arguments)
    if given.word and not given.folder:
        parser.error("name the folder of the games")
    if given.smallest:
        given.games, given.players, given.files, given.rounds = 20_000, 500, 3, 1
        given.kills, given.work, given.workers = 1, "tune", (0,)  # beside it two, one killed
        given.system = "elo"
    given.digest |= not given.word
    return given


def make(folder: Path, given: argparse.Namespace) -> None:
    """Write games into the folder, in a process of its own: a child's peak starts at ours."""
    size = [int(given.games), int(given.players)]
    form = {"ids": given.ids, "csv": given.csv, "files": given.files, "seed": given.seed}
    print(measure(command_script("make", folder, *size, json.dumps(form))).output)


def scan(folder: Path, given: argparse.Namespace) -> None:
    """Scans alone."""
    print_times(folder, measure_all(scans_of(folder), given.rounds))


def rate(folder: Path, given: argparse.Namespace) -> None:
    """Scans, and ratings in the same rounds; then digests."""
    systems = given.system.split(",")
    rating = {
        f"prowess rate, {system}": command_rate(folder, system, given.memory, "--top", 1)
        for system in systems
    }
    print_times(folder, measure_all({**scans_of(folder), **rating}, given.rounds))
    if given.digest:
        print_digests(folder, systems, given.memory)


def command_rate(folder: Path, system: str, memory: str, *more: object) -> list[str]:
    """A rating of the folder, as a stream unless memory is 0."""
    stream = [] if memory == "0" else ["--memory", memory]
    return command_prowess("rate", folder, "--system", system, *stream, *more)


def scans_of(folder: Path) -> dict[str, list[str]]:
    """The command of each scan."""
    return {f"scan, {name}": command_script("scan", name, folder) for name in SCANS}


def print_times(folder: Path, runs: Mapping[str, Best | str]) -> None:
    """One row a command; the ratio is to the fastest scan of the same rounds."""
    scanned = [
        run for name, run in runs.items() if name.startswith("scan") and isinstance(run, Best)
    ]
    if not scanned:
        raise SystemExit("install one of duckdb, polars, pyarrow for the scans")
    games = int(scanned[0].output.split()[0])
    fastest = min(run.seconds for run in scanned)
    rows: list[list[object]] = []
    for name, run in runs.items():
        if isinstance(run, str):
            rows.append([name, f"skipped: {run}"])
            continue
        rows.append([
            name,
            f"{run.seconds:.2f} ({run.median:.2f})",
            f"{run.busy:.2f}",
            f"{run.memory:.2f}",
            f"{games / run.seconds / 1e6:.1f}",
            f"{run.seconds / fastest:.2f}",
        ])  # fmt: skip
    head = [
        "command",
        "s, least (median)",
        "processor s",
        "peak GB",
        "M games/s",
        "to the best scan",
    ]
    print(f"{games:,} games in {folder.name}\n\n{markdown(head, rows)}")


def print_digests(folder: Path, systems: Sequence[str], memory: str) -> None:
    """Whether the files give the ratings of the table in memory, bit for bit; exit where not."""
    for system in systems:
        with tempfile.TemporaryDirectory() as name:
            board = Path(name) / "ratings.parquet"
            measure(command_rate(folder, system, memory, "--output", board))
            ours = measure(command_script("ratings", board)).output.strip()
        whole = measure(command_script("ratings", folder, system))
        if ours != whole.output.strip():
            raise SystemExit(f"{system}: {ours} as a stream, {whole.output} in memory")
        print(
            f"{system}: digest {ours} as a stream and in memory, where it took"
            f" {whole.seconds:.1f} s and {whole.memory:.2f} GB"
        )


def resume(folder: Path, given: argparse.Namespace) -> None:
    """Kills and resumptions of each system."""
    for system in given.system.split(","):
        rating = command_rate(folder, system, given.memory)
        print(f"{system}: {kill_and_resume(rating, given.kills, given.seed)}")


def cluster(folder: Path, given: argparse.Namespace) -> None:
    """Seconds and digests of each kind of work, in turns; exit where digests differ."""
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as name:
        for work in given.work.split(","):
            games = folder
            if work == "periods":
                games = Path(name) / "shards"
                measure(command_prowess("shard", folder, games))
            rows += [[work, *run] for run in time_cluster(work, games, given.workers, given.rounds)]
    print(markdown(CLUSTER_HEAD, rows))


CLUSTER_HEAD = [
    "work", "processes", "s, least (median)", "to one process", "processor s: client", "workers",
    "digest",
]  # fmt: skip


def time_cluster(work: str, folder: Path, counts: Sequence[int], rounds: int) -> list[list[object]]:
    """A row each: one process (0) and some workers in turns; two of which one is killed, once."""
    runs: dict[int, list[list[float]]] = {count: [] for count in counts}
    digests = set()

    def run(workers: int, kill_after: str = "") -> list[float]:
        output = measure(command_script("cluster", work, folder, workers, kill_after)).output
        *times, digest = output.split()
        digests.add(digest)
        return [float(time) for time in times]

    for _ in range(rounds):
        for count in counts:
            runs[count].append(run(count))
    killed = [run(2, f"{min(runs[counts[-1]])[0] / 2:.3f}")]
    if len(digests) > 1:
        raise SystemExit(f"{work}: {' '.join(digests)} from one process and from workers")
    alone = min(runs[0])[0]
    names = {f"{count} workers" if count else "one": runs[count] for count in counts}
    return [
        [
            name,
            f"{min(of)[0]:.2f} ({median(one[0] for one in of):.2f})",
            f"{min(of)[0] / alone:.2f}",
            *(f"{min(one[k] for one in of):.2f}" for k in (1, 2)),
            *digests,
        ]
        for name, of in {**names, "2, one killed": killed}.items()
    ]


RUNS = {"scan": scan, "rate": rate, "resume": resume, "cluster": cluster}

if __name__ == "__main__":
    sys.exit(main())
