"""Errors of the live server: refused write acts, and a store that cannot do what was asked.

This module imports nothing heavy, so that a failing command can look at them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from prowess.compile.refusals import ProwessError


class LiveError(ProwessError):
    """An error of the server, whose sentence `refusals.toml` has."""

    @classmethod
    def of(cls, sentence: str, /, **facts: Any) -> Self:
        """The refusal of this name with these facts; its code is the name up to the dot."""
        from prowess.games.errors import word_message  # loads NumPy

        return cls(word_message(sentence, facts), code=sentence.partition(".")[0])


class Refused(ProwessError):
    """A write act that is refused; nothing of it was written.

    `code` is stable and for programs, `status` is HTTP's, `row` counts from 0 in a bulk entry,
    `field` is the path to the value.
    """

    status = 422
    rows: tuple[str, ...] = ()  # what is wrong with rows of a file, in words
    placed: tuple[str, ...] = ("row", "field")  # facts that stand beside the message

    def __init__(
        self, code: str, message: str, *, row: int | None = None, field: str | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.row, self.field = code, message, row, field

    @classmethod
    def of(cls, sentence: str, /, **facts: Any) -> Self:
        """The refusal of this name with these facts, of which `row` and `field` are the place; its
        code is the name up to the dot.
        """
        from prowess.games.errors import word_message  # loads NumPy

        place = {name: facts.pop(name) for name in cls.placed if name in facts}
        return cls(sentence.partition(".")[0], word_message(sentence, facts), **place)

    def at(self, row: int) -> Refused:
        """The same, of a row of a bulk entry."""
        self.row = row
        return self

    def __str__(self) -> str:
        place = [] if self.row is None else [f"row {self.row + 1}"]
        if self.field is not None:
            place.append(self.field)
        return f"{', '.join(place)}: {self.message}" if place else self.message


class NotFound(Refused):
    """An unknown category, player, result, list, season or revision."""

    status = 404


class NotAllowed(Refused):
    """The token lacks the permission."""

    status = 403


class Conflict(Refused):
    """A write act that contradicts the stored facts."""

    status = 409


class Stale(Refused):
    """A write act based on an older revision than the present one."""

    status = 412


class Busy(Refused):
    """Too many requests are waiting; retry after `wait` seconds."""

    status = 429
    placed = ("wait",)

    def __init__(self, code: str, message: str, wait: int) -> None:
        super().__init__(code, message)
        self.wait = wait


class RefusedMany(Refused):
    """Several refused rows of a bulk request; nothing of it was written."""

    def __init__(self, errors: Sequence[Refused], rows: int) -> None:
        first = errors[0]
        count = f"{len(errors):,} of {rows:,} rows" if rows > 1 else "the row"
        super().__init__(
            first.code,
            f"{count} cannot be taken, the first: {first.message}",
            row=first.row,
            field=first.field,
        )
        self.count = len(errors)
        self.errors = tuple(errors[:MAX_ROWS_NAMED])  # the first of them
        self.status = max(error.status for error in errors) if rows == 1 else first.status


class TooManyRefused(RefusedMany):
    """So many refused rows that the others were not looked at; nothing was written."""

    def __init__(self, errors: Sequence[Refused], looked_at: int) -> None:
        super().__init__(errors, looked_at)
        first = errors[0]
        self.code, self.status, self.row, self.field = "too_many_bad_rows", 422, None, None
        self.message = describe_bad_rows(len(errors), looked_at, first.message)
        self.args = (self.message,)


def describe_bad_rows(count: int, looked_at: int, first: str) -> str:
    """What is said of so many bad rows that the others were not looked at."""
    return (
        f"mend the rows and send them again: {count:,} of the first {looked_at:,} are bad, so none "
        f"was recorded and the others were not looked at; the first: {first}"
    )


MAX_ROWS_NAMED = 100  # of a bulk request, whose errors are listed


class StoreError(LiveError):
    """The store failed; nothing was changed."""


class WrongUse(StoreError):
    """The store works, but the request makes no sense."""


class StoreOutOfReach(StoreError):
    """The store cannot be opened, or the connection to it was lost."""


class StoreDamaged(StoreOutOfReach):
    """The file of a store is damaged, or none of a store."""


class StoreEmpty(StoreError):
    """A store that is there holds no category, where one was expected."""


class StoreInUse(StoreError):
    """Another server uses this store."""


class StoreTooNew(StoreError):
    """A later Prowess has changed the store's tables."""
