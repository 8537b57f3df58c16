"""Written names and texts: normal forms, and cells that spreadsheets must not run."""

from __future__ import annotations

import re
import unicodedata
from math import isfinite
from typing import Any

_BLANKS = r"[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"  # all but line ends
BLANKS = re.compile(f"{_BLANKS}+")
ODD_BLANKS = re.compile(f"{_BLANKS}{{2}}|(?! ){_BLANKS}")


def normal_name(name: str) -> str:
    """A name in Unicode's composed form (NFC), with one plain blank between its parts."""
    if name.isascii():
        name = name.strip(" \t")
        return BLANKS.sub(" ", name) if "  " in name or "\t" in name else name
    return unicodedata.normalize("NFC", BLANKS.sub(" ", name).strip(" "))


# Against CSV injection (OWASP) a text that begins with = + - @ tab or carriage return gets a single
# quote in front. Plain numbers stay, and a text that looks guarded gets one quote more, so that
# a reader can take exactly one away:    =HYPERLINK("...") -> '=HYPERLINK("...")    '=x -> ''=x

RISKY = re.compile(r"[=+\-@\t\r]")
GUARDED = re.compile(r"'+[=+\-@\t\r]")


def guard_cell(value: Any) -> Any:
    """A cell as it is written: a text that a spreadsheet could run gets a quote in front."""
    if isinstance(value, str) and (is_bare(value) or GUARDED.match(value)):
        return f"'{value}"
    return value


def unguard_cell(text: str) -> str:
    """A cell of a table that was written so, as it was meant."""
    return text[1:] if GUARDED.match(text) else text


def is_bare(text: str) -> bool:
    """Whether a text stands there as no such table has it: a formula without a quote."""
    return RISKY.match(text) is not None and not _is_number(text)


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
