"""What takes effect on the server, as it happens: server-sent events.

Source    WHATWG, HTML Living Standard, section "Server-sent events".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple


class Event(NamedTuple):
    """Something that took effect. `revision` is where to resume; `data` is what the server told."""

    revision: int
    kind: str
    data: dict[str, Any]


def events(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of the lines of a stream; signs of life and what has no number are passed over."""
    fields: dict[str, list[str]] = {}
    number = ""
    for line in lines:
        text = line.decode("utf-8").rstrip("\r")
        if text:
            name, _, value = text.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
            continue
        number = fields.get("id", [number])[-1]
        if "data" in fields and number.isdigit():
            kind = fields.get("event", ["message"])[-1]
            yield Event(int(number), kind, json.loads("\n".join(fields["data"])))
        fields = {}
