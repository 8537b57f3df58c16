"""Results as tables: one set of conversions for all of them, and a table of plain columns.

Every result of the library can be shown in a terminal and a notebook, and handed to another
library, in the same way: it is `Tabular`, which asks it for its columns alone.

Of methods of data frames that results do not have, the error says the remedy: scientists try the
names of pandas first. Until results have them, the error says what to write.
"""

from __future__ import annotations

import csv
import io
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from importlib import import_module
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar

import numpy as np

from prowess import engine
from prowess.engine.text_table import LEFT, format_signed, format_table
from prowess.games.arguments import BadArgument, check_count, check_given
from prowess.games.reading import format_count
from prowess.games.whole_files import replace_file

FRAME = "take .to_pandas().{name}"
REMEDIES = {
    "save": 'call prowess.save(ratings, "ratings.prowess"), or .write("table.csv") for a table',
    "to_excel": 'call .write("table.xlsx")',
    "to_dataframe": "call .to_pandas()",
    "to_dict": "call .rows(), or .to_columns()",
    "to_list": "call .rows()",
} | {
    name: FRAME.format(name=name)
    for name in (
        "head", "tail", "iloc", "loc", "at", "iat", "shape", "dtypes", "describe", "sort_values",
        "set_index", "reset_index", "query", "groupby", "merge", "join", "apply", "sample", "info",
        "values", "T", "empty", "items", "iterrows", "itertuples", "nlargest", "nsmallest", "round",
        "drop", "rename", "filter", "corr", "mean", "hist", "boxplot", "to_latex", "to_string",
        "to_clipboard", "to_sql", "to_feather", "to_pickle",
    )
}  # fmt: skip


def missing_attribute(one: Any, name: str) -> AttributeError:
    """The error for an attribute that a result does not have, with the remedy for a known one."""
    kind = type(one).__name__
    if name in REMEDIES:
        return AttributeError(f"{REMEDIES[name]}: {kind} has no {name}", name=name, obj=one)
    columns = vars(one).get("arrays") or vars(one).get("columns") or {}
    if isinstance(columns, Mapping) and name in columns:
        return AttributeError(f'take .columns["{name}"]: {kind} has no {name}', name=name, obj=one)
    return AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=one)


def refuse_path(method: str, path: Any) -> None:
    """Raise BadArgument for a file given to a method that returns the content of one."""
    if path is not None:
        suffix = {"markdown": "md"}.get(method[3:], method[3:])
        raise BadArgument.of("path_of_content", suffix=suffix, method=method)


def mark_omission(rows: list[list[str]], count: int) -> list[list[str]]:
    """The header and the rows of both ends of a table of `count` rows; between them how many more.

    The mark stands in the first column of words, or else in the first column.
    """
    missing = count - (len(rows) - 1)
    if missing <= 0 or not rows[0]:
        return rows
    place = next((k for k, name in enumerate(rows[0]) if name in LEFT), 0)
    mark = [""] * len(rows[0])
    mark[place] = f"... {missing:,} more"
    middle = 1 + (len(rows) - 1) // 2
    return [*rows[:middle], mark, *rows[middle:]]


# --- results as tables ----------------------------------------------------------------------------


Columns = Mapping[str, Any]  # of equal length: arrays or lists

ROWS_IN_TERMINAL = 6  # rows of a long table in a terminal: half of them from either end
SHORT_PAGE = 20  # and in a notebook
SHOWN_WHOLE = 40  # rows up to which a table is shown whole
NUMBER_FORMATS = {
    "opponent_rating": ".1f", "score": "g", "expected": ".3f", "before": ".1f", "after": ".1f",
    "change": "+.1f", "rating": ".1f", "rating_a": ".1f", "rating_b": ".1f", "draw": ".3f",
    "win": ".3f", "loss": ".3f", "log_loss": ".4f", "brier": ".4f", "seconds": ".2f",
}  # fmt: skip
WRITERS = {  # the method that makes the content of a file with this suffix
    ".csv": "to_csv", ".json": "to_json", ".parquet": "to_parquet", ".xlsx": "to_xlsx",
    ".md": "to_markdown", ".html": "to_html",
}  # fmt: skip
ROWS_OF_PART = 50_000  # rows of CSV that are made at a time
SHEET_ROWS = 1_048_576  # of a spreadsheet, with the heading
FIRST_YEAR = 1900  # of the dates of a spreadsheet; earlier ones are text
CELL = "padding:.15em .7em;text-align:{};border:0"


class Tabular(ABC):
    """A result that is a table: what all of them have in common."""

    INTERNAL: ClassVar[frozenset[str]] = frozenset(
        {"INTERNAL", "cells", "shows", "format_cell", "format_html", "excerpt"}
    )

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and hasattr(type(self), name):
            return object.__getattribute__(self, name)  # raises what the property did
        raise missing_attribute(self, name)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.INTERNAL]

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
        return list_rows(self.to_columns())

    def to_csv(self, path: None = None) -> str:
        """CSV text with a header, floats at full precision."""
        refuse_path("to_csv", path)
        return "".join(csv_parts(self.to_columns()))

    def to_json(self, path: None = None) -> str:
        """A JSON list of rows at full precision; moments as ISO text, no number as null."""
        refuse_path("to_json", path)
        rows = [{name: json_value(value) for name, value in row.items()} for row in self.rows()]
        return json.dumps(rows, ensure_ascii=False, allow_nan=False)

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        return import_library("pandas").DataFrame(dict(self.to_columns()))

    def to_polars(self) -> Any:
        """A polars DataFrame."""
        return import_library("polars").DataFrame(dict(self.to_columns()), strict=False)

    def to_arrow(self) -> Any:
        """An Arrow table; a column of values of several kinds is text."""
        arrow = import_library("pyarrow")
        columns = {}
        for name, column in self.to_columns().items():
            try:
                columns[name] = arrow.array(column)
            except (arrow.ArrowInvalid, arrow.ArrowTypeError):
                texts = (None if one is None else str(one) for one in plain_values(column))
                columns[name] = arrow.array(texts, arrow.string())
        return arrow.table(columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table for every library that knows Arrow's C interface, such as DuckDB."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_markdown(self, path: None = None) -> str:
        """A Markdown table of all rows, numbers as they are printed."""
        refuse_path("to_markdown", path)
        head, *body = self.cells()
        rule = [":--" if name in LEFT else "--:" for name in head]
        return "".join(
            f"| {' | '.join(map(escape_markdown, row))} |\n" for row in (head, rule, *body)
        )

    def to_html(self, path: None = None) -> str:
        """A page with a table of all rows, numbers as they are printed."""
        refuse_path("to_html", path)
        title = escape(self.caption or "Table")
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<title>{title}</title></head>\n<body style="font-family:sans-serif">'
            f"{self.format_html(None)}</body></html>\n"
        )

    def to_xlsx(self, path: None = None) -> bytes:
        """A spreadsheet of all rows at full precision; raises ModuleNotFoundError."""
        refuse_path("to_xlsx", path)
        columns, stream = self.to_columns(), io.BytesIO()
        if len(next(iter(columns.values()), ())) >= SHEET_ROWS:
            raise BadArgument.of("too_many_rows.tabular", most=SHEET_ROWS)
        book = import_library("xlsxwriter").Workbook(
            stream, {"in_memory": True, "default_date_format": "yyyy-mm-dd hh:mm"}
        )
        sheet = book.add_worksheet()
        bold = book.add_format({"bold": True})
        for place, (name, column) in enumerate(columns.items()):
            sheet.write_string(0, place, name, bold)
            for row, value in enumerate(plain_values(column), start=1):
                write_cell(sheet, row, place, value)
        sheet.freeze_panes(1, 0)
        sheet.autofit()
        book.close()
        return stream.getvalue()

    def to_parquet(self, path: None = None) -> bytes:
        """A Parquet file of all rows at full precision; raises ModuleNotFoundError."""
        refuse_path("to_parquet", path)
        table, stream = self.to_arrow(), io.BytesIO()
        import_module("pyarrow.parquet").write_table(table, stream)
        return stream.getvalue()

    def write(self, path: str | Path) -> None:
        """Write a file whose suffix says its form: .csv, .json, .parquet, .xlsx, .md or .html.

        Raises BadArgument for another suffix, ModuleNotFoundError with the remedy where a form
        needs a library that is not installed, and OSError, after which a file of that name is as it
        was.
        """
        if not isinstance(path, str | Path):
            raise BadArgument.of("not_a_file.tabular", path=path)
        file = Path(path)
        if (method := WRITERS.get(file.suffix.lower())) is None:
            raise BadArgument.of("wrong_suffix.tabular", writers=WRITERS, path=str(path))
        if method == "to_csv":  # of many rows, not all of it is held as text
            with replace_file(file) as part, part.open("wb") as stream:
                stream.writelines(text.encode() for text in csv_parts(self.to_columns()))
        elif method == "to_parquet":
            table = self.to_arrow()
            with replace_file(file) as part, part.open("wb") as stream:
                import_module("pyarrow.parquet").write_table(table, stream)
        else:
            content = getattr(self, method)()
            with replace_file(file) as part:
                part.write_bytes(content if isinstance(content, bytes) else content.encode())

    def plot(self, **options: Any) -> Any:
        """The figure of this result, as a function of `prowess.plot` makes it."""
        return engine.draw_result(self, **options)

    def format_cell(self, name: str, value: Any) -> str:
        """A value as the printed table shows it."""
        return format_value(value, NUMBER_FORMATS.get(name, ".6g"))

    def cells(self, most: int | None = None) -> list[list[str]]:
        """Rows of texts, the header first; of one longer than SHOWN_WHOLE `most`, of both ends."""
        columns = {name: column for name, column in self.to_columns().items() if self.shows(name)}
        count = len(next(iter(columns.values()), ()))
        chosen = choose_rows(count, most)
        texts = []
        for name, column in columns.items():
            picked = [column[row] for row in chosen]
            texts.append([self.format_cell(name, value) for value in plain_values(picked)])
        return [list(columns), *map(list, zip(*texts, strict=True))]

    def excerpt(self, most: int | None) -> list[list[str]]:
        """`cells` with a row that says how many rows between both ends are left out."""
        count = len(next(iter(self.to_columns().values()), ()))
        return mark_omission(self.cells(most), count)

    def shows(self, name: str) -> bool:
        """Whether a printed table has this column."""
        return True

    def __str__(self) -> str:
        table = format_table(self.excerpt(ROWS_IN_TERMINAL))
        return f"<{self.headline}>\n{table}" if self.headline else table

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.format_html(SHORT_PAGE)

    def format_html(self, most: int | None) -> str:
        """An HTML table, of a long table so many rows of both ends."""
        head, *body = self.excerpt(most)
        sides = ["left" if name in LEFT else "right" for name in head]
        lines = [html_row("th", head, sides), *(html_row("td", row, sides) for row in body)]
        caption = ""
        if self.caption:
            style = "caption-side:top;text-align:left;padding:.3em .7em"
            caption = f'<caption style="{style}">{escape(self.caption)}</caption>'
        style = "border-collapse:collapse;font-variant-numeric:tabular-nums"
        return f'<table style="{style}">{caption}{"".join(lines)}</table>'


def list_rows(columns: Columns) -> list[dict[str, Any]]:
    """One dict a row, of plain values at full precision."""
    plain = {name: plain_values(column) for name, column in columns.items()}
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def csv_parts(columns: Columns) -> Iterator[str]:
    """The lines of CSV text with a header, floats at full precision, some thousands at a time."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    count = len(next(iter(columns.values()), ()))
    for at in range(0, max(count, 1), ROWS_OF_PART):
        part = (plain_values(column[at : at + ROWS_OF_PART]) for column in columns.values())
        writer.writerows(zip(*part, strict=True))
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def choose_rows(count: int, most: int | None) -> Sequence[int]:
    """The rows that a view shows: all, or of a long table so many, half of them of either end."""
    most = check_given(check_count, "most", most)
    if most is None or count <= max(most, 0 if most <= ROWS_IN_TERMINAL else SHOWN_WHOLE):
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


def escape_markdown(cell: str) -> str:
    """A cell of a Markdown table: no letter of it ends the cell or marks it up."""
    return re.sub(r"([\\|*_`<\[])", r"\\\1", cell.replace("\n", " "))


def write_cell(sheet: Any, row: int, place: int, value: Any) -> None:
    """A value in a cell of a spreadsheet; texts are never formulas, no number is an empty cell."""
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, place, value)
    elif isinstance(value, int | float):
        sheet.write_number(row, place, value)
    elif isinstance(value, datetime) and value.year >= FIRST_YEAR:
        sheet.write_datetime(row, place, value.replace(tzinfo=None))
    else:
        sheet.write_string(row, place, str(value))


def format_value(value: Any, number: str = ".6g") -> str:
    """A value as text: floats in a format, midnights as days, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return format_signed(value, number)
    return str(value).removesuffix(" 00:00:00")


def import_library(library: str) -> Any:
    """A library that holds or writes tables; raises ModuleNotFoundError with the remedy."""
    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        what = "prowess[files]" if library in ("pyarrow", "xlsxwriter") else library
        raise ModuleNotFoundError(
            f"pip install '{what}': {library} is not installed", name=library
        ) from None


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

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], title: str = "") -> ResultTable:
        """The table of rows as dicts; a value that a row does not have is None."""
        names = dict.fromkeys(name for row in rows for name in row)
        return cls({name: [row.get(name) for row in rows] for name in names}, title)

    @property
    def headline(self) -> str:
        """The title and the number of rows."""
        rows = format_count(len(self), "row")
        return f"{self.title}: {rows}" if self.title else ""

    def to_columns(self) -> Columns:
        """See Tabular."""
        return self.columns

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    def __getitem__(self, name: Any) -> Any:
        if not isinstance(name, str) or name not in self.columns:
            raise BadArgument.of("unknown_column", columns=self.columns, name=name)
        return self.columns[name]
