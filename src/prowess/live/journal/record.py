"""The write act that records results, and reported results as LiveResult."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn

from prowess.live.errors import Conflict, NotAllowed, Refused, RefusedMany, TooManyRefused
from prowess.live.journal.registry import Category
from prowess.live.journal.submission import Submission, check_submission, check_text
from prowess.live.journal.unit_of_work import (
    ALREADY,
    RECORDED,
    REFUSED,
    IdentifiedRow,
    LookedUp,
    RowStatus,
    UnitOfWork,
)
from prowess.live.result import (
    COUNTS,
    HELD,
    LiveResult,
    ResultSide,
    SideMember,
)
from prowess.live.store.access import Actor
from prowess.live.store.queries import ReportKey, find_reported

# The number of a row of a table, see `read_submissions`; older stores have its first part alone.
# What stands behind the tilde is the number of the same row with its day alone, and is not stored.
NUMBER_OF_ROW = re.compile(r"(([0-9a-f]{24}-[0-9]+)@([^@~]+))(?:~([0-9a-f]{24}-[0-9]+@\3))?")
PLACE_OF_DAY = 2  # of the number behind the tilde among those of a row


@dataclass(frozen=True)
class RecordResults:
    """Record results: all or none, or with `on_error` "skip" all but the bad ones.

    A result reported before under the same source and external number is not recorded again:
    with the same content it is acknowledged, with other content it raises Conflict. With
    `most_refused` bad rows nothing is recorded, whatever `on_error` says.
    """

    kind: ClassVar[str] = "record"
    scope: ClassVar[str] = "submit"

    submissions: tuple[Submission, ...]
    on_error: Literal["stop", "skip"] = "stop"
    look_alikes: bool = False  # whether new names that look like known ones are meant
    most_refused: int | None = None  # rows, after which the others are not looked at

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        looked_up = unit.looked_up
        if looked_up is None:
            rows = self.identify(unit.actor)
            keys = (key for row in rows for key in row.keys)
            looked_up = LookedUp(rows, find_reported(unit.connection, keys))
        known = ChainMap(unit.reports, looked_up.found)
        errors: list[Refused] = []
        statuses: list[RowStatus] = []
        categories: dict[str, Category] = {}
        for at, row in enumerate(looked_up.rows):
            try:
                new = unit.opened.get(row.given.category or "")
                category = new or unit.registry.category(row.given.category)
                if row.error is not None:
                    raise row.error
                one = check_submission(row.given, category, unit.now)
                categories[category.key] = category
                statuses.append(self._stage_row(unit, at, row, one, category, known))
            except Refused as error:
                errors.append(error.at(at))
                if self.most_refused is not None and len(errors) >= self.most_refused:
                    raise TooManyRefused(errors, at + 1) from None
        if errors:
            if self.on_error == "stop":
                refuse_rows(errors, len(self.submissions))
            statuses += [RowStatus(error.row or 0, None, REFUSED, error) for error in errors]
            statuses.sort(key=lambda one: one.row)
        unit.statuses = statuses
        numbers = [one.id for one in unit.entered]
        if numbers:
            unit.detail = {"result": numbers[0]} if len(numbers) == 1 else {"results": len(numbers)}
        if len(categories) == 1:
            (unit.category,) = categories.values()

    def identify(self, actor: Actor) -> list[IdentifiedRow]:
        """Each result with its source and the keys under which it may have been reported before.

        The source is that of the token if the token is bound to one; another one is refused.
        """
        rows, bound = list[IdentifiedRow](), actor.source
        for one in self.submissions:
            keys, number = list[ReportKey](), one.external_id
            source = one.source if bound is None else bound
            try:
                if one.source not in (None, source):
                    raise NotAllowed.of("not_your_source", source=bound, field="source")
                if source is None:
                    source = actor.name
                else:
                    check_text(source, "source")
                if number is not None:
                    check_text(number, "external_id")
                    of_row = NUMBER_OF_ROW.fullmatch(number)
                    numbers = of_row.group(1, 2, 4) if of_row else (number,)
                    keys = [(source, each) for each in numbers if each is not None]
                    number = keys[0][1]
                rows.append(IdentifiedRow(one._replace(source=source, external_id=number), keys))
            except Refused as error:
                rows.append(IdentifiedRow(one, (), error))
        return rows

    def _stage_row(
        self,
        unit: UnitOfWork,
        at: int,
        row: IdentifiedRow,
        one: Submission,
        category: Category,
        known: Mapping[ReportKey, LiveResult],
    ) -> RowStatus:
        for place, key in enumerate(row.keys):
            before = known.get(key)
            if before is not None and (place == 0 or before.category == category.id):
                timed = row.given.time is not None and place < PLACE_OF_DAY
                check_repeated(unit, one, category, before, timed=timed)
                return RowStatus(at, before.id, ALREADY)
        new = make_result(
            one,
            unit.enter_players(one, self.look_alikes),
            id=unit.next_result,
            category=category.id,
            source=one.source,
            external_id=one.external_id,
            created=unit.revision,
            revision=unit.revision,
            state=HELD if unit.actor.review else COUNTS,
        )
        unit.add_version(category, new)
        return RowStatus(at, new.id, HELD if new.state == HELD else RECORDED)


def refuse_rows(errors: list[Refused], rows: int) -> NoReturn:
    """Raise RefusedMany for the bad ones of some rows; of a single row its own error."""
    if rows == 1:
        errors[0].row = None
        raise errors[0]
    raise RefusedMany(errors, rows)


def check_repeated(
    unit: UnitOfWork, one: Submission, category: Category, before: LiveResult, timed: bool
) -> None:
    """Raise Conflict where a result reported before under its number said something else."""
    if before.category != category.id:
        raise Conflict.of(
            "duplicate.reported",
            source=one.source,
            external_id=one.external_id,
            result=before.id,
            category=unit.category_of(before).key,
            field="external_id",
        )
    numbers = {called: unit.find_number(called) for _, called in one.names() if called}
    again = make_result(one, numbers)
    if is_same(before, again, with_time=timed):
        return
    forgotten = unit.forgotten.intersection(before.players)
    if forgotten:  # anonymised players of the first one may be anybody in the second
        remembered = set(before.players) - forgotten

        def mask(player: int) -> int:
            return player if player in remembered else 0

        if is_same(before.with_players(mask), again.with_players(mask), with_time=timed):
            return
    raise Conflict.of(
        "duplicate.contradicted",
        result=before.id,
        source=one.source,
        external_id=one.external_id,
        field="external_id",
    )


def make_result(one: Submission, numbers: Mapping[str, int], **reference: Any) -> LiveResult:
    """The LiveResult of a checked submission; `reference` has the id, the category, ...

    Members of a side stand in order of their numbers. The sides of a contest are ordered by the
    lowest numbers of their players, so that the order of reporting does not matter.
    """
    assert one.time is not None
    assert one.weight is not None
    sides: tuple[ResultSide, ...]
    if one.player_a is not None and one.player_b is not None:
        sides = (
            ResultSide((SideMember(numbers[one.player_a]),), points=one.points_a),
            ResultSide((SideMember(numbers[one.player_b]),), points=one.points_b),
        )
    else:
        sides = make_sides(one, numbers)
    content: dict[str, Any] = {
        "id": 0, "time": one.time, "sides": sides, "score": one.score, "side": one.side,
        "margin": one.margin, "length": one.length, "weight": one.weight, "round": one.round,
        "facts": one.facts,
    }  # fmt: skip
    return LiveResult(**content | reference)


def make_sides(one: Submission, numbers: Mapping[str, int]) -> tuple[ResultSide, ...]:
    """The sides of a contest, or of a game that was reported by its sides."""
    sides = []
    duel = all(len(side.players) == 1 and side.players[0][1] == 1.0 for side in one.line_ups)
    for at, given in enumerate(one.line_ups):
        place = given.place
        if one.score is not None:
            lost = one.score < 0.5 if at == 0 else one.score > 0.5
            place = None if duel else 1.0 + lost
        sides.append(
            ResultSide(
                tuple(sorted(SideMember(numbers[name], float(s)) for name, s in given.players)),
                None if place is None else float(place),
                given.points,
            )
        )
    if one.score is None:
        sides.sort(key=lambda side: side.members[0].player)
    return tuple(sides)


def is_same(one: LiveResult, other: LiveResult, *, with_time: bool = True) -> bool:
    """Whether two versions have the same content, in any order of a contest's sides."""
    return bool(_content(one, with_time) == _content(other, with_time))


def _content(one: LiveResult, with_time: bool) -> Any:
    """The content of a result as comparable values."""
    sides = [(side.place or 0.0, side.points or 0.0, sorted(side.members)) for side in one.sides]
    if one.score is None:
        sides.sort()
    more = one.score, one.side, one.margin, one.length, one.weight, one.round, one.facts
    return sides, one.points, more, one.time if with_time else None
