"""Results as tables: one set of conversions for all of them, and a table of plain columns.

Every result of the library can be shown in a terminal and a notebook, and handed to another
library, in the same way: it is `Tabular`, which asks it for its columns alone.
"""

from __future__ import annotations

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from importlib import import_module
from math import isfinite
from types import NoneType
from typing import Any, ClassVar

import numpy as np

Columns = Mapping[str, Any]  # of equal length: arrays or lists

SHORT = 6  # rows of a long table in a terminal: half of them from either end
SHORT_PAGE = 20  # and in a notebook
WHOLE = 40  # rows up to which a table is shown whole
FORMATS = {
    "opponent_rating": ".1f", "score": "g", "expected": ".3f", "before": ".1f", "after": ".1f",
    "change": "+.1f", "rating": ".1f", "rating_a": ".1f", "rating_b": ".1f", "draw": ".3f",
    "win": ".3f", "loss": ".3f", "log_loss": ".4f", "brier": ".4f", "seconds": ".2f",
}  # fmt: skip
TEXTS = ("player", "opponent", "partners", "system", "a", "b", "name", "side")  # to the left
CELL = "padding:.15em .7em;text-align:{};border:0"


class Tabular(ABC):
    """A result that is a table: what all of them have in common."""

    texts: ClassVar[Sequence[str]] = TEXTS

    @abstractmethod
    def to_columns(self) -> Columns:
        """The columns by name, of equal length, at full precision."""

    @property
    def headline(self) -> str:
        """What the table is, in a line; may be empty."""
        return ""

    @property
    def caption(self) -> str:
        """The line above the table in a notebook."""
        return self.headline

    def rows(self) -> list[dict[str, Any]]:
        """One dict a row, of plain values at full precision."""
        columns = {name: plain_values(column) for name, column in self.to_columns().items()}
        names = tuple(columns)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_csv(self) -> str:
        """CSV text with a header, floats at full precision."""
        columns = self.to_columns()
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(plain_values(one) for one in columns.values()), strict=True))
        return text.getvalue()

    def to_json(self) -> str:
        """A JSON list of rows at full precision; moments as ISO text, no number as null."""
        rows = [{name: json_value(value) for name, value in row.items()} for row in self.rows()]
        return json.dumps(rows, ensure_ascii=False, allow_nan=False)

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        return import_frames("pandas").DataFrame(dict(self.to_columns()))

    def to_polars(self) -> Any:
        """A polars DataFrame."""
        return import_frames("polars").DataFrame(dict(self.to_columns()), strict=False)

    def to_arrow(self) -> Any:
        """An Arrow table."""
        return import_frames("pyarrow").table(dict(self.to_columns()))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table for every library that knows Arrow's C interface, such as DuckDB."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def plot(self, **options: Any) -> Any:
        """The figure of this result, as a function of `prowess.plot` makes it."""
        return import_module("prowess.plot").draw(self, **options)

    def format_cell(self, name: str, value: Any) -> str:
        """A value as the printed table shows it."""
        return format_value(value, FORMATS.get(name, ".6g"))

    def cells(self, most: int | None = None) -> list[list[str]]:
        """Rows of texts, the header first; of a table longer than WHOLE `most`, of both ends."""
        columns = {name: column for name, column in self.to_columns().items() if self.shows(name)}
        count = len(next(iter(columns.values()), ()))
        chosen = choose_rows(count, most)
        texts = []
        for name, column in columns.items():
            picked = [column[row] for row in chosen]
            texts.append([self.format_cell(name, value) for value in plain_values(picked)])
        return [list(columns), *map(list, zip(*texts, strict=True))]

    def shows(self, name: str) -> bool:
        """Whether a printed table has this column."""
        return True

    def __str__(self) -> str:
        table = format_table(self.cells(SHORT), self.texts)
        return f"<{self.headline}>\n{table}" if self.headline else table

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head, *body = self.cells(SHORT_PAGE)
        sides = ["left" if name in self.texts else "right" for name in head]
        lines = [html_row("th", head, sides), *(html_row("td", row, sides) for row in body)]
        caption = ""
        if self.caption:
            style = "caption-side:top;text-align:left;padding:.3em .7em"
            caption = f'<caption style="{style}">{escape(self.caption)}</caption>'
        style = "border-collapse:collapse;font-variant-numeric:tabular-nums"
        return f'<table style="{style}">{caption}{"".join(lines)}</table>'


def choose_rows(count: int, most: int | None) -> Sequence[int]:
    """The rows that a view shows: all, or of a long table so many, half of them of either end."""
    if most is None or count <= max(most, 0 if most <= SHORT else WHOLE):
        return range(count)
    half = most // 2
    return [*range(half), *range(count - half, count)]


def html_row(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    """A row of an HTML table, its texts escaped."""
    marks = (
        f'<{tag} style="{CELL.format(side)}">{escape(cell)}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(marks)}</tr>"


def moments(days: Any) -> Any:
    """Days since 1970 as datetime64, to the millisecond."""
    return np.rint(days * 86_400_000).astype("datetime64[ms]")


def plain_values(column: Any) -> list[Any]:
    """A column as a list of Python values, moments as datetimes."""
    if isinstance(column, np.ndarray):
        return column.tolist()  # type: ignore[no-any-return]
    return [value.item() if isinstance(value, np.generic) else value for value in column]


def json_value(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(name): json_value(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(one) for one in value]
    return value if isinstance(value, str | int | NoneType) else str(value)


def format_value(value: Any, number: str = ".6g") -> str:
    """A value as text: floats in a format, midnights as days, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return format(value, number)
    return str(value).removesuffix(" 00:00:00")


def import_frames(library: str) -> Any:
    """A library of data frames; raises ModuleNotFoundError with the remedy."""
    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        what = "prowess[files]" if library == "pyarrow" else library
        raise ModuleNotFoundError(
            f"pip install '{what}': {library} is not installed", name=library
        ) from None


def format_table(rows: list[list[str]], left: Sequence[str] = TEXTS) -> str:
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


@dataclass(frozen=True, eq=False, repr=False)
class ResultTable(Tabular):
    """A table of plain columns under a title.

    `columns` are NumPy arrays or lists of equal length, by name. `len`, `table["name"]` for a
    column, iteration over rows as dicts, and all that `Tabular` has.

    >>> table = ResultTable({"player": ["Ann", "Bob"], "rating": [1516.0, 1484.0]}, "Ratings")
    >>> table
    <Ratings: 2 rows>
    player  rating
    Ann     1516.0
    Bob     1484.0
    >>> table["rating"]
    [1516.0, 1484.0]
    """

    columns: dict[str, Any]
    title: str = ""

    @property
    def headline(self) -> str:
        """The title and the number of rows."""
        rows = f"{len(self):,} row{'' if len(self) == 1 else 's'}"
        return f"{self.title}: {rows}" if self.title else ""

    def to_columns(self) -> Columns:
        """See Tabular."""
        return self.columns

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    def __getitem__(self, name: Any) -> Any:
        from prowess.arguments import refuse

        if not isinstance(name, str) or name not in self.columns:
            raise refuse(f"name one of the columns {', '.join(self.columns)}", name)
        return self.columns[name]
