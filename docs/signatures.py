"""Write the signatures that editors complete, from the declarations of systems: `make readme`.

`src/prowess/verbs/signatures.pyi` has the public functions that take columns of the reader and
parameters of systems as keywords, each with its type. Only type checkers and editors read it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from prowess.engine.params import parameters
from prowess.engine.system import Choice
from prowess.games.read import read_games
from prowess.systems.catalogue import catalogue
from prowess.verbs.judge import (
    arena,
    backtest,
    benchmark,
    compare,
    diagnose,
    sprt,
    stack,
    table,
    triangles,
    tune,
)
from prowess.verbs.match import system
from prowess.verbs.rating import rate, rate_leagues, rate_on
from prowess.verbs.tables import reader_options

STUB = Path(__file__).parent.parent / "src" / "prowess" / "verbs" / "signatures.pyi"
WIDTH = 100
TAKEN = ("seed",)  # a parameter that is also an argument of `tune` and `diagnose`
NAMED = 4  # systems that a comment names
HEAD = '''\
"""Signatures that editors complete; written by `make readme` from the declarations."""

# fmt: off
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from numpy.typing import NDArray

from prowess.engine.check import System
from prowess.engine.inflation import Rule
from prowess.engine.league_ratings import LeagueRatings
from prowess.engine.ratings import Ratings
from prowess.engine.tabular import ResultTable
from prowess.games.cells.skipped_rows import SkipBad
from prowess.games.errors import BadData
from prowess.games.games import Games
from prowess.games.layout import Columns as Headings
from prowess.study.arena import Arena
from prowess.study.backtest import Backtest
from prowess.study.compare import Comparison
from prowess.study.diagnosis.diagnose import Diagnosis
from prowess.study.sequential import SequentialTest
from prowess.study.stack import Stack
from prowess.study.tuning.outcome import TuningResult
from prowess.verbs.judge import Progress
from prowess.verbs.match import MatchSystem

Number = float | str | Sequence[float | str] | NDArray[Any]  # several values make a bank
'''


READ_GAMES = """\
def read_games(
    source: Any, *, compiled: bool | None = ..., **options: Unpack[Columns]
) -> Games: ...
"""


def write_stub() -> str:
    """The text of the stub."""
    own = {name: line for name, line in parameter_lines() if name not in reader_options()}
    parts = [
        HEAD,
        class_text("Columns", "TypedDict", reader_lines()),
        class_text("Parameters", "TypedDict", [line for _, line in parameter_lines()]),
    ]
    shared = [line for name, line in own.items() if name not in TAKEN]
    parts.append(class_text("SharedKeywords", "Columns", shared))
    parts.append(class_text("Keywords", "SharedKeywords", [own[name] for name in TAKEN]))
    parts += [declare(one, "Keywords") for one in (rate, rate_leagues, backtest)]
    parts += [declare(one, "SharedKeywords") for one in (tune, diagnose)]
    of_columns = (rate_on, arena, benchmark, compare, sprt, stack, table, triangles)
    parts += [declare(one, "Columns") for one in of_columns]
    parts.append(READ_GAMES)
    return "\n".join([*parts, declare(system, "Parameters")])


def class_text(name: str, base: str, lines: Any) -> str:
    """A class of keywords, all of which may be left out."""
    return "\n".join([f"class {name}({base}, total=False):", *(f"    {one}" for one in lines), ""])


def reader_lines() -> Iterator[str]:
    """The keywords of the reader."""
    for name, one in signature(read_games).parameters.items():
        if name in reader_options():
            yield f"{name}: {one.annotation.replace('Columns', 'Headings')}"


def parameter_lines() -> Iterator[tuple[str, str]]:
    """The parameters of all systems: the values each may have, its meanings and its systems."""
    systems: Any = defaultdict(lambda: defaultdict(list))  # by parameter and meaning
    words = defaultdict(dict[str, None])
    for one in catalogue().values():
        for name, parameter in parameters(one).items():
            systems[name][parameter.meaning].append(one.name)
            if isinstance(parameter.domain, Choice):
                words[name] |= dict.fromkeys(parameter.domain.words)
    for name in sorted(systems):
        values = ", ".join(f'"{word}"' for word in words[name])
        kind = f"Literal[{values}] | Number" if values else "Number"
        said = "; ".join(f"{name_systems(of)}: {what}" for what, of in systems[name].items())
        yield name, f"{name}: {kind}  # {said}"


def name_systems(names: list[str]) -> str:
    """The first names of some systems, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def declare(function: Callable[..., Any], keywords: str) -> str:
    """A function with the types of its keywords, in lines of at most WIDTH characters."""
    found = signature(function)
    texts = []
    for name, one in found.parameters.items():
        if one.kind is Parameter.KEYWORD_ONLY and name in reader_options():
            continue  # it is among the keywords
        if one.kind is Parameter.VAR_KEYWORD:
            texts.append(f"**{name}: Unpack[{keywords}]")
            continue
        if one.kind is Parameter.KEYWORD_ONLY and "*" not in texts:
            texts.append("*")
        default = "" if one.default is Parameter.empty else " = ..."
        texts.append(f"{name}: {one.annotation}{default}")
    lines, line = [f"def {function.__name__}("], "   "
    for text in texts:
        if len(line) + len(text) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {text},"
    return "\n".join([*lines, line, f") -> {found.return_annotation}: ...", ""])


if __name__ == "__main__":
    STUB.write_text(write_stub(), encoding="utf-8")
