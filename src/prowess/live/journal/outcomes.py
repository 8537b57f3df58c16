"""Results of a commit or a preview, and the events that listeners receive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.live.errors import Refused

if TYPE_CHECKING:
    from prowess.live.ladder.ladder import Preview


RECORDED, ALREADY, HELD, REFUSED = "recorded", "already", "held", "refused"
CORRECTED, VOID, RESTORED = "corrected", "void", "restored"
ACCEPTED, REJECTED = "accepted", "rejected"
LISTED = 1_000  # results of a change of many that are listed one by one


class RowStatus(NamedTuple):
    """The outcome of one row of a write act."""

    row: int
    id: int | None  # the number of the result; None where refused
    status: str  # one of the words above
    error: Refused | None = None


@dataclass(frozen=True)
class CommitResult:
    """The result of a commit: durable, and in effect from this revision on.

    `revision` is the latest one where nothing had to be written; `replayed` says that the same
    request had been answered before.
    """

    kind: str
    revision: int
    at: int  # microseconds
    results: tuple[RowStatus, ...] = ()
    numbers: dict[str, int] = field(default_factory=dict)  # of what was made: category, list, ...
    replayed: bool = False
    count: int = 0  # of results; those of a change of more than LISTED are only counted

    def as_data(self) -> dict[str, Any]:
        """Plain data without any name, to be kept with an Idempotency-Key."""
        refused = [
            [t.row, t.error.code, t.error.status, t.error.field] for t in self.results if t.error
        ]
        return {
            "kind": self.kind,
            "revision": self.revision,
            "at": self.at,
            "results": [[t.row, t.id, t.status] for t in self.results],
            "refused": refused,
            "numbers": self.numbers,
            "count": self.count,
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> CommitResult:
        """The result kept by `as_data`, marked as replayed."""
        errors = {}
        for row, code, status, where in data["refused"]:
            error = Refused(code, "refused when first sent", row=row, field=where)
            error.status = status
            errors[row] = error
        taken = tuple(
            RowStatus(row, id_, how, errors.get(row)) for row, id_, how in data["results"]
        )
        return cls(
            data["kind"],
            data["revision"],
            data["at"],
            taken,
            data["numbers"],
            replayed=True,
            count=data.get("count", len(taken)),
        )


@dataclass(frozen=True)
class PreviewResult:
    """The effect of a write act on each ladder, by the key of its category."""

    kind: str
    revision: int  # on which this holds
    results: tuple[RowStatus, ...]
    previews: dict[str, Preview]
    count: int = 0  # of results, see CommitResult
    names: Mapping[int, str] = field(default_factory=dict)  # of the movers, as they would be


class JournalEvent(NamedTuple):
    """A revision that took effect, as listeners receive it."""

    revision: int
    at: int
    kind: str
    category: str | None
    results: tuple[int, ...]
    players: tuple[int, ...]


class IdempotencyKey(NamedTuple):
    """An Idempotency-Key and the fingerprint of the request it came with."""

    key: str
    request: str


EVENTS = {  # by kind of entry
    "record": "result.recorded",
    "opening": "result.recorded",
    "correct": "correction.applied",
    "void": "correction.applied",
    "restore": "correction.applied",
    "accept": "correction.applied",
    "reject": "correction.applied",
    "publish": "list.published",
    "new_season": "season.made",
    "new_category": "category.changed",
    "change_method": "category.changed",
    "alias": "player.changed",
    "rename": "player.changed",
    "merge": "player.changed",
    "split": "player.changed",
    "anonymise": "player.changed",
}
