"""Categories, how they are rated, their seasons and published lists."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from sqlalchemy import Connection, select
from starlette.responses import Response

from prowess.live.api import serializers
from prowess.live.api.encoding import format_time, parse_time
from prowess.live.api.entering import Entering
from prowess.live.api.models import (
    SentCategory,
    SentList,
    SentMethod,
    SentSeason,
)
from prowess.live.api.parameters import Admin, Reader, TheDesk
from prowess.live.api.problems import Problem
from prowess.live.api.responses import (
    ALSO_CSV,
    JSON,
    Cursor,
    KeyHeader,
    Limit,
    Preview,
    json_response,
    make_cursor,
    page_response,
    parse_cursor,
    select_format,
)
from prowess.live.journal.categories import ChangeMethod, NewCategory, NewSeason, Publish
from prowess.live.journal.journal import Journal
from prowess.live.store.tables import published, published_row, season

router = APIRouter(tags=["categories"])
Key = Annotated[str, Path(max_length=40, description="The key of the category.")]
ListKey = Annotated[str, Path(max_length=40, description="The key of the list.")]


@router.get("/categories")
def listing(request: Request, desk: TheDesk, actor: Reader) -> Response:
    """All categories: what is played, by which system and constants, since which revision."""
    rows = [serializers.category(desk, one) for one in desk.categories()]
    return page_response(request, rows, None, revision=desk.revision)


@router.post("/categories", status_code=201)
def create(
    sent: SentCategory, request: Request, desk: TheDesk, actor: Admin, key: KeyHeader = None
) -> Response:
    """A new category with its ladder."""
    entry = NewCategory(
        key=sent.key,
        name=sent.name or "",
        plays=sent.kind,
        system=sent.system,
        params=sent.params,
        period=sent.period,
        extra=tuple(sent.extra),
        provisional_games=sent.provisional_games,
        inactive_days=sent.inactive_days,
        side_size=sent.side_size,
    )
    receipt = Entering(desk, request, actor, key, sent.model_dump_json()).commit(entry)
    told = serializers.category(desk, desk.category(sent.key)) | {"revision": receipt.revision}
    headers = {"Location": f"/api/v1/categories/{sent.key}"}
    return json_response(request, told, status=201, headers=headers)


@router.get("/categories/{c}")
def one(c: Key, request: Request, desk: TheDesk, actor: Reader) -> Response:
    """One category."""
    told = serializers.category(desk, desk.category(c)) | {"revision": desk.revision}
    return json_response(request, told, headers={"ETag": f'"r{desk.revision}"'})


@router.patch("/categories/{c}")
def change(
    c: Key,
    sent: SentMethod,
    request: Request,
    desk: TheDesk,
    actor: Admin,
    preview: Preview = False,
) -> Response:
    """Rate a category by another system or other constants; everything is played anew."""
    entry = ChangeMethod(
        desk.category(c).key,
        sent.system,
        sent.params,
        sent.period,
        sent.provisional_games,
        sent.inactive_days,
        sent.side_size,
        sent.reason,
    )
    entering = Entering(desk, request, actor)
    if preview:
        return entering.outlook(entry)
    receipt = entering.commit(entry)
    told = serializers.category(desk, desk.category(c)) | {"revision": receipt.revision}
    return json_response(request, told)


@router.get("/categories/{c}/seasons")
def seasons(c: Key, request: Request, desk: TheDesk, actor: Reader) -> Response:
    """The seasons of a category, the first first."""
    number = desk.category(c).id
    chosen = select(season).where(season.c.category_id == number).order_by(season.c.starts)
    with desk.store.read() as connection:
        rows = [
            {
                "key": row.key,
                "name": row.name,
                "starts": format_time(row.starts),
                "ends": format_time(row.ends),
            }
            for row in connection.execute(chosen)
        ]
    return page_response(request, rows, None, revision=desk.revision)


@router.post("/categories/{c}/seasons", status_code=201)
def new_season(
    c: Key,
    sent: SentSeason,
    request: Request,
    desk: TheDesk,
    actor: Admin,
    key: KeyHeader = None,
) -> Response:
    """A new season."""
    span = parse_time(sent.starts), parse_time(sent.ends, end_of_day=True)
    entry = NewSeason(desk.category(c).key, sent.key, sent.name, *span)
    receipt = Entering(desk, request, actor, key, sent.model_dump_json()).commit(entry)
    headers = {"Location": f"/api/v1/categories/{c}/seasons"}
    return json_response(request, serializers.receipt(receipt), status=201, headers=headers)


@router.get("/categories/{c}/lists")
def lists(
    c: Key,
    request: Request,
    desk: TheDesk,
    actor: Reader,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """The lists that were published, the last first."""
    place = parse_cursor(cursor, int)
    chosen = select(published).where(published.c.category_id == desk.category(c).id)
    if place is not None:
        chosen = chosen.where(published.c.id < place[0])
    with desk.store.read() as connection:
        found = connection.execute(chosen.order_by(published.c.id.desc()).limit(limit + 1)).all()
    more = make_cursor(found[limit - 1].id) if len(found) > limit else None
    rows = [_head(row) for row in found[:limit]]
    return page_response(request, rows, more, revision=desk.revision)


@router.post("/categories/{c}/lists", status_code=201)
def publish(
    c: Key,
    sent: SentList,
    request: Request,
    desk: TheDesk,
    actor: Admin,
    key: KeyHeader = None,
) -> Response:
    """Publish the leaderboard as a list that stays as it is."""
    until = None if sent.until is None else parse_time(sent.until, end_of_day=True)
    entry = Publish(desk.category(c).key, sent.key, sent.name, until, sent.reason)
    receipt = Entering(desk, request, actor, key, sent.model_dump_json()).commit(entry)
    headers = {"Location": f"/api/v1/categories/{c}/lists/{sent.key}"}
    return json_response(request, serializers.receipt(receipt), status=201, headers=headers)


@router.get("/categories/{c}/lists/{key}", responses=ALSO_CSV)
@router.get("/categories/{c}/lists/{key}.json", include_in_schema=False)
@router.get("/categories/{c}/lists/{key}.csv", include_in_schema=False)
def one_list(
    c: Key,
    key: ListKey,
    request: Request,
    desk: TheDesk,
    actor: Reader,
    limit: Limit = 1000,
    cursor: Cursor = None,
) -> Response:
    """A list as it was published; JSON or CSV."""
    place = parse_cursor(cursor, int, int)
    with desk.store.read() as connection:
        head = _published(connection, desk, c, key)
        chosen = select(published_row).where(published_row.c.published_id == head.id)
        rank, player = published_row.c.rank, published_row.c.player_id
        if place is not None:
            later = (rank == place[0]) & (player > place[1])
            chosen = chosen.where((rank > place[0]) | later)
        found = connection.execute(chosen.order_by(rank, player).limit(limit + 1)).all()
    last = found[limit - 1] if len(found) > limit else None
    more = None if last is None else make_cursor(last.rank, last.player_id)
    rows = [{"rank": row.rank, "player": row.name} | row.data for row in found[:limit]]
    columns = list(rows[0]) if rows else ["rank", "player"]
    told = {} if select_format(request) != JSON else {"list": _head(head)}
    return page_response(
        request, rows, more, revision=head.created_revision, head=told, columns=columns
    )


def _published(connection: Connection, desk: Journal, c: str, key: str) -> Any:
    found = connection.execute(
        select(published).where(
            published.c.category_id == desk.category(c).id, published.c.key == key
        )
    ).one_or_none()
    if found is None:
        raise Problem(404, "no_such_list", f"{c} has published no list {key!r}")
    return found


def _head(row: Any) -> dict[str, Any]:
    """What stands above a list."""
    return {
        "key": row.key,
        "name": row.name,
        "as_of": format_time(row.as_of),
        "known_at": row.known_at,
        "revision": row.created_revision,
        "method": row.head,
    }
