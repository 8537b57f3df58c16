"""Checks of arguments: an error of one line names the remedy, then the value that was given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from numbers import Integral, Real
from typing import Any, TypeVar

from prowess.games.errors import WordedError, brief

SHARE_WANTED = "a share of the games, from 0 to below 1, such as 0.2"
T = TypeVar("T")


class BadArgument(WordedError, ValueError, TypeError):
    """An argument of a kind, or with a value, that a function does not take."""


def refuse(remedy: str, value: object, *, code: str | None = None) -> BadArgument:
    """The error to raise: `give NAME as ...`, and what came instead."""
    return BadArgument(f"{remedy}, not {brief(value)}", code=code)


def is_number(value: Any, kind: Any = Real) -> bool:
    """Whether a value is a number: True and False are none."""
    return isinstance(value, kind) and not isinstance(value, bool)


def check_number(name: str, value: Any, what: str = "a finite number") -> float:
    """A finite number as float; raises BadArgument."""
    if type(value) is float and isfinite(value):  # the most frequent, at once
        return value
    if is_number(value):
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if isfinite(number):
            return number
    raise refuse(f"give {name} as {what}", value, code="not_a_number")


def check_count(name: str, value: Any, least: int = 0) -> int:
    """A whole number of at least `least`; raises BadArgument."""
    if is_number(value, Integral) and int(value) >= least:
        return int(value)
    raise refuse(f"give {name} as a whole number from {least} on", value, code="not_a_count")


def check_place(name: str, value: Any, count: int) -> int:
    """The number of one of `count` things, from 0 on; raises BadArgument."""
    if type(value) is int and 0 <= value < count:  # the most frequent, at once
        return value
    if is_number(value, Integral) and 0 <= int(value) < count:
        return int(value)
    most = f"from 0 to {count - 1}" if count else "(there is nothing to choose from)"
    raise refuse(f"give {name} as a whole number {most}", value, code="place_out_of_range")


def check_rows(name: str, value: Any, count: int) -> Any:
    """A slice, or an array of one dimension: a mask of `count` rows, or their numbers.

    Raises BadArgument.
    """
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        if value.step != 0 and all(one is None or is_number(one, Integral) for one in parts):
            return value
        raise refuse(f"give {name} as a slice of whole numbers", value, code="not_a_slice")
    import numpy as np

    said = f"give {name} as a slice, {count} of True or False, or numbers from 0 to {count - 1}"
    if isinstance(value, list | tuple) and not len(value):
        value = np.empty(0, np.int64)
    try:
        rows = np.asarray(value)
    except ValueError:  # rows of unequal length
        raise refuse(said, value, code="not_rows") from None
    fits = rows.ndim == 1 and (
        (rows.dtype.kind == "b" and len(rows) == count)
        or (rows.dtype.kind in "iu" and not ((rows < -count) | (rows >= count)).any())
    )
    if not fits:
        raise refuse(said, value, code="not_rows")
    return rows


def check_flag(name: str, value: Any) -> bool:
    """True or False; raises BadArgument."""
    if isinstance(value, bool) or type(value).__name__ in {"bool_", "bool"}:  # of NumPy, too
        return bool(value)
    raise refuse(f"give {name} as True or False", value, code="not_a_flag")


def check_text(name: str, value: Any, such_as: str) -> str:
    """A text; raises BadArgument."""
    if isinstance(value, str):
        return value
    raise refuse(f"give {name} as text such as {such_as}", value, code="not_a_text")


def check_choice(name: str, value: Any, words: Sequence[str]) -> str:
    """One of several words; raises BadArgument."""
    if isinstance(value, str) and value in words:
        return value
    raise refuse(f"give {name} as one of {', '.join(words)}", value, code="not_a_choice")


def check_callable(name: str, value: Any) -> Callable[..., Any]:
    """A function; raises BadArgument."""
    if callable(value):
        return value  # type: ignore[no-any-return]
    raise refuse(f"give {name} as a function", value, code="not_a_function")


def check_mapping(name: str, value: Any, such_as: str) -> dict[str, Any]:
    """A dict whose keys are texts; raises BadArgument."""
    if not isinstance(value, Mapping):
        raise refuse(f"give {name} as a dict such as {such_as}", value, code="not_a_dict")
    for key in value:
        if not isinstance(key, str):
            raise refuse(
                f"name the entries of {name} by texts, as in {such_as}", key, code="key_not_a_text"
            )
    return dict(value)


def check_anchors(anchors: Any) -> dict[str, float]:
    """Known ratings by player; raises BadArgument."""
    found = check_mapping("anchors", anchors, '{"Ann": 2000.0}')
    return {name: check_number(f"the anchor of {name!r}", one) for name, one in found.items()}


def check_starts(initial: Any) -> dict[str, dict[str, float]]:
    """Starting values by player and name of the value; raises BadArgument."""
    example = '{"Ann": {"rating": 1800.0}}'
    return {
        player: {
            name: check_number(f"{name} of {player!r}", value)
            for name, value in check_mapping(f"initial[{player!r}]", values, example).items()
        }
        for player, values in check_mapping("initial", initial, example).items()
    }


def check_series(name: str, value: Any, such_as: str) -> list[Any]:
    """What is in a list, tuple or other series, but not in a text; raises BadArgument."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise refuse(f"give {name} as a list such as {such_as}", value, code="not_a_list")
    return list(value)


def check_given(check: Callable[..., T], name: str, value: Any, *others: Any) -> T | None:
    """What a check returns of a value; None stays None: not given."""
    return None if value is None else check(name, value, *others)


def check_day(name: str, value: Any, *, end: bool = True) -> float:
    """A date (also as text), or days since 1970, as days; a date means the end of that day.

    With `end` False it means its beginning.
    """
    from datetime import date

    import numpy as np

    from prowess.games.dates import DAY_MICROSECONDS, end_of_day, parse_moment

    wanted = "a date such as 2024-06-30, or as days since 1970"
    if not isinstance(value, str | date | np.datetime64):
        return check_number(name, value, wanted)
    try:
        return end_of_day(str(value)) if end else parse_moment(str(value)) / DAY_MICROSECONDS
    except ValueError:
        raise refuse(f"give {name} as {wanted}", value, code="not_a_day") from None


def check_share(name: str, value: Any) -> float:
    """A share from 0 to below 1; raises BadArgument."""
    number = check_number(name, value, SHARE_WANTED)
    if not 0.0 <= number < 1.0:
        raise refuse(f"give {name} as {SHARE_WANTED}", value, code="not_a_share")
    return number


def check_level(level: Any, name: str = "level") -> float:
    """A probability between 0 and 1; raises BadArgument."""
    what = "a probability between 0 and 1, such as 0.95"
    number = check_number(name, level, what)
    if not 0.0 < number < 1.0:
        raise refuse(f"give {name} as {what}", level, code="not_a_level")
    return number
