"""Players by rating, and the forms in which people want to have that."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

DIGITS = {"rating": 1, "deviation": 1, "volatility": 4}  # decimals in tables for people


class UnknownPlayer(KeyError):
    """A name that is not in the table."""

    def __str__(self) -> str:
        return str(self.args[0])


def found(players: Sequence[str], name: str) -> int:
    """The number of a player by name; raises UnknownPlayer with the nearest names."""
    try:
        return players.index(name)
    except ValueError:
        near = get_close_matches(name, players, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise UnknownPlayer(f"no player {name!r} in the table{hint}") from None


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Columns of equal length: rank, player, the system's values, games."""

    columns: dict[str, list[Any]]

    def __len__(self) -> int:
        return len(self.columns["rank"])

    def rows(self) -> list[dict[str, Any]]:
        """One dict a player, at full precision."""
        names = tuple(self.columns)
        return [
            dict(zip(names, values, strict=True))
            for values in zip(*self.columns.values(), strict=True)
        ]

    def to_csv(self) -> str:
        """CSV text with a header, floats at full precision."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*self.columns.values(), strict=True))
        return text.getvalue()

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.columns)

    def to_polars(self) -> Any:
        """A polars DataFrame."""
        import polars as pl

        return pl.DataFrame(self.columns)

    def to_arrow(self) -> Any:
        """An Arrow table."""
        import pyarrow as pa

        return pa.table(self.columns)

    def cells(self) -> list[list[str]]:
        """Rows of texts as people read them, the header first."""
        header = list(self.columns)
        texts = [[_cell(name, value) for value in column] for name, column in self.columns.items()]
        return [header, *map(list, zip(*texts, strict=True))]

    def __str__(self) -> str:
        return aligned(self.cells())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *body = self.cells()
        lines = ["".join(f"<th>{escape(cell)}</th>" for cell in head)]
        lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in body]
        return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def aligned(rows: list[list[str]], left: Sequence[str] = ("player", "opponent")) -> str:
    """A plain table: names to the left, numbers to the right. The first row is the header."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    flush = [name in left for name in rows[0]]
    lines = [
        "  ".join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(row, widths, flush, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines)


def _cell(name: str, value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    if name in DIGITS:
        return (
            f"{value:.{DIGITS[name]}f}"
            if abs(value) >= 100 or name == "volatility"
            else f"{value:.2f}"
        )
    return f"{value:.6g}"


def leaderboard(
    ratings: Ratings, top: int | None, min_games: int, since: float | None
) -> Leaderboard:
    """See `Ratings.leaderboard`."""
    chosen = np.flatnonzero(ratings.games >= min_games)
    if since is not None and ratings.last is not None:
        chosen = chosen[ratings.last[chosen] >= since]
    rating = ratings.values[chosen, 0]
    if top is not None and top < len(chosen):  # a partial sort: only the best are wanted
        best = np.argpartition(-rating, top)[: top + 1]
        edge = np.sort(rating[best])[::-1][top - 1] if top > 0 else np.inf
        keep = rating >= edge
        chosen, rating = chosen[keep], rating[keep]
    order = np.argsort(-rating, kind="stable")  # equal ratings: first seen first
    chosen, rating = chosen[order], rating[order]
    first_of_equals = np.append(True, rating[1:] != rating[:-1])[: len(rating)]
    rank = np.maximum.accumulate(np.where(first_of_equals, np.arange(1, len(rating) + 1), 0))
    if top is not None:
        chosen, rank = chosen[:top], rank[:top]
    columns: dict[str, list[Any]] = {
        "rank": rank.tolist(),
        "player": [ratings.players[index] for index in chosen.tolist()],
    }
    for k, name in enumerate(ratings.fields):
        columns[name] = ratings.values[chosen, k].tolist()
    columns.setdefault("games", ratings.games[chosen].tolist())
    return Leaderboard(columns)
