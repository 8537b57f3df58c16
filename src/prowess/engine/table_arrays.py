"""A table as plain data and arrays, for files: all of it but its roster and its reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray


def pack_table(table: Games) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The names of its columns with the words of its categories, and the columns."""
    known = {
        "facts": list(table.facts),
        "columns": list(table.columns),
        "labels": {name: list(words) for name, words in table.labels.items()},
        "roles": list(table.roles),
        "role_kinds": list(table.role_kinds),
    }
    arrays: dict[str, Any] = {f"column_{name}": column for name, column in table.columns.items()}
    arrays |= {f"fact_{name}": column for name, column in table.facts.items()}
    if table.role is not None:
        arrays["role"] = table.role
    return known, arrays


def unpack_table(
    known: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    players: Sequence[str],
    **further: Any,
) -> Games:
    """The table again; `further` as `Games` takes it."""
    columns: dict[str, Any] = {name: arrays[f"column_{name}"] for name in known["columns"]}
    return Games(
        players,
        **columns,
        facts={name: arrays[f"fact_{name}"] for name in known["facts"]},
        labels={name: tuple(words) for name, words in known["labels"].items()},
        role=arrays.get("role"),
        roles=tuple(known["roles"]),
        role_kinds=tuple(known["role_kinds"]),
        **further,
    )
