"""Methods of data frames that results do not have: the remedy for each.

Scientists try the names of pandas first. Until results have them, the error says what to write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from prowess.engine.text_table import LEFT
from prowess.games.arguments import BadArgument

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


# fields and methods of ratings that serve the library; `dir` does not show them
INTERNAL_OF_RATINGS = frozenset({
    "all_games", "all_histories", "anchors", "asked", "chances", "draws", "events", "fit",
    "histories", "inner", "now", "p", "pair_losses", "path_table", "play_again", "played_table",
    "population", "prepared", "rank_deviation", "refuse_absent", "refuse_without_games",
    "find_categories", "find_or_add", "find_sides", "forecast_pairs", "forecast_players",
    "performances", "takes_newcomers", "with_members",
    "rounds", "rules", "shared_side", "start", "state", "streamed", "watch", "whole_strength",
})  # fmt: skip


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
        raise BadArgument(
            f'write a file with .write("table.{suffix}"): {method}() returns its content',
            code="path_of_content",
        )


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


def public_names(names: Sequence[str], internal: frozenset[str]) -> list[str]:
    """The names that tab completion shows: all but those that only serve the library."""
    return [name for name in names if name not in internal]
