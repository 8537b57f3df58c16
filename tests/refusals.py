"""Assert that something is refused: the error's class, code, remedy and data, not its sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from prowess.compile.refusals import ProwessError
from prowess.games.errors import BadData
from tests.house import REFUSALS, REMEDIES


@contextmanager
def refused(
    kind: type[ProwessError],
    code: str,
    *,
    about: str | Sequence[str] = (),
    remedy: bool = True,
    **place: Any,
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """Expect an error of exactly this class and code; `.value` of what is returned is the error.

    `about` is data that the message holds: a name, a value. Other arguments are attributes of the
    error, as `line=`, `row=`, `column=`, `file=`. One without a remedy is expected only
    with `remedy=False`.
    """
    with pytest.raises(kind) as caught:
        yield caught
    check_refusal(caught.value, kind, code, about=about, remedy=remedy, **place)


def check_refusal(
    error: ProwessError,
    kind: type[ProwessError],
    code: str,
    *,
    about: str | Sequence[str] = (),
    remedy: bool = True,
    **place: Any,
) -> None:
    """Assert what `refused` asserts, of an error at hand."""
    assert (type(error), error.code) == (kind, code), error
    assert not remedy or has_remedy(error), f"no remedy: {error}"
    for text in (about,) if isinstance(about, str) else about:
        assert text in str(error)
    assert {name: getattr(error, name) for name in place} == place


def has_remedy(error: ProwessError) -> bool:
    """Whether the message begins with what can be done, where the class promises it."""
    if isinstance(error, BadData):
        return bool(error.remedy)
    if type(error).__name__ not in REFUSALS:  # told behind a place, or without a remedy
        return True
    if str(error).endswith("."):  # a sentence with the fact first
        return True
    word = str(error).partition(" ")[0].rstrip(",:")
    return word in REMEDIES or word.startswith("--")
