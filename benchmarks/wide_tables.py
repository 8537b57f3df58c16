"""What long texts, many columns and many ballots cost a reader: seconds of processor time.

    python benchmarks/wide_tables.py [--smallest] [--runs 3] [--folder FOLDER]

Tables of the shapes that people publish are made first: votes with the answers of two models in
CSV and JSON lines, ballots in a workbook, games with dozens of columns that no rating needs. Each
is read by `prowess look FILE` in a process of its own. The time is that of the process and its
children, beyond what a table of ten rows takes in the same run: the least of several runs.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

MODELS = [f"model-{letter}" for letter in "abcdefghijklmnop"]
WORDS = (
    "the",
    "of",
    "and",
    "rating",
    "which",
    "answer",
    "shows",
    "that",
    "a",
    "longer",
    "text",
    "12",
    "3.5",
)
Row = dict[str, str | int | float]


def text(chance: random.Random, words: int) -> str:
    """An answer of a model: sentences, lines, numbers and quotes."""
    chosen = chance.choices(WORDS, k=words)
    for place in range(12, words, 12):
        chosen[place] += chance.choice([".", ",\n", ': "so"', " - 2:1", " 2024-05-01"])
    return " ".join(chosen)


def votes(rows: int, words: int) -> Iterator[Row]:
    """Votes on the answers of two models, with the prompt and both answers."""
    chance = random.Random(1)
    for row in range(rows):
        model_a, model_b = chance.sample(MODELS, 2)
        yield {
            "question_id": f"q{row}", "model_a": model_a, "model_b": model_b,
            "winner": chance.choice(["model_a", "model_b", "tie", "tie (bothbad)"]),
            "prompt": text(chance, words // 8), "response_a": text(chance, words),
            "response_b": text(chance, words), "language": "English", "turn": 1,
        }  # fmt: skip


def games(rows: int, columns: int) -> Iterator[Row]:
    """Games of a league with columns of statistics: numbers, times, words, flags."""
    chance = random.Random(2)
    teams = [f"Team {number}" for number in range(30)]
    for row in range(rows):
        home, away = chance.sample(teams, 2)
        game: Row = {
            "Date": f"{2000 + row // 365}-{row % 12 + 1:02}-{row % 28 + 1:02}",
            "HomeTeam": home, "AwayTeam": away,
            "FTHG": chance.randrange(5), "FTAG": chance.randrange(5), "Referee": f"Ref {row % 17}",
        }  # fmt: skip
        for number in range(len(game), columns):
            kind = number % 6
            game[f"stat_{number}"] = (
                chance.randrange(30) if kind == 0
                else f"{chance.random() * 9:.2f}" if kind < 3
                else f"{chance.randrange(60)}:{chance.randrange(60):02}" if kind == 3
                else chance.choice(["Y", "N", ""]) if kind == 4
                else chance.choice(["clear", "rain", "wind from the south", "night"])
            )  # fmt: skip
        yield game


def ballots(rows: int) -> Iterator[Row]:
    """Ballots that rank up to five candidates, as offices publish them."""
    chance = random.Random(3)
    candidates = ["Adams, A.", "Brown, B.", "Clark, C.", "Davis, D.", "Evans, E.", "Ford, F."]
    for row in range(rows):
        ranked = chance.sample(candidates, chance.randrange(1, 6))
        ranked += [""] * (5 - len(ranked))
        yield {
            "Cast Vote Record": row, "Precinct": f"Ward {row % 40}", "Ballot Style": "City",
            **{f"Rank {place + 1}": name for place, name in enumerate(ranked)},
        }  # fmt: skip


def write_csv(path: Path, rows: Iterator[Row]) -> None:
    """A CSV with a heading."""
    first = next(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(first))
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(rows)


def write_lines(path: Path, rows: Iterator[Row]) -> None:
    """One JSON object a line."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def write_workbook(path: Path, rows: Iterator[Row]) -> None:
    """A workbook of one sheet."""
    import xlsxwriter

    first = next(rows)
    with xlsxwriter.Workbook(path, {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, list(first))
        sheet.write_row(1, 0, list(first.values()))
        for number, row in enumerate(rows, 2):
            sheet.write_row(number, 0, list(row.values()))


Write = Callable[[Path, Iterator[Row]], None]
TABLES: dict[str, tuple[str, Write, Callable[[int], Iterator[Row]], int, tuple[str, ...]]] = {
    "votes with texts": ("csv", write_csv, lambda rows: votes(rows, 230), 4_000, ()),
    "votes with texts, JSON": ("jsonl", write_lines, lambda rows: votes(rows, 230), 4_000, ()),
    "votes with long texts": ("csv", write_csv, lambda rows: votes(rows, 900), 999, ()),
    "ballots in a workbook": ("xlsx", write_workbook, ballots, 80_000, ("--time", "none")),
    "78 columns": ("csv", write_csv, lambda rows: games(rows, 78), 2_838, ()),
    "161 columns": ("csv", write_csv, lambda rows: games(rows, 161), 2_429, ()),
}  # fmt: skip


def seconds_to_read(path: Path, options: tuple[str, ...], runs: int) -> float:
    """Processor time of `prowess look FILE`, the least of several runs."""
    command = [sys.executable, "-m", "prowess", "look", str(path), *options]
    least = float("inf")
    for _ in range(runs):
        before = os.times()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        after = os.times()
        if done.returncode:
            sys.exit(f"{path.name}: {done.stderr.strip()}")
        used = after.children_user - before.children_user
        least = min(least, used + after.children_system - before.children_system)
    return least


def main() -> None:
    """Make the tables, read them, print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--smallest", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    runs = 1 if chosen.smallest else chosen.runs
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        print(f"{'table':24} {'rows':>7} {'MB':>6} {'CPU s':>6} {'beyond ten rows':>16}")
        for name, (suffix, write, make, full, options) in TABLES.items():
            rows = full // 50 if chosen.smallest else full
            times = []
            for count in (10, rows):
                path = folder / f"{name.replace(' ', '_').replace(',', '')}_{count}.{suffix}"
                write(path, make(count))
                times.append(seconds_to_read(path, options, runs))
            size = path.stat().st_size / 1e6
            print(f"{name:24} {rows:7,} {size:6.1f} {times[1]:6.2f} {times[1] - times[0]:16.2f}")


if __name__ == "__main__":
    main()
