"""Compare how two programs read changed tables of `tests/door`: columns renamed, translated, put in
another order, left out.

    python tests/door/differential.py OTHER_SRC [--changes N] [--only NAME]

reads every table with the source beside this file and with that of `OTHER_SRC`, and prints those
whose games, reading or code of refusal differ. Both read the same cells, as the other program
opens the table, with its headings changed in the same way.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"
MOST_CELLS = 100_000  # of a table that is changed
CHANGES = 4  # of each table, beside the table as it is


class Case(NamedTuple):
    """One table in the form that both programs read."""

    name: str
    headings: list[str]
    cells: list[list[Any]]  # column by column
    options: dict[str, Any]


def list_cases(changes: int, only: str) -> Iterator[Case]:
    """Every table of `tests/door` as it is and with changes; of a table that needs options only as
    it is, since options name its columns.
    """
    from prowess.games.errors import BadData
    from prowess.games.formats.opened_tables import read_cells
    from tests.door.truth import _complete, find_source, list_tables

    for path in list_tables():
        name = path.name.split(".")[0]
        if only not in name:
            continue
        truth = json.loads(path.read_text(encoding="utf-8"))
        options = _complete(truth.get("options", {}))
        try:
            headings, rows, _, _ = read_cells(find_source(name, truth))
        except (BadData, TypeError, ValueError, OSError, StopIteration):
            continue
        if len(headings) * len(rows) > MOST_CELLS:
            continue
        cells = [[row[at] for row in rows] for at in range(len(headings))]
        yield Case(name, headings, cells, options)
        for number in range(0 if options else changes):
            yield change_table(Case(f"{name} {number}", headings, cells, {}), number)


def change_table(case: Case, number: int) -> Case:
    """The table with one kind of change, the same for the same name and number."""
    chance = random.Random(case.name)
    columns = list(zip(case.headings, case.cells, strict=True))
    kind = number % 4
    if kind == 0:  # another order
        chance.shuffle(columns)
    elif kind == 1 and len(columns) > 2:
        columns.pop(chance.randrange(len(columns)))
    elif kind == 2:
        columns = [(translate_heading(name, chance), cells) for name, cells in columns]
    else:
        write = chance.choice([str.upper, str.title, lambda name: name.replace(" ", "_") + "_"])
        columns = [(write(name), cells) for name, cells in columns]
    headings = [name for name, _ in columns]
    if len({*headings}) < len(headings):
        columns = list(zip(case.headings, case.cells, strict=True))
    return Case(case.name, [n for n, _ in columns], [c for _, c in columns], {})


def translate_heading(name: str, chance: random.Random) -> str:
    """A heading in which a word has become another of the same meaning."""
    from prowess.games.vocabulary import WORDS_IN_ORDER

    words = name.split(" ") if " " in name else name.split("_")
    for at, word in enumerate(words):
        alike = [found for found in WORDS_IN_ORDER.values() if word.casefold() in found]
        if alike and chance.random() < 0.7:
            words[at] = chance.choice(chance.choice(alike))
    return " ".join(words)


def read_case(case: Case) -> dict[str, Any]:
    """What a program makes of a table: its reading and its games, or the code of the refusal."""
    import prowess
    from prowess.games.errors import BadData

    table = dict(zip(case.headings, case.cells, strict=True))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            games = prowess.read_games(table, **case.options)
    except BadData as error:
        return {"refused": error.code, "says": str(error)[:300]}
    except Exception as error:  # whatever else escapes is a defect
        return {"crashed": f"{type(error).__name__}: {error}"}
    columns: list[Any] = [games.player, games.ends, games.place, games.time, games.side]
    columns += [games.points_a, games.points_b, games.weight, games.round]
    held = repr([None if each is None else each.tolist() for each in columns])
    digest = hashlib.sha256((held + repr([*games.players])).encode()).hexdigest()[:16]
    return {"games": digest, "reading": str(games.reading)}


def read_all(path: str) -> None:
    """Read the cases of a file and print a line for each."""
    for case in pickle.loads(Path(path).read_bytes()):
        sys.stdout.write(json.dumps([case[0], read_case(Case(*case))]) + "\n")


def read_with(source: Path, path: str) -> dict[str, Any]:
    """What the program of this source makes of the cases of a file."""
    paths = os.pathsep.join([str(source), str(HERE.parent.parent)])
    command = [sys.executable, __file__, "--read", path, "."]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(map(json.loads, done.stdout.splitlines()))


def main() -> None:
    """Print where the two programs differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other")
    parser.add_argument("--changes", type=int, default=CHANGES)
    parser.add_argument("--only", default="")
    parser.add_argument("--read")
    given = parser.parse_args()
    if given.read:
        read_all(given.read)
        return
    sys.path[:0] = [str(given.other), str(HERE.parent.parent)]
    cases = [tuple(case) for case in list_cases(given.changes, given.only)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cases.pickle")
        path.write_bytes(pickle.dumps(cases))
        one, other = (read_with(source, str(path)) for source in (SOURCE, Path(given.other)))
    different = [name for name in one if one[name] != other[name]]
    for name in different:
        sys.stdout.write(f"{name}\n  here  {one[name]}\n  other {other[name]}\n")
    sys.stdout.write(f"{len(one)} tables, {len(different)} read differently\n")


if __name__ == "__main__":
    main()
