"""What makes two spellings one name: the form of Unicode, and blanks."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from prowess.games.roster import Roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLANKS = r"[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"  # all but line ends
BLANKS = re.compile(f"{_BLANKS}+")
ODD_BLANKS = re.compile(f"{_BLANKS}{{2}}|(?! ){_BLANKS}")


def normal_name(name: str) -> str:
    """A name in Unicode's composed form (NFC), with one plain blank between its parts."""
    if name.isascii():
        name = name.strip(" \t")
        return name if _is_plain(name) else BLANKS.sub(" ", name)
    return unicodedata.normalize("NFC", BLANKS.sub(" ", name).strip(" "))


def _is_plain(ascii_text: str) -> bool:
    return "  " not in ascii_text and "\t" not in ascii_text


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
        return b"  " not in buffer and b"\t" not in buffer
    text = buffer.decode()
    return unicodedata.is_normalized("NFC", text) and not ODD_BLANKS.search(text)
