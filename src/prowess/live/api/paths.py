"""Names within addresses: a name that holds a slash is one part of a path, not two.

Servers hand on paths decoded, where `Ada%2Fhistory` is the history of Ada. Here a slash that came
encoded is kept apart until the name is read.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

SLASH = "\udc2f"  # half a letter: what is decoded from UTF-8 never holds it


def parted(scope: Any) -> str:
    """The path of a request, decoded once, its encoded slashes as `SLASH`."""
    path: str = scope["path"]
    raw: bytes | None = scope.get("raw_path")
    if raw is None or b"%" not in raw:
        return path
    parts = raw.decode("latin-1").split("/")
    return "/".join(unquote(part).replace("/", SLASH) for part in parts)


def read(part: str) -> str:
    """A part of such a path as it was meant."""
    return part.replace(SLASH, "/")
