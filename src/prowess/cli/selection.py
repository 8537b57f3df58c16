"""Systems, settings and banks as options name them: `elo:k=20,advantage=60,glicko2@1mo`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.options import Option
from prowess.cli.output import print_note

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.study.judging import Selection


def complete_systems(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """Completions of a system's name; the files are read, not run, which is much quicker."""
    from click.shell_completion import CompletionItem

    if "/" in begun or ".py" in begun:
        return [CompletionItem(begun, type="file")]
    import re
    from pathlib import Path

    room = Path(__file__).parent.parent / "systems"
    declared = r"(?:[A-Z0-9_]+ = (?:.*\bname=|over_whole_field\()|\s+name=)"
    named = re.compile(rf"""^{declared}["']([\w-]+)["']""", re.MULTILINE)
    found = {
        name
        for file in room.glob("**/*.py")
        for name in named.findall(file.read_text(encoding="utf-8"))
    }
    return [CompletionItem(name) for name in sorted(found) if name.startswith(begun)]


def parse_settings(values: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` pairs, a name once."""
    given: dict[str, str] = {}
    for text in values:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"write NAME=VALUE, not {text!r}")
        if name.strip() in given:
            raise click.BadParameter(f"give {name.strip()} once: it is set twice")
        given[name.strip()] = value.strip()
    return given


def parse_bank(values: Sequence[str]) -> dict[str, list[str]]:
    """`NAME=VALUE,VALUE,...` as the values of each parameter, a name once."""
    given: dict[str, list[str]] = {}
    for text in values:
        name, sign, listed = (part.strip() for part in text.partition("="))
        if not sign or not name:
            raise click.BadParameter(f"write NAME=VALUE,VALUE,..., not {text!r}")
        if name in given:
            raise click.BadParameter(f"give {name} once, with all its values in one list")
        given[name] = split_values(text, listed, ",")
    return given


def split_values(text: str, listed: str, mark: str) -> list[str]:
    """The values of a list, none of them empty; `text` is what an error repeats."""
    values = [value.strip() for value in listed.split(mark)]
    if not all(values):
        raise click.BadParameter(f"give several values, as in k=8{mark}16{mark}32, not {text!r}")
    return values


SystemName = Annotated[
    str | None, Option(metavar="NAME", names=("--system", "-s"), complete=complete_systems)
]
RatedSystem = Annotated[
    SystemName, "A name from `prowess systems`, or a system of your own, FILE.py:NAME."
]
Settings = Annotated[
    Mapping[str, str],
    Option(
        "Another value for a parameter of the system.",
        "NAME=VALUE",
        names=("--set",),
        multiple=True,
        parse=parse_settings,
    ),
]
Bank = Annotated[
    Mapping[str, list[str]],
    Option(
        "Several values of a parameter at once, mixed by how well each forecasts.",
        "NAME=VALUE,VALUE",
        multiple=True,
        parse=parse_bank,
    ),
]
Period = Annotated[str | None, Option("Rate the games of a period together.", "7d|1mo|round")]
Systems = Annotated[str | None, Option(metavar="LIST")]


def find_system(name: str | None, quiet: bool = True) -> System:
    """A system by name or `FILE.py:NAME`; without a name the default."""
    from prowess.rating import DEFAULT_SYSTEM
    from prowess.systems.catalogue import find

    if name is not None:
        return find(name)
    system = find(DEFAULT_SYSTEM)
    print_note(f"system {system.name}, the default (--system chooses)", quiet)
    return system


def check_settings(
    system: System,
    params: Mapping[str, Any],
    period: str | None,
    bank: Mapping[str, list[str]] | None = None,
) -> None:
    """Refuse wrong settings, periods and banks before a long file is read."""
    from prowess.engine.params import settings
    from prowess.engine.periods import BY_LABEL, parse_period

    settings(system, params)
    if period not in (None, BY_LABEL):
        parse_period(period)
    for name, values in (bank or {}).items():
        if len(values) == 1:
            one = f"{name}={values[0]}"
            raise click.UsageError(
                f"give --bank {one!r} several values, as in k=8,16,32, or one by --set {one}"
            )


def merge_bank(params: Mapping[str, Any], bank: Mapping[str, list[str]]) -> dict[str, Any]:
    """Settings and bank as one; raises UsageError for a parameter in both."""
    for name in bank:
        if name in params:
            raise click.UsageError(f"give {name} by --set or by --bank, not by both")
    return {**params, **bank}


def parse_selections(text: str, beside: Sequence[str] = ()) -> list[Selection]:
    """NAME[:SETTING=VALUE,...][@PERIOD], separated by commas; settings and periods are checked.

    SETTING=VALUE/VALUE/... is a bank, and a colon may stand between settings. Names in `beside`
    may be named too and are left out: they are no systems and take part anyway. Raises UsageError,
    UnknownSystem, BadSetting, BadPeriod.
    """
    entries = split_entries(text)
    if not entries:
        raise click.UsageError("name at least one system")
    return [parse_selection(label) for label in entries if label not in beside]


def parse_selection(label: str) -> Selection:
    """One system of the list."""
    from prowess.engine.whole_table import WholeTable
    from prowess.study.judging import Selection

    rest, at, period = label.partition("@")
    parts = rest.split(":")
    own = parts[0].endswith(".py") and len(parts) > 1 and "=" not in parts[1]  # FILE.py:NAME
    name = ":".join(parts[: 1 + own]).strip()
    params: dict[str, Any] = {}
    for pair in filter(None, ",".join(parts[1 + own :]).split(",")):
        setting, sign, value = pair.partition("=")
        if not sign:
            raise click.UsageError(f"{label}: write SETTING=VALUE, not {pair!r}")
        params[setting.strip()] = split_values(pair, value, "/") if "/" in value else value.strip()
    system = find_system(name)
    check_settings(system, params, period or None)
    if at and isinstance(system, WholeTable):
        raise click.UsageError(f"{label}: leave @{period} out: {name} fits the whole table at once")
    return Selection(label, system, params, period or None)


def split_entries(text: str) -> list[str]:
    """The entries of the list; `SETTING=VALUE` after a comma belongs to the system before it."""
    entries: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        setting = "=" in part and ":" not in part.partition("=")[0]
        if setting and entries and ":" in entries[-1]:
            entries[-1] += f",{part}"
        else:
            entries.append(part)
    return entries
