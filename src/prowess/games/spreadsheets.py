"""Texts in CSV that a spreadsheet must not take for a formula.

    =HYPERLINK("...")   is written   '=HYPERLINK("...")
    '=x                 is written   ''=x

Source    OWASP, "CSV Injection": a single quote before = + - @ tab and carriage return.
Differs   Plain numbers stay as they are, and a text that looks guarded already gets one quote more,
          so that whoever reads the table can take exactly one away again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from prowess.games.roster import Roster

RISKY = re.compile(r"[=+\-@\t\r]")
GUARDED = re.compile(r"'+[=+\-@\t\r]")
QUOTE = ord("'")


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


def unguard_names(names: Sequence[str]) -> list[str] | None:
    """The names of a table that was written so, as they were meant; None where all stay.

    A table in which a name begins bare was not written so, and is left as it is.
    """
    if not any(GUARDED.match(name) for name in _quoted(names)):
        return None
    if any(is_bare(name) for name in names):
        return None
    return [unguard_cell(name) for name in names]


def _quoted(names: Sequence[str]) -> Iterable[str]:
    """The names that begin with a quote, or all; a large roster is not decoded for it."""
    if not isinstance(names, Roster):
        return names
    if not names.buffer:
        return ()
    starts = np.concatenate(([0], names.ends[:-1]))
    first = np.frombuffer(names.buffer, np.uint8)[starts]
    return (names[at] for at in np.flatnonzero(first == QUOTE).tolist())


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
