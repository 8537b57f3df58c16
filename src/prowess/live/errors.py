"""Errors of the live server: refused write acts, and a store that cannot do what was asked.

This module imports nothing heavy, so that a failing command can look at them at once.
"""

from __future__ import annotations

from collections.abc import Sequence


class Refused(Exception):
    """An entry that cannot be taken; nothing of it was written.

    `code` is stable and for programs, `status` is HTTP's, `row` counts from 0 in a bulk entry,
    `field` is the path to the value.
    """

    status = 422

    def __init__(
        self, code: str, message: str, *, row: int | None = None, field: str | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.row, self.field = code, message, row, field

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
    """A category, player, result, list or season that is not there."""

    status = 404


class NotAllowed(Refused):
    """Something that this token may not do."""

    status = 403


class Conflict(Refused):
    """An entry that contradicts what is there."""

    status = 409


class Stale(Refused):
    """An entry made on an older revision than the present one."""

    status = 412


class Busy(Refused):
    """A question that too many others wait before; it may be asked again after `wait` seconds."""

    status = 429

    def __init__(self, code: str, message: str, wait: int) -> None:
        super().__init__(code, message)
        self.wait = wait


class RefusedMany(Refused):
    """Several rows of a bulk entry; nothing of it was written."""

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
        self.errors = tuple(errors[:NAMED])  # the first of them
        self.status = max(error.status for error in errors) if rows == 1 else first.status


NAMED = 100  # rows of a bulk entry that are complained of one by one


class StoreError(Exception):
    """The store cannot do what was asked; nothing of it has happened."""


class WrongUse(StoreError):
    """The store is well, but what was asked of it makes no sense."""


class StoreOutOfReach(StoreError):
    """The store cannot be opened, or the connection to it was lost."""


class StoreInUse(StoreError):
    """Another server keeps this store."""


class StoreTooNew(StoreError):
    """A later Prowess has changed the store's tables."""
