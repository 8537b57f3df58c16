"""What makes two spellings one name: the form of Unicode, and blanks."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from prowess.games.roster import Roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

ODD_BLANKS = re.compile(r"\s\s|[^\S ]")
ODD_BYTES = b"\t\n\v\f\r\x1c\x1d\x1e\x1f"  # what str.split takes for blanks in ASCII, but the blank


def normal_name(name: str) -> str:
    """A name in Unicode's composed form (NFC), with one plain blank between its parts."""
    name = " ".join(name.split())
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def normal_roster(roster: Roster) -> tuple[Roster, NDArray[np.uint32]] | None:
    """The roster with every name in its normal form, in order of first appearance, and the new id
    of each old one; None where all names are in their normal form.
    """
    if _is_normal(roster.buffer):
        return None
    number: dict[str, int] = {}
    ids = [number.setdefault(normal_name(name), len(number)) for name in roster]
    normal = Roster(number)
    return None if normal == roster else (normal, np.array(ids, np.uint32))


def _is_normal(buffer: bytes) -> bool:
    """Whether all that stands in a buffer of names is in its normal form for certain."""
    if buffer.isascii():
        return b"  " not in buffer and len(buffer.translate(None, ODD_BYTES)) == len(buffer)
    text = buffer.decode()
    return unicodedata.is_normalized("NFC", text) and not ODD_BLANKS.search(text)
