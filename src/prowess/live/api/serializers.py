"""Serializers of the values of the journal, and the TypedDicts that describe their JSON.

Fields that do not always apply are `NotRequired`; more fields may be added later. A number that is
not finite is null. FastAPI builds the OpenAPI schemas from the types (without the suffix Json).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import GenericAlias
from typing import Any, Literal, NotRequired, get_args, get_type_hints

from pydantic import create_model
from typing_extensions import TypedDict  # that of typing only from Python 3.12 on

from prowess.games.dates import format_moment
from prowess.live.api.encoding import FaultJson, JsonTime, Value, Values, format_time
from prowess.live.journal.journal import Journal
from prowess.live.journal.registry import Category
from prowess.live.journal.unit_of_work import (
    DONE_TO_GAMES,
    CommitResult,
    PreviewResult,
    RowStatus,
)
from prowess.live.result import LiveResult, Moment
from prowess.live.store.queries import ResultVersion, RevisionRow

GAME_KEYS = ("score", "side", "margin", "length", "points_a", "points_b")
RESULT_COLUMNS = (
    "id", "category", "state", "time", "player_a", "player_b", *GAME_KEYS, "weight", "round",
    "source", "external_id", "revision",
)  # fmt: skip


class FitJson(TypedDict):
    waiting: int
    trouble: str | None
    interim: bool


class PageJson(TypedDict):
    revision: int
    next: str | None


def describe_row(name: str, row: Any, **more: Any) -> Any:
    """The JSON of a row of the store: its fields, moments as texts, and `more` fields."""
    kinds = get_type_hints(row)
    for one, moment in find_moments(row).items():
        if moment:
            kinds[one] = JsonTime if kinds[one] is int else JsonTime | None
    fields: dict[str, Any] = {one: (kind, ...) for one, kind in (kinds | more).items()}
    return create_model(name, **fields)


def describe_page(name: str, row: Any) -> Any:
    """The JSON of a page of such rows."""
    return describe_row(name, PageJson, items=GenericAlias(list, row))


@cache
def find_moments(form: Any) -> Mapping[str, bool]:
    """The fields of a TypedDict or of a row of the store, and whether each is a moment."""
    kinds = get_type_hints(form, include_extras=True)
    some = {name: (kind, *get_args(kind)) for name, kind in kinds.items()}
    return {name: JsonTime in kinds or Moment in kinds for name, kinds in some.items()}


def serialize_as(form: Any, row: Any, **given: Any) -> Any:
    """The fields of such a form: those `given`, else those of a row, moments as texts."""
    data = {}
    for name, moment in find_moments(form).items():
        value = given[name] if name in given else getattr(row, name)
        data[name] = format_time(value) if moment else value
    return data


class MemberJson(TypedDict):
    player: str
    share: float


Members = list[str | MemberJson]


class SideJson(TypedDict):
    players: Members
    score: NotRequired[float]
    place: NotRequired[float]
    points: NotRequired[float]


class PlacingJson(TypedDict):
    player: str
    place: float
    points: NotRequired[float]


class ResultJson(TypedDict):
    id: int
    category: str
    state: Literal["counts", "held", "void", "rejected"]
    time: JsonTime
    sides: list[SideJson]
    weight: float
    source: str
    revision: int
    player_a: NotRequired[str]
    player_b: NotRequired[str]
    score: NotRequired[float]
    side: NotRequired[float]
    margin: NotRequired[float]
    length: NotRequired[float]
    points_a: NotRequired[float]
    points_b: NotRequired[float]
    placings: NotRequired[list[PlacingJson]]
    facts: NotRequired[dict[str, float | str]]
    round: NotRequired[str]
    external_id: NotRequired[str]


class ChangeJson(TypedDict):
    revision: int
    at: JsonTime
    kind: str
    category: str | None
    by: str | None
    token: int | None
    reason: str | None
    detail: dict[str, Any]


class VersionJson(ResultJson):
    change: ChangeJson


class ResultVersionsJson(ResultJson):
    versions: list[VersionJson]


class TakenJson(TypedDict):
    row: int
    status: str
    id: NotRequired[int]
    error: NotRequired[FaultJson]


class PlayedJson(FitJson):
    category: str
    rating: Value
    games: int


class PersonJson(TypedDict):
    revision: int
    player: str
    aliases: list[str]
    categories: list[PlayedJson]


class ReceiptJson(TypedDict):
    kind: str
    revision: int
    at: JsonTime
    results: NotRequired[list[TakenJson]]
    count: NotRequired[int]
    players: NotRequired[int]
    fixtures: NotRequired[int]
    moved: NotRequired[int]
    settled: NotRequired[int]
    beside: NotRequired[int]
    replayed: NotRequired[bool]
    dry_run: NotRequired[bool]
    player: NotRequired[PersonJson]


class MoverJson(TypedDict):
    player: str
    before: Values | None
    after: Values | None
    rank_before: int | None
    rank_after: int | None


class MovingJson(TypedDict):
    games_before: int
    games_after: int
    replayed: int
    leader_changed: bool
    trouble: str | None
    interim: bool
    movers: list[MoverJson]


class OutlookJson(TypedDict):
    preview: bool
    kind: str
    revision: int
    results: list[TakenJson]
    categories: dict[str, MovingJson]
    count: NotRequired[int]


class CategoryItemJson(FitJson):
    key: str
    name: str
    icon: str
    noun: str
    kind: Literal["games", "contests"]
    system: str
    params: dict[str, Any]
    period: str | None
    extra: list[str]
    provisional_games: int
    inactive_days: int
    side_size: int
    since: int
    games: int
    applied: int


class CategoryJson(CategoryItemJson):
    revision: int


def serialize_result(journal: Journal, row: LiveResult) -> dict[str, Any]:
    """Serialize one version of a result; fields that do not apply are left out."""
    names = {player: journal.name(player) for player in row.players}
    data: dict[str, Any] = {
        "id": row.id,
        "category": journal.registry.categories[row.category].key,
        "state": row.state,
        "time": format_moment(row.time, "Z"),
    }
    pair = row.pair
    if pair is not None:
        data |= {"player_a": names[pair[0]], "player_b": names[pair[1]]}
    sides: list[dict[str, Any]] = []  # in the form in which they are reported
    for side in row.sides if row.score is not None else row.ranked:
        members = [
            names[one.player]
            if one.share == 1.0
            else {"player": names[one.player], "share": one.share}
            for one in side.members
        ]
        reached: dict[str, Any] = {"place": side.place}
        if row.score is not None:
            reached = {"score": 1.0 - row.score if sides else row.score}
        if side.points is not None:
            reached["points"] = side.points
        sides.append({"players": members} | reached)
    if row.score is not None:
        values = row.score, row.side, row.margin, row.length, *row.points
        found = zip(GAME_KEYS, values, strict=True)
        data |= {field: value for field, value in found if value is not None}
    elif row.single:
        data["placings"] = [
            {"player": names[side.members[0].player]}
            | {k: v for k, v in one.items() if k != "players"}
            for side, one in zip(row.ranked, sides, strict=True)
        ]
    data["sides"] = sides
    if row.facts:
        data["facts"] = row.facts
    data |= {"weight": row.weight, "source": row.source, "revision": row.revision}
    if row.round is not None:
        data["round"] = row.round
    if row.external_id is not None:
        data["external_id"] = row.external_id
    return data


def serialize_versions(journal: Journal, versions: Sequence[ResultVersion]) -> dict[str, Any]:
    """Serialize a result with all its versions, oldest first."""
    return serialize_result(journal, versions[-1].result) | {
        "versions": [
            serialize_result(journal, one.result)
            | {"change": serialize_revision(journal, one.revision)}
            for one in versions
        ]
    }


def serialize_revision(journal: Journal, row: RevisionRow) -> dict[str, Any]:
    """Serialize a revision: time, kind, actor and reason."""
    key = None if row.category is None else journal.registry.categories[row.category].key
    changed: dict[str, Any] = serialize_as(
        ChangeJson, row, revision=row.id, category=key, by=row.name, token=row.token_id
    )
    return changed


def method_params(one: Category) -> dict[str, Any]:
    """All parameters of a category's system, defaults included."""
    from prowess.engine.params import display_settings, settings
    from prowess.systems.catalogue import find

    system = find(one.system)
    return display_settings(system, settings(system, dict(one.params)))


def serialize_category(journal: Journal, one: Category) -> dict[str, Any]:
    """Serialize a category with its method; `params` includes defaults."""
    now = journal.revision  # first: what is read afterwards is at least as new
    ladder = journal.ladder(one.key)
    found = ladder.view()
    fit = serialize_as(FitJson, found)
    data: dict[str, Any] = serialize_as(
        CategoryItemJson, one, params=method_params(one), games=len(ladder),
        applied=now if found.applied is None else found.applied, **fit,
    )  # fmt: skip
    return data


def serialize_commit(one: CommitResult) -> dict[str, Any]:
    """Serialize a commit: its revision and the status of each row."""
    data: dict[str, Any] = {"kind": one.kind, "revision": one.revision, "at": format_time(one.at)}
    if one.results:
        data["results"] = [serialize_row(each, each.row) for each in one.results]
    elif one.count:  # too many to list
        data["count"] = one.count
    data |= {name: one.numbers[name] for name in ("players", *DONE_TO_GAMES) if name in one.numbers}
    if one.replayed:
        data["replayed"] = True
    return data


def serialize_row(one: RowStatus, row: int) -> dict[str, Any]:
    """Serialize the status of one row."""
    data: dict[str, Any] = {"row": row, "status": one.status}
    if one.id is not None:
        data["id"] = one.id
    if one.error is not None:
        data["error"] = {"code": one.error.code, "message": one.error.message}
        if one.error.field is not None:
            data["error"]["field"] = one.error.field
    return data


def serialize_preview(one: PreviewResult) -> dict[str, Any]:
    """Serialize a preview: the rating changes by category."""
    data: dict[str, Any] = {"preview": True, "kind": one.kind, "revision": one.revision}
    if len(one.results) < one.count:
        data["count"] = one.count
    categories = {}
    for key, each in one.previews.items():
        movers = [mover._asdict() | {"player": one.names[mover.player]} for mover in each.movers]
        fields = {name: getattr(each, name) for name in MovingJson.__annotations__}
        categories[key] = fields | {"movers": movers}
    rows = [serialize_row(each, each.row) for each in one.results]
    return data | {"results": rows, "categories": categories}
