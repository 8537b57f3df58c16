"""Several systems in one option: `elo:k=20,advantage=60,glicko2@1mo,bradley_terry`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from prowess.cli.banks import label_of, several

if TYPE_CHECKING:
    from prowess.engine.check import System


class Selection(NamedTuple):
    """One system with the settings and the rating period it is to be run with."""

    label: str
    system: System
    params: dict[str, Any]
    period: str | None

    def with_settings(self, settings: Mapping[str, float | str]) -> Selection:
        """The same with further settings, which its label then names."""
        if not settings:
            return self
        rest, at, period = self.label.partition("@")
        label = f"{rest}{',' if ':' in rest else ':'}{label_of(settings)}{at}{period}"
        return self._replace(label=label, params={**self.params, **settings})


def selections(text: str, beside: Sequence[str] = ()) -> list[Selection]:
    """NAME[:SETTING=VALUE,...][@PERIOD], separated by commas; settings and periods are checked.

    SETTING=VALUE/VALUE/... is a bank.
    Names in `beside` may be named too and are left out: they are no systems and stand there anyway.
    Raises UsageError, and UnknownSystem, BadSetting, BadPeriod with their words.
    """
    from prowess.engine.params import settings
    from prowess.engine.periods import BY_LABEL, parse_period
    from prowess.engine.whole_table import WholeTable
    from prowess.systems.catalogue import find

    chosen = []
    entries = separated(text)
    for label in entries:
        if label in beside:
            continue
        rest, at, period = label.partition("@")
        name, _, given = rest.partition(":") if ".py:" not in rest else (rest, "", "")
        params: dict[str, Any] = {}
        for pair in filter(None, given.split(",")):
            setting, sign, value = pair.partition("=")
            if not sign:
                raise click.UsageError(f"{label}: {pair!r} is not SETTING=VALUE")
            banked = "/" in value
            params[setting.strip()] = several(pair, value, "/") if banked else value.strip()
        system = find(name.strip())
        settings(system, params)
        if at and isinstance(system, WholeTable):
            raise click.UsageError(f"{label}: {name} looks at the whole table at once: no period")
        if at and period != BY_LABEL:
            parse_period(period)
        chosen.append(Selection(label, system, params, period or None))
    if not entries:
        raise click.UsageError("name at least one system")
    return chosen


def separated(text: str) -> list[str]:
    """The entries of the list; `SETTING=VALUE` after a comma belongs to the system before it."""
    entries: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        setting = "=" in part and ":" not in part.partition("=")[0]
        if setting and entries and ":" in entries[-1]:
            entries[-1] += f",{part}"
        else:
            entries.append(part)
    # a period after the last setting belongs to the system
    return entries
