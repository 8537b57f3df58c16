"""Numbers, and answers of yes or no, as tables write them."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any

from prowess.games.refusal import MEND, SKIP, Refusal, quoted

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")  # a decimal comma, or one between thousands
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
YES = frozenset({"true", "t", "yes", "y", "1"})
NO = frozenset({"false", "f", "no", "n", "0"})
NOT_PLAYED = f"leave out what was not played with where= or exclude=, or {SKIP}"


def missing(value: Any) -> bool:
    """Whether a cell holds nothing: an empty text, None, NaN, or a library's word for it."""
    if value is None or (isinstance(value, str) and not value.strip(" \t")):
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - only NaN and its like differ from themselves
    except (TypeError, ValueError):  # a library's own missing value has no truth
        return type(value).__name__ == "NAType"
    except ArithmeticError:  # a NaN that must not be compared
        return True


def number(value: Any) -> float:
    """A finite number."""
    if missing(value):
        raise Refusal("a number is missing", NOT_PLAYED)
    if isinstance(value, str):
        text = value.strip(" \t")
        if not NUMBER.fullmatch(text):
            raise Refusal(f"{quoted(value)} is not a number", NOT_PLAYED)
        parsed = float(text)
    elif not isinstance(value, bool) and isinstance(value, Real | Decimal):
        try:
            parsed = float(value)
        except (OverflowError, ValueError):
            parsed = float("inf")
    else:
        raise Refusal(f"{quoted(value)} is not a number", NOT_PLAYED)
    if not isfinite(parsed):
        raise Refusal(f"{quoted(value)} is not a finite number", MEND)
    return parsed


def decimal(value: Any) -> float:
    """A finite number, also with a decimal comma; 1,500 may be either number and is refused."""
    if isinstance(value, str) and COMMA.fullmatch(text := value.strip(" \t")):
        if THOUSANDS.fullmatch(text):
            whole, point = text.replace(",", ""), text.replace(",", ".")
            raise Refusal(
                f"{quoted(text)} is either {whole} or {point}", f"write {whole} or {point}"
            )
        return number(text.replace(",", "."))
    return number(value)


def positive(value: Any) -> float:
    """A finite number above zero."""
    parsed = number(value)
    if parsed <= 0.0:
        raise Refusal(f"{quoted(value)} is not above 0", MEND)
    return parsed


def truth(value: Any) -> float:
    """1.0 for yes, 0.0 for no."""
    if missing(value):
        raise Refusal("yes or no is missing", "write TRUE or FALSE")
    word = str(value).strip(" \t").casefold()
    if word in YES or (isinstance(value, float) and value == 1.0):
        return 1.0
    if word in NO or (isinstance(value, float) and value == 0.0):
        return 0.0
    raise Refusal(f"{quoted(value)} is neither yes nor no", "write TRUE or FALSE")
