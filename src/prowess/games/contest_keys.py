"""What tells the contests of a table apart: columns that are named, or that headings suggest.

A guess is taken from all such columns and the date together. It is refused where it cannot be
right: where most contests would have one player only, or half of them nobody in place 1.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.games import Games
from prowess.games.growth import numbered
from prowess.games.layout import Layout, join_names
from prowess.games.refusal import BadData

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE = "file"  # what tells contests apart where no column does
NAME_KEYS = "name the columns that tell contests apart"


def contest_keys(layout: Layout, rows: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The keys of the rows by the name of their column; of guesses only those that change a thing.

    `rows` has a column `label N` for each column of the layout's contest, `file`, and `time`.
    """
    keys = {name: rows[f"label {at}"] for at, name in enumerate(layout.contest)}
    if not layout.guessed:
        return keys or {FILE: rows["file"]}
    if layout.time:
        keys = {layout.time: rows["time"], **keys}
    within = numbered([rows["file"], *keys.values()])
    if len(np.unique(within)) == len(np.unique(rows["file"])):
        return {FILE: rows["file"]}  # each file is one contest, whatever it says beside that
    telling: dict[str, NDArray[Any]] = {}
    apart = np.zeros(len(within), np.int64)
    for name, key in keys.items():
        more = numbered([apart, key])
        if more.max() > apart.max():
            telling[name], apart = key, more
    return telling


def refuse_lonely(
    keys: Mapping[str, NDArray[Any]], contest: NDArray[np.int64], file: str | None
) -> None:
    """Refuse keys that leave most contests to a single player; raises BadData."""
    sizes = np.bincount(contest)
    single = int((sizes == 1).sum())
    if len(sizes) == 1 or single * 2 <= len(sizes) or list(keys) == [FILE]:
        return
    shared = [name for name, key in keys.items() if len(np.unique(key)) * 2 <= len(contest)]
    example = option("contest", shared) if 0 < len(shared) < len(keys) else ""
    raise BadData(
        f"told apart by {join_names(list(keys))}, {single:,} of {len(sizes):,} contests have one "
        "player only",
        file=file,
        remedy=f"{NAME_KEYS}, such as {example}"
        if example
        else f"{NAME_KEYS} with contest= (--contest)",
    )


def refuse_headless(found: Games, keys: Sequence[str], file: str | None) -> None:
    """Refuse keys that leave half of the contests or more without a first; raises BadData."""
    best = np.minimum.reduceat(found.place, found.start[:-1])
    headless, count = int((best > 1.0).sum()), len(found)
    if count > 1 and headless * 2 >= count:
        raise BadData(
            f"told apart by {join_names(keys)}, {headless:,} of {count:,} contests have nobody in "
            "place 1",
            file=file,
            remedy=f"{NAME_KEYS} with contest= (--contest)",
        )


def option(role: str, names: Sequence[str]) -> str:
    """How columns are given for a role, in Python and on the command line."""
    shown = [f'"{name}"' for name in names]
    given = shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"
    return f"{role}={given} (--{role} {shlex.quote(','.join(names))})"
