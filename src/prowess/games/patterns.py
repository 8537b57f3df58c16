"""Regular expressions that are compiled when they are first used.

The reader knows a hundred forms of cells and headings, of which a plain table has a few: compiling
all of them would be a tenth of the time to a first leaderboard.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class LazyPattern:
    """Stands for a compiled expression; each of its methods is kept once it was asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.text, self.bits = text, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self.text, self.bits), name)  # `re` keeps what it has compiled
        setattr(self, name, value)
        return value


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The pattern of a regular expression, compiled when it is first used.

    >>> lazy_pattern("[0-9]+").findall("3 of 12")
    ['3', '12']
    """
    return cast("re.Pattern[AnyStr]", LazyPattern(text, flags))
