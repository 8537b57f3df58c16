"""The write act that records results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from sqlalchemy import select

from prowess.live.errors import Conflict, NotAllowed, Refused, RefusedMany
from prowess.live.journal.outcomes import ALREADY, HELD, RECORDED, REFUSED, RowStatus
from prowess.live.journal.registry import Category
from prowess.live.journal.submission import Submission, check_source, check_submission
from prowess.live.journal.unit_of_work import AT_ONCE, UnitOfWork
from prowess.live.journal.versions import is_same, is_same_but_for, number_players
from prowess.live.result import COUNTS, HELD as WAITING, LiveResult
from prowess.live.store.queries import RESULT, read_results
from prowess.live.store.tables import result, version


@dataclass(frozen=True)
class RecordResults:
    """Record results: all or none, or with `on_error` "skip" all but the bad ones.

    A result reported before under the same source and external number is not recorded again:
    with the same content it is acknowledged, with other content it raises Conflict.
    """

    kind: ClassVar[str] = "record"
    scope: ClassVar[str] = "submit"

    submissions: tuple[Submission, ...]
    on_error: Literal["stop", "skip"] = "stop"
    look_alikes: bool = False  # whether new names that look like known ones are meant

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        errors: list[Refused] = []
        rows: list[tuple[int, Submission, Category]] = []
        for at, given in enumerate(self.submissions):
            try:
                category = unit.category_called(given.category)
                one = check_submission(with_source(given, unit), category, unit.now)
                rows.append((at, one, category))
            except Refused as error:
                errors.append(error.at(at))
        known = dict(_find_reported(unit, [one for _, one, _ in rows]))
        timed = {at: one.time is not None for at, one in enumerate(self.submissions)}
        taken: list[RowStatus] = []
        for at, one, category in rows:
            try:
                taken.append(self._stage_row(unit, at, one, category, known, timed[at]))
            except Refused as error:
                errors.append(error.at(at))
        errors.sort(key=lambda error: error.row or 0)
        if errors and self.on_error == "stop":
            if len(self.submissions) == 1:
                errors[0].row = None
                raise errors[0]
            raise RefusedMany(errors, len(self.submissions))
        refused = [RowStatus(error.row or 0, None, REFUSED, error) for error in errors]
        unit.statuses = sorted((*taken, *refused), key=lambda one: one.row)
        new = [one.id for one in taken if one.status != ALREADY]
        unit.detail = {"results": len(new)} if len(new) > 1 else {"result": new[0]} if new else {}
        if len({category.key for _, _, category in rows}) == 1:
            unit.category = rows[0][2]

    def _stage_row(
        self,
        unit: UnitOfWork,
        at: int,
        one: Submission,
        category: Category,
        known: dict[tuple[str, str], LiveResult],
        timed: bool,
    ) -> RowStatus:
        assert one.source is not None  # filled in by `with_source`
        source = one.source
        key = None if one.external_id is None else (source, one.external_id)
        if key is not None and key in known:
            before = known[key]
            given = number_players(one, unit.known_player)
            if before.category == category.id and (
                is_same(before, given, with_time=timed)
                or is_same_but_for(unit.forgotten, before, given, with_time=timed)
            ):
                return RowStatus(at, before.id, ALREADY)
            if before.category != category.id:
                other = unit.category_of(before).key
                raise Conflict(
                    "duplicate",
                    f"give it another source or external number: {source!r} reported "
                    f"{one.external_id!r} before, as result {before.id} of {other}",
                    field="external_id",
                )
            raise Conflict(
                "duplicate",
                f"correct result {before.id} instead: {source!r} reported {one.external_id!r} "
                "before, and it said otherwise",
                field="external_id",
            )
        unit.check_players(one, self.look_alikes)
        new = number_players(
            one,
            unit.player,
            id=unit.result_number(),
            category=category.id,
            state=WAITING if unit.actor.review else COUNTS,
        )
        unit.insert(
            result,
            {
                "id": new.id,
                "category_id": category.id,
                "source": source,
                "external_id": one.external_id,
                "created_revision": unit.revision,
                "revision": unit.revision,
            },
        )
        unit.add_version(category, new)
        if key is not None:
            known[key] = new
        return RowStatus(at, new.id, HELD if unit.actor.review else RECORDED)


def with_source(one: Submission, unit: UnitOfWork) -> Submission:
    """Fill in the source of a submission: that of the token if the token is bound to one."""
    bound = unit.actor.source
    if bound is not None and one.source not in (None, bound):
        raise NotAllowed(
            "not_your_source",
            f"leave the source out, or use a token that was made with it: this one reports as "
            f"{bound!r} only",
            field="source",
        )
    source = bound or one.source
    if source is not None:
        check_source(source)
    return one._replace(source=source or unit.actor.name)


def _find_reported(
    unit: UnitOfWork, rows: list[Submission]
) -> Iterator[tuple[tuple[str, str], LiveResult]]:
    """Results already recorded under these sources and external numbers, in their first version."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for one in rows:
        if one.external_id is not None and one.source is not None:
            wanted[one.source].append(one.external_id)
    first = (version.c.result_id == result.c.id) & (version.c.revision == result.c.created_revision)
    asked = select(*RESULT).join_from(result, version, first)
    for source, numbers in wanted.items():
        for at in range(0, len(numbers), AT_ONCE):
            some = result.c.external_id.in_(numbers[at : at + AT_ONCE])
            chosen = asked.where(result.c.source == source, some)
            for row in read_results(unit.connection, chosen):
                assert row.external_id is not None
                yield (source, row.external_id), row
