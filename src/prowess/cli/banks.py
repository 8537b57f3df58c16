"""Several values of a parameter at once: a bank, of which each setting counts as it foresees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click


def bank(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, list[str]]:
    """`NAME=VALUE,VALUE,...` as the values of each parameter, a name once."""
    given: dict[str, list[str]] = {}
    for text in values:
        name, sign, listed = (part.strip() for part in text.partition("="))
        if not sign or not name:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE,VALUE,...")
        if name in given:
            raise click.BadParameter(f"give {name} once: its values stand in one list")
        given[name] = several(text, listed, ",")
    return given


def several(text: str, listed: str, mark: str) -> list[str]:
    """The values of a list, none of them empty; `text` is what an error repeats."""
    values = [value.strip() for value in listed.split(mark)]
    if not all(values):
        raise click.BadParameter(f"{text!r}: give several values, as in k=8{mark}16{mark}32")
    return values


def check_bank(banked: Mapping[str, list[str]]) -> None:
    """Raise UsageError for one value alone; that there is such a parameter is known by then."""
    for name, values in banked.items():
        if len(values) == 1:
            one = f"{name}={values[0]}"
            raise click.UsageError(
                f"--bank {one!r}: give several values, as in k=8,16,32, or one by --set {one}"
            )


def with_bank(params: Mapping[str, Any], banked: Mapping[str, list[str]]) -> dict[str, Any]:
    """Settings and bank as one; raises UsageError for a parameter in both."""
    for name in banked:
        if name in params:
            raise click.UsageError(f"{name} stands in --set and in --bank: leave one out")
    return {**params, **banked}


def label_of(settings: Mapping[str, Any]) -> str:
    """Settings in the label of a system: `k=20,advantage=60`, of a bank `k=8/16/32`."""
    return ",".join(f"{name}={_shown(value)}" for name, value in settings.items())


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "/".join(map(_shown, value))
    return f"{value:.10g}" if isinstance(value, float) else str(value)
