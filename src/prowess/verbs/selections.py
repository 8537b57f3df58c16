"""Systems as texts: `elo:k=20,advantage=60,glicko2@1mo`, a bank `elo:k=8/16/32`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.study.judging import Selection


def parse_selections(text: str, beside: Sequence[str] = ()) -> list[Selection]:
    """NAME[:SETTING=VALUE,...][@PERIOD], separated by commas; settings and periods are checked.

    SETTING=VALUE/VALUE/... is a bank, and a colon may stand between settings. Names in `beside`
    may be named too and are left out: they are no systems and take part anyway. Raises
    UnknownSystem, BadSetting, BadPeriod.
    """
    from prowess.engine.params import BadSetting

    entries = split_entries(text)
    if not entries:
        raise BadSetting("name at least one system", code="no_systems")
    return [parse_selection(label) for label in entries if label not in beside]


def parse_selection(label: str) -> Selection:
    """One system of the list."""
    from prowess.engine.params import BadSetting
    from prowess.engine.whole_table import WholeTable
    from prowess.study.judging import Selection
    from prowess.systems.catalogue import find

    rest, at, period = label.partition("@")
    parts = rest.split(":")
    own = parts[0].endswith(".py") and len(parts) > 1 and "=" not in parts[1]  # FILE.py:NAME
    name = ":".join(parts[: 1 + own]).strip()
    params: dict[str, Any] = {}
    for pair in filter(None, ",".join(parts[1 + own :]).split(",")):
        setting, sign, value = pair.partition("=")
        if not sign:
            raise BadSetting(f"write SETTING=VALUE in {label}, not {pair!r}", code="not_a_setting")
        params[setting.strip()] = split_values(pair, value, "/") if "/" in value else value.strip()
    system = find(name)
    check_settings(system, params, period or None)
    if at and isinstance(system, WholeTable):
        raise BadSetting(
            f"leave @{period} out of {label}: {name} fits the whole table at once",
            code="no_periods",
        )
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


def split_values(text: str, listed: str, mark: str) -> list[str]:
    """The values of a list, none of them empty; `text` is what an error repeats."""
    from prowess.engine.params import BadSetting

    values = [value.strip() for value in listed.split(mark)]
    if not all(values):
        raise BadSetting(
            f"give several values, as in k=8{mark}16{mark}32, not {text!r}", code="one_value"
        )
    return values


def check_settings(
    system: System,
    params: Mapping[str, Any],
    period: str | None,
    bank: Mapping[str, list[str]] | None = None,
) -> None:
    """Refuse wrong settings, periods and banks before a long file is read."""
    from prowess.engine.params import BadSetting, settings
    from prowess.engine.periods import BY_LABEL, parse_period

    settings(system, params)
    if period not in (None, BY_LABEL):
        parse_period(period)
    for name, values in (bank or {}).items():
        if len(values) == 1:
            one = f"{name}={values[0]}"
            raise BadSetting(
                f"give --bank {one!r} several values, as in k=8,16,32, or one by --set {one}",
                code="setting_twice",
            )
