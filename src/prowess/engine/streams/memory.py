"""Memory: how much a machine has, and a limit that is looked at while players grow."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prowess.engine.system import Unratable
from prowess.games.arguments import refuse

MEMORY_UNITS = {"": 1, "B": 1} | {  # a letter alone counts in 1,024, as it does for coreutils
    f"{letter}{rest}": base**power
    for power, letter in enumerate("KMGT", 1)
    for rest, base in (("B", 1000), ("IB", 1024), ("", 1024))
}
NAME = 100  # bytes of a name with its place in the table of names
MIN_MEMORY = 64 * 10**6


def parse_memory(value: Any) -> int:
    """Bytes from a number or a text; raises BadArgument.

    8GB are 8 * 1000^3 bytes; 8G and 8GiB are 8 * 1024^3.
    """
    wanted = 'give memory as bytes or as text such as "8GB"'
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise refuse(wanted, value, code="not_a_size")
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(value))
    if match is None or match[2].upper() not in MEMORY_UNITS:
        raise refuse(wanted, value, code="not_a_size")
    found = float(match[1]) * MEMORY_UNITS[match[2].upper()]
    if found < MIN_MEMORY:
        raise refuse(f"{wanted}, {MIN_MEMORY // 10**6} MB or more", value, code="memory_too_small")
    return int(found)


def machine_memory() -> int:
    """The bytes of memory that this process may use: the machine's, or its container's."""
    found = _physical_memory()
    for file in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            text = (Path("/sys/fs/cgroup") / file).read_text().strip()
        except OSError:
            continue
        if text.isdigit():
            found = min(found, int(text))
    return found


def _physical_memory() -> int:
    if sys.platform == "win32":
        import ctypes

        class Status(ctypes.Structure):
            _fields_ = [
                ("length", ctypes.c_ulong),
                ("load", ctypes.c_ulong),
                *(
                    (name, ctypes.c_ulonglong)
                    for name in ("total", "free", "a", "b", "c", "d", "e")
                ),
            ]

        status = Status(length=ctypes.sizeof(Status))
        ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.total)
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def format_bytes(count: float) -> str:
    """Bytes as people say them: 3.0 GB, 250 MB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


@dataclass(frozen=True)
class MemoryLimit:
    """The bytes that the ratings of a stream may take."""

    bytes: int

    def check(self, players: int, each: int) -> None:
        """Raise Unratable where so many players need more, each so many bytes beside the name."""
        need = players * (each + NAME)
        if need > self.bytes:
            raise Unratable(
                f"give more memory (--memory): {players:,} players need {format_bytes(need)}, and "
                f"it is {format_bytes(self.bytes)}",
                code="memory_too_small",
            )

    def check_games(self, games: int, each: int, players: int, player: int) -> None:
        """Raise Unratable where a fit of so many games needs more: bytes of a game, of a player."""
        need = games * each + players * (player + NAME)
        if need > self.bytes:
            raise Unratable(
                f"give more memory (--memory): {games:,} games between {players:,} players need "
                f"{format_bytes(need)}, and it is {format_bytes(self.bytes)}",
                code="memory_too_small",
            )
