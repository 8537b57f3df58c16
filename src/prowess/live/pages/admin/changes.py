"""A change in two steps: who would move, then done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import Response

from prowess.live.desk.refusals import NotFound, Refused
from prowess.live.pages.admin.forms import BUILT, whole
from prowess.live.pages.admin.signing import noted
from prowess.live.pages.visits import Visit, names

if TYPE_CHECKING:
    from prowess.live.desk.receipt import Outlook
    from prowess.live.ladder.preview import Preview

MOVERS = 100  # that are shown
INTERNAL = ("csrf", "step", "if_revision")


class Move(NamedTuple):
    """A player whose first number or rank changes; None where he has none."""

    name: str
    before: float | None
    after: float | None
    change: float | None
    rank_before: int | None
    rank_after: int | None


class Shift(NamedTuple):
    """What a change would do to one ladder."""

    category: str
    moves: tuple[Move, ...]
    movers: int  # in all
    preview: Preview


def change(visit: Visit) -> Response:
    """Preview an entry, or, confirmed, make it."""
    kind = visit.part("kind")
    if kind not in BUILT:
        raise NotFound("no_such_change", f"there is no change {kind!r}")
    words, built = BUILT[kind]
    actor = visit.signed_in("correct")
    entry = built(visit)
    if visit.given("step") != "confirm":
        return preview(visit, words, visit.desk.preview(entry, actor))
    try:
        receipt = visit.desk.commit(entry, actor, if_revision=whole(visit, "if_revision"))
    except Refused as error:
        noted(visit, kind, _target(visit), error.code)
        raise
    noted(visit, kind, _target(visit))
    return visit.page("admin/done.html", here="admin", words=words, receipt=receipt)


def preview(visit: Visit, words: str, outlook: Outlook, **values: Any) -> Response:
    """Who would move, and the button that does it."""
    hidden = [
        (name, value)
        for name, value in visit.form.multi_items()
        if isinstance(value, str) and name not in INTERNAL
    ]
    return visit.page(
        "admin/preview.html",
        here="admin",
        words=words,
        hidden=hidden,
        outlook=outlook,
        shifts=[shift(visit, key, one) for key, one in outlook.previews.items()],
        address=visit.request.url.path,
        **values,
    )


def shift(visit: Visit, key: str, one: Preview) -> Shift:
    """The movers by name, the farthest first."""
    called = names(visit)
    moves = []
    for mover in one.movers[:MOVERS]:
        before, after = _first(mover.before), _first(mover.after)
        apart = None if before is None or after is None else after - before
        name = called.get(mover.player, "somebody new")
        moves.append(Move(name, before, after, apart, mover.rank_before, mover.rank_after))
    return Shift(visit.desk.category(key).name, tuple(moves), len(one.movers), one)


def _first(values: dict[str, float] | None) -> float | None:
    return None if not values else next(iter(values.values()))


def _target(visit: Visit) -> str:
    """Whom or what a change was about, without any name that somebody may want forgotten."""
    numbers = [value for value in visit.form.getlist("result") if isinstance(value, str)]
    if numbers:
        return "results " + " ".join(numbers[:20]) + (" ..." if len(numbers) > 20 else "")
    player = visit.given("player")
    if player and player in visit.desk.books.people.names:
        return f"player {visit.desk.books.people.names[player]}"
    return visit.given("category") or visit.given("key")
