"""Reading tables of results into one table of columns, checked once."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from prowess.games.errors import BadData as BadData, DataWarning as DataWarning
from prowess.games.games import Games as Games

if TYPE_CHECKING:
    from prowess.games.formats.sources import FileFormat
    from prowess.games.names import Roster
    from prowess.games.read import read_games

__all__ = ["BadData", "DataWarning", "FileFormat", "Games", "Roster", "read_games"]

_READER_HOMES = {  # loaded on first use, since these need NumPy or more
    "FileFormat": "formats.sources", "Roster": "names", "read_games": "read",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _READER_HOMES:
        raise AttributeError(f"module 'prowess.games' has no attribute {name!r}")
    value = getattr(import_module(f"prowess.games.{_READER_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
