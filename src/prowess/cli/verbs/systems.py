"""`prowess systems`: all rating systems, or all about one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from prowess.cli.output import json_option
from prowess.cli.rating import system_names

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.engine.system import Dynamic

RATES = {
    "any": "games, periods, contests",
    "period": "periods",
    "game": "games, contests",
}


@click.command("systems", short_help="All rating systems, or everything about one.")
@click.argument("name", required=False, shell_complete=system_names)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the rating systems, or show formula, source and parameters of NAME.

    NAME may be a system of your own, FILE.py:NAME.
    """
    from prowess.cli.output import json_text, put
    from prowess.cli.table import drawn, screen
    from prowess.systems.catalogue import catalogue, find

    if name is not None:
        data = described(find(name))
        put(json_text(data) if as_json else page(data))
        return
    rows = [summary(system) for system in catalogue().values()]
    if as_json:
        put(json_text(rows))
    else:
        header = ["name", "rates", "formula"]
        body = [[row["name"], row["rates"], row["summary"]] for row in rows]
        put(drawn([header, *body], screen()))


def summary(system: System) -> dict[str, Any]:
    """What the list shows of a system, from its declaration alone."""
    first = system.doc.strip().partition("\n")[0]
    return {"name": system.name, "rates": rates(system), "summary": first}


def rates(system: System) -> str:
    """What kind of results a system takes."""
    from prowess.engine.system import Dynamic

    if isinstance(system, Dynamic):
        return f"{RATES[system.rounds]}{', teams' if system.teams else ''}"
    return f"whole table of {' or '.join(system.reads)}"


def described(system: System) -> dict[str, Any]:
    """All a system declares, as plain data."""
    from prowess.engine.params import parameters, settings
    from prowess.engine.state import newcomer
    from prowess.engine.system import Dynamic, Range

    known = []
    for parameter in parameters(system).values():
        row: dict[str, Any] = {
            "name": parameter.name,
            "default": parameter.shown(parameter.default),
        }
        if isinstance(parameter.domain, Range):
            row |= {
                "low": parameter.domain.low,
                "high": parameter.domain.high,
                "unit": parameter.domain.unit,
            }
        else:
            row["words"] = list(parameter.domain.words)
        known.append(row)
    about: dict[str, Any] = {
        "doc": system.doc.strip(),
        "uses": [*getattr(system, "needs", ()), *system.uses],
        "parameters": known,
        "breaks": dict(system.breaks),
    }
    if isinstance(system, Dynamic):
        about["clock"] = system.clock if ages(system) else None
        about["follows_period"] = ages(system) and system.follows_period
        about["made_for_periods"] = system.by_period
        about["draws"] = system.chances is not None
        about["newcomer"] = newcomer(system, settings(system, {}))._asdict()
    else:
        about["columns"] = list(system.columns)
        about["forecasts"] = system.chances is not None
        about["anchors"] = system.anchored
    return summary(system) | about


def ages(system: Dynamic) -> bool:
    """Whether elapsed time reaches a rating."""
    return system.drift is not None or system.league is not None


def clock_words(data: dict[str, Any]) -> str:
    """The unit in which elapsed time reaches the formulas."""
    from prowess.engine.periods import parse_period

    words = f"in units of {parse_period(data['clock']).words}"
    return f"{words}; of a rating period where one is given" if data["follows_period"] else words


def page(data: dict[str, Any]) -> str:
    """The same for people."""
    from prowess.cli.table import drawn

    lines = [f"{data['name']}", "", data["doc"], ""]
    if data["parameters"]:
        rows = [["parameter", "default", "range", "unit"]]
        for one in data["parameters"]:
            words = one.get("words")
            allowed = " | ".join(words) if words else f"{one['low']:g} to {one['high']:g}"
            default = one["default"]
            shown = default if isinstance(default, str) else f"{default:.10g}"
            rows.append([one["name"], shown, allowed, one.get("unit", "")])
        lines += ["Parameters (--set NAME=VALUE)", indented(drawn(rows)), ""]
    if "newcomer" in data:
        values = ", ".join(f"{name} {value:.10g}" for name, value in data["newcomer"].items())
        lines.append(f"A newcomer    {values}")
    else:
        lines.append(f"Gives         {', '.join(data['columns'])}")
    lines.append(f"Rates         {data['rates']}")
    if data.get("draws"):
        lines.append("Forecasts     win, draw and loss")
    if data.get("made_for_periods"):
        lines.append("              its source rates whole periods (--period 1mo)")
    if data.get("clock"):
        lines.append(f"Time          {clock_words(data)}")
    if data["uses"]:
        lines.append(f"Reads         {', '.join(data['uses'])} where the table has them")
    for law, reason in data["breaks"].items():
        lines.append(f"Breaks        {law}: {reason}")
    return "\n".join(lines)


def indented(text: str) -> str:
    """The lines of a text, moved in."""
    return "\n".join(f"    {line}" for line in text.splitlines())
