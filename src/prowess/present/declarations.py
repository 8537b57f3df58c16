"""What systems declare and what sources claim of leagues, as plain data and as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import display_settings, parameters, settings
from prowess.engine.periods import parse_period
from prowess.engine.state import display_values, displayed_fields, newcomer
from prowess.engine.system import Dynamic, Range

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.engine.text_table import Rows
    from prowess.study.simulation.claims import Claim, ClaimCheck

ROUNDS_RATED = {"any": "games, periods, contests", "period": "periods", "game": "games, contests"}


def summary_of(system: System) -> dict[str, Any]:
    """The row of the list for a system, from its declaration alone."""
    return {"name": system.name, "rates": name_results(system), "summary": system.line}


def name_results(system: System) -> str:
    """The kinds of results that a system takes."""
    if isinstance(system, Dynamic):
        return f"{ROUNDS_RATED[system.rounds]}{', teams' if system.teams else ''}"
    return f"whole table of {' or '.join(system.reads)}"


def system_data(system: System) -> dict[str, Any]:
    """All a system declares, as plain data."""
    known = []
    defaults = display_settings(system, settings(system, {}))  # of a bank lists
    for parameter in parameters(system).values():
        row: dict[str, Any] = {
            "name": parameter.name,
            "default": defaults[parameter.name],
            "meaning": parameter.meaning,
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
        about["clock"] = system.clock if has_clock(system) else None
        about["follows_period"] = has_clock(system) and system.follows_period
        about["made_for_periods"] = system.by_period
        about["draws"] = system.chances is not None
        first = newcomer(system, settings(system, {}))
        shown = display_values(system, np.array([first]))[0].tolist()
        about["newcomer"] = dict(zip(displayed_fields(system), shown, strict=True))
    else:
        about["columns"] = list(system.columns)
        about["forecasts"] = system.chances is not None
        about["anchors"] = system.anchored
    return summary_of(system) | about


def has_clock(system: Dynamic) -> bool:
    """Whether elapsed time changes a rating."""
    return system.drift is not None or system.league is not None


def format_clock(data: dict[str, Any]) -> str:
    """The unit of elapsed time in the formulas."""
    words = f"in units of {parse_period(data['clock']).words}"
    return f"{words}; of a rating period where one is given" if data["follows_period"] else words


def format_system(data: dict[str, Any], render: Callable[[list[tuple[str, str]]], str]) -> str:
    """The page of a system; `render` makes text of its parameters and what is said of them."""
    lines = [f"{data['name']}", "", data["doc"], ""]
    if data["parameters"]:
        rows = [format_parameter(one) for one in data["parameters"]]
        lines += ["Parameters (--set NAME=VALUE)", render(rows), ""]
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
        lines.append(f"Time          {format_clock(data)}")
    if data["uses"]:
        lines.append(f"Reads         {', '.join(data['uses'])} where the table has them")
    for law, reason in data["breaks"].items():
        lines.append(f"Breaks        {law}: {reason}")
    return "\n".join(lines)


def format_parameter(one: dict[str, Any]) -> tuple[str, str]:
    """`k=32`, and what it means, its range and its unit."""
    several = one["default"] if isinstance(one["default"], list) else [one["default"]]
    shown = ",".join(each if isinstance(each, str) else f"{each:.10g}" for each in several)
    allowed = " | ".join(one["words"]) if "words" in one else f"{one['low']:g} to {one['high']:g}"
    said = f"{allowed} {one.get('unit', '')}".rstrip()
    return f"{one['name']}={shown}", f"{one['meaning']} ({said})" if one["meaning"] else said


def claim_data(claim: Claim) -> dict[str, Any]:
    """A claim as plain data."""
    fields = {"name": claim.name, "claim": claim.says, "source": claim.source}
    return fields | {"system": claim.system}


def findings_data(claim: Claim, findings: Sequence[ClaimCheck], seed: int) -> dict[str, Any]:
    """A claim and what the simulation gives, as plain data."""
    rows = [{**finding._asdict(), "holds": finding.holds} for finding in findings]
    return {**claim_data(claim), "seed": seed, "findings": rows}


def findings_parts(data: dict[str, Any]) -> list[str | Rows]:
    """A claim and its findings, as a text and a table."""
    rows = [["what", "claimed", "found", "within", "verdict"]]
    for row in data["findings"]:
        numbers = [f"{row[column]:.4g}" for column in ("claimed", "found", "tolerance")]
        rows.append([row["what"], *numbers, "holds" if row["holds"] else "does not hold"])
    head = f"{data['claim']}\n{data['source']}\nseed {data['seed']}, {data['system']}"
    return [head, rows]
