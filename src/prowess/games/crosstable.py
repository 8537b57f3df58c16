"""Is a table with columns 1, 2, 3, ... or R1, R2, R3, ... a crosstable or a wall chart?

Its cells tell results against others: 1, ½ and 0 in a crosstable, 4w1 (won against number 4 with
White), +12, -3 and =5 in a wall chart. It is no contest: the games are in the cells.
"""

from __future__ import annotations

import re

from prowess.games.cells import Chunk, Table
from prowess.games.layout import Layout
from prowess.games.league_tables import GAMES_WANTED
from prowess.games.numbers import missing
from prowess.games.refusal import BadData

ROWS = 100  # that are looked at
RESULT = re.compile(
    r"[01]|0?[.,]5|[01][.,][05]|½|1/2|[+=x*–—-]|[wdlubhf]|bye|\d+\s*[-–:]\s*\d+"  # of one game
    r"|[-+=wdluhfbx]\s*\d+\s*[wb]?|\d+\s*[wb]\s*(?:[-+=01½]|1/2)?|\d+\s*[-+=½]",  # and against whom
    re.IGNORECASE,
)


def refuse_crosstable(table: Table, layout: Layout, chunk: Chunk) -> None:
    """Refuse a table whose numbered columns hold results against others; raises BadData."""
    cells = [
        str(chunk.columns[name].shown(row)).strip()
        for name in layout.numbered
        for row in range(min(chunk.count, ROWS))
        if not missing(chunk.columns[name].shown(row))
    ]
    if not cells or not all(map(RESULT.fullmatch, cells)):
        return
    first, last = layout.numbered[0], layout.numbered[-1]
    raise BadData(
        f"columns {first} to {last} look like a crosstable: results against others, not a contest",
        file=table.file or None,
        line=table.heading,
        remedy=GAMES_WANTED,
    )
