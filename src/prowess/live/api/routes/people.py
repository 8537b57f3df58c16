"""Who is who: names, mergers, splits, forgetting."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from prowess.live.api import serializers
from prowess.live.api.category_view import find_played_categories
from prowess.live.api.entering import Entering
from prowess.live.api.models import SentMerger, SentName, SentReason
from prowess.live.api.parameters import Admin, Reader, TheDesk
from prowess.live.api.responses import (
    ALSO_CSV,
    Cursor,
    KeyHeader,
    Limit,
    LookAlikes,
    Preview,
    Text,
    json_response,
    make_cursor,
    page_response,
    parse_cursor,
)
from prowess.live.api.routes.standings import Player
from prowess.live.journal.identities import Alias, Anonymise, Merge, Rename, Split
from prowess.live.journal.journal import Journal
from prowess.live.journal.unit_of_work import WriteAct
from prowess.live.store import players

router = APIRouter(tags=["players"])
NO_REASON = SentReason()


@router.get("/players", responses=ALSO_CSV)
@router.get("/players.json", include_in_schema=False)
@router.get("/players.csv", include_in_schema=False)
def listing(
    request: Request,
    desk: TheDesk,
    actor: Reader,
    query: Text = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Players by name; `query` finds those one of whose names holds it, in any case."""
    place = parse_cursor(cursor, str)
    with desk.store.read() as connection:
        after = None if place is None else str(place[0])
        found = players.list_players(connection, query, limit + 1, after)
    more = make_cursor(found[limit - 1].name) if len(found) > limit else None
    rows = [{"player": row.name, "anonymous": row.anonymous} for row in found[:limit]]
    revision = desk.revision
    columns = ("player", "anonymous")
    etag = f"r{revision}"
    return page_response(request, rows, more, revision=revision, etag=etag, columns=columns)


@router.get("/players/{player}")
def one(player: Player, request: Request, desk: TheDesk, actor: Reader) -> Response:
    """A player under any of his names: all his names, and the categories he has played in."""
    return json_response(request, _told(desk, desk.registry.people.find(player)))


@router.post("/players/{player}:rename")
def rename(
    player: Player,
    sent: SentName,
    request: Request,
    desk: TheDesk,
    actor: Admin,
    look_alikes: LookAlikes = False,
    key: KeyHeader = None,
) -> Response:
    """Call a player otherwise; the old name still leads to him."""
    entering = Entering(desk, request, actor, key, sent.model_dump_json())
    return _entered(entering, Rename(player, sent.name, sent.reason, look_alikes), player)


@router.post("/players/{player}:alias")
def alias(
    player: Player,
    sent: SentName,
    request: Request,
    desk: TheDesk,
    actor: Admin,
    look_alikes: LookAlikes = False,
    key: KeyHeader = None,
) -> Response:
    """A further name that leads to a player."""
    entering = Entering(desk, request, actor, key, sent.model_dump_json())
    return _entered(entering, Alias(player, sent.name, sent.reason, look_alikes), player)


@router.post("/players/{player}:merge")
def merge(
    player: Player,
    sent: SentMerger,
    request: Request,
    desk: TheDesk,
    actor: Admin,
    preview: Preview = False,
    key: KeyHeader = None,
) -> Response:
    """Let a player's results be another's; a split undoes it."""
    entering = Entering(desk, request, actor, key, sent.model_dump_json())
    return _entered(entering, Merge(player, sent.into, sent.reason), sent.into, preview)


@router.post("/players/{player}:split")
def split(
    player: Player,
    request: Request,
    desk: TheDesk,
    actor: Admin,
    sent: SentReason = NO_REASON,
    preview: Preview = False,
    key: KeyHeader = None,
) -> Response:
    """Undo a merger: the player, by a name he was entered under, has his own results again."""
    entering = Entering(desk, request, actor, key, sent.model_dump_json())
    return _entered(entering, Split(player, sent.reason), player, preview)


@router.post("/players/{player}:anonymise")
def anonymise(
    player: Player,
    request: Request,
    desk: TheDesk,
    actor: Admin,
    sent: SentReason = NO_REASON,
    key: KeyHeader = None,
) -> Response:
    """Forget a player's names for good; his results stay, under a pseudonym."""
    entering = Entering(desk, request, actor, key, sent.model_dump_json())
    return _entered(entering, Anonymise(player, sent.reason), player)


def _entered(entering: Entering, entry: WriteAct, player: str, preview: bool = False) -> Response:
    """Preview or commit an entry about a player; tell what he is called and where he plays."""
    desk = entering.desk
    if preview:
        return entering.outlook(entry)
    number = desk.registry.people.number_of(player)
    receipt = entering.commit(entry)
    told = serializers.receipt(receipt)
    if number is not None:
        told["player"] = _told(desk, desk.registry.people.canonical(number))
    return json_response(entering.request, told)


def _told(desk: Journal, number: int) -> dict[str, object]:
    with desk.store.read() as connection:
        names = players.find_names(connection, number)
    name = desk.name(number)
    played = [
        {
            "category": one.category.key,
            "rating": ratings.columns[ratings.fields[0]][k].item(),
            "games": int(ratings.game_counts[k]),
            "waiting": one.waiting,
            "trouble": one.trouble,
            "interim": one.interim,
        }
        for one, ratings, k in find_played_categories(desk, number)
    ]
    others = [one for one in names if one != name]
    return {
        "revision": desk.revision,
        "player": name,
        "aliases": others,
        "categories": played,
    }
