"""Write the README's tables of systems from their declarations: `make readme`."""

from __future__ import annotations

from pathlib import Path

from prowess.engine.check import System
from prowess.engine.params import parameters
from prowess.engine.system import Dynamic
from prowess.systems.catalogue import BY_USE, catalogue

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- systems: written by `make readme` -->\n", "<!-- end of systems -->\n"
FAMILIES = {  # of systems, in the order of the table
    "dynamic": "games one by one, rating periods, contests",
    "goals": "football and other games of goals: the chance of every score",
    "static": "all games at once: language models, engines, anything voted on",
    "rumble": "leagues of programs that all meet",
    "votes": "elections, preferences",
    "tables": "league tables",
}


def choice() -> str:
    """The rows of the systems to take first, by use."""
    rows = [
        "| take | for |",
        "|---|---|",
        *(f"| `{name}` | {use} |" for name, use in BY_USE.items()),
    ]
    return "\n".join(rows) + "\n"


def table() -> str:
    """The rows of all systems, those of a family and of a module together."""
    rows = ["| for | system | what it is | also |", "|---|---|---|---|"]
    last = ""
    for system in sorted(catalogue().values(), key=place):
        heading = FAMILIES[family(system)]
        shown, last = ("" if heading == last else heading), heading
        also = ", ".join([*["teams"] * teams(system), *["draws"] * draws(system)])
        cells = (shown, f"`{system.name}`", system.line.rstrip("."), also)
        rows.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return "\n".join(rows) + "\n"


def place(system: System) -> tuple[int, str, bool]:
    """Where a system stands: its family, its module, variants after the system that they vary."""
    return list(FAMILIES).index(family(system)), system.home, bool(system.summary)


def family(system: System) -> str:
    """Under what a system is listed."""
    return "dynamic" if isinstance(system, Dynamic) else system.family


def teams(system: System) -> bool:
    """Whether sides may have several members."""
    return isinstance(system, Dynamic) and system.teams


def draws(system: System) -> bool:
    """Whether forecasts hold the chance of a draw."""
    if isinstance(system, Dynamic):
        return system.chances is not None
    if system.scores is not None:
        return True
    known = parameters(system).get("draws")
    return known is not None and known.display(known.default) in ("davidson", "rao_kupper")


def written(readme: str) -> str:
    """The README with the tables as they should be."""
    before, _, rest = readme.partition(BEGIN)
    after = rest.partition(END)[2]
    more = "<details><summary>All systems</summary>\n"
    return f"{before}{BEGIN}{choice()}\n{more}\n{table()}\n</details>\n{END}{after}"


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
