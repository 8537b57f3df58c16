"""What the caller asks of the reader, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prowess.arguments import check_mapping
from prowess.games.layout import Columns, several
from prowess.games.refusal import BadData, quoted


def leaves_byes(byes: str | None) -> bool:
    """Whether games against a bye are left out. Raises BadData."""
    if byes not in {None, "players"}:
        raise BadData(f'byes is "players" or left out, not {quoted(byes)}')
    return byes is None


def is_share(score: str | None) -> bool:
    """Whether the score is the share of the points. Raises BadData."""
    if score not in {None, "share"}:
        raise BadData(
            f'score is "share" or left out, not {quoted(score)}',
            remedy="name the column of results with result=",
        )
    return score is not None


def columns_of(role: str, chosen: Any) -> Columns:
    """What an option names: a column or several, "none" for none. Raises BadData."""
    named = "none" if chosen is False else chosen
    parts = [named] if isinstance(named, str) else named
    if not isinstance(parts, Sequence) or not all(isinstance(part, str) for part in parts):
        raise BadData(f"{role}= names a column, and {quoted(chosen)} is no name")
    return named


def names_once(role: str, given: Any) -> tuple[str, ...]:
    """The columns that an option names, each once; raises BadData."""
    named = () if given is None else several(columns_of(role, given))
    if len(set(named)) < len(named):
        raise BadData(f"{role}= names a column twice", remedy="name each once")
    return named


def columns_by_role(given: Any) -> dict[str, tuple[str, ...]]:
    """Roles and the columns that name their members, none where headings are to say it."""
    if isinstance(given, Mapping):
        named = check_mapping("with_", given, '{"car": ("car_a", "car_b")}')
        return {role: several(columns_of("with_", columns)) for role, columns in named.items()}
    return dict.fromkeys(names_once("with_", given), ())


def filters(role: str, given: Mapping[str, Any] | None) -> dict[str, frozenset[str]]:
    """The values of columns by which rows are chosen. Raises BadData."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadData(f"{role}= is a dict of columns and values, not {type(given).__name__}")
    check_mapping(role, given, '{"league": "A"}')
    return {
        column: frozenset(
            str(value).strip(" \t")
            for value in (
                [values] if isinstance(values, str) or not isinstance(values, Iterable) else values
            )
        )
        for column, values in given.items()
    }
