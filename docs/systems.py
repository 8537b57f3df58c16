"""Write the README's table of systems from their declarations: `make readme`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from prowess.engine.check import System
from prowess.engine.params import parameters
from prowess.engine.system import Dynamic
from prowess.systems.catalogue import catalogue

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- systems: written by `make readme` -->\n", "<!-- end of systems -->\n"
FAMILIES = {  # of systems, in the order of the table
    "dynamic": "games one by one, rating periods, contests",
    "static": "all games at once: language models, engines, anything voted on",
    "rumble": "leagues of programs that all meet",
    "votes": "elections, preferences",
    "tables": "league tables",
}


def table() -> str:
    """The rows of the table, a row a module."""

    def place(system: System) -> tuple[int, str]:
        family = "dynamic" if isinstance(system, Dynamic) else system.family
        return list(FAMILIES).index(family), system.home

    rows = ["| for | system | what it is | also |", "|---|---|---|---|"]
    last = ""
    for (family, _), group in groupby(sorted(catalogue().values(), key=place), key=place):
        systems = list(group)
        names = ", ".join(f"`{system.name}`" for system in systems)
        heading = list(FAMILIES.values())[family]
        shown, last = ("" if heading == last else heading), heading
        also = filter(None, (mark(systems, "teams", teams), mark(systems, "draws", draws)))
        cells = (shown, names, summary(systems[0]), "; ".join(also))
        rows.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return "\n".join(rows) + "\n"


def summary(system: System) -> str:
    """The first sentence of a module, without the name that stands before it."""
    first = system.doc.strip().partition("\n")[0].rstrip(".")
    return first.partition(": ")[2] or first


def teams(system: System) -> bool:
    """Whether sides may have several members."""
    return isinstance(system, Dynamic) and system.teams


def draws(system: System) -> bool:
    """Whether forecasts hold the chance of a draw."""
    if isinstance(system, Dynamic):
        return system.chances is not None
    known = parameters(system).get("draws")
    return known is not None and known.display(known.default) in ("davidson", "rao_kupper")


def mark(systems: list[System], word: str, has: Callable[[System], bool]) -> str:
    """The word where all systems of a row have it, with their names where some do."""
    having = [system.name for system in systems if has(system)]
    if len(having) in (0, len(systems)):
        return word if having else ""
    return f"{word}: {', '.join(f'`{name}`' for name in having)}"


def written(readme: str) -> str:
    """The README with the table as it should be."""
    before, _, rest = readme.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
