"""A change in two steps: who would move, then done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import Response

from prowess.live.errors import NotFound, Refused
from prowess.live.journal.categories import Publish, select_listing
from prowess.live.journal.corrections import Correct
from prowess.live.journal.identities import Alias, Rename
from prowess.live.journal.outcomes import HELD
from prowess.live.journal.unit_of_work import WriteAct
from prowess.live.pages.admin.entered import entered
from prowess.live.pages.admin.forms import BUILT, whole
from prowess.live.pages.admin.newcomers import Newcomer, named_newcomers, newcomers
from prowess.live.pages.admin.signing import noted
from prowess.live.pages.visits import Visit, names
from prowess.live.result import days

if TYPE_CHECKING:
    from prowess.live.journal.outcomes import PreviewResult
    from prowess.live.ladder.ladder import Preview

MOVERS = 100  # that are shown
NEW = 100  # names
LISTED = 20  # rows of a list that is to be published
FAR = 0.5  # points: a move that one would notice
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
    far: int  # of them by `FAR` at least, or who come or go
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
        new = new_names(visit, entry)
        outlook = visit.desk.preview(entry, actor)
        top, rule = first_rows(visit, entry) if isinstance(entry, Publish) else ([], "")
        renames = isinstance(entry, Alias | Rename)
        return preview(
            visit, words, entry, outlook, new=new, listed=top, rule=rule, renames=renames
        )
    target = _target(visit)  # before a name in it is forgotten
    try:
        receipt = visit.desk.commit(entry, actor, if_revision=whole(visit, "if_revision"))
    except Refused as error:
        noted(visit, kind, target, error.code)
        raise
    noted(visit, kind, target)
    return visit.page("admin/done.html", here="admin", words=words, receipt=receipt)


def new_names(visit: Visit, entry: WriteAct) -> list[Newcomer]:
    """The names that an entry brings, with whom they look like."""
    if isinstance(entry, Correct):
        return newcomers(visit, (entry.submission,))
    if isinstance(entry, Alias | Rename):
        return named_newcomers(visit, (entry.name,))
    return []


def first_rows(visit: Visit, entry: Publish) -> tuple[list[dict[str, Any]], str]:
    """The top of a list that is not published yet, and who is listed, in words."""
    ratings = visit.desk.ratings(entry.category, None if entry.until is None else days(entry.until))
    if ratings is None:
        return [], ""
    listing = select_listing(visit.desk.category(entry.category), ratings)
    return listing.board(ratings, LISTED).rows(), listing.words(ratings)


def preview(
    visit: Visit,
    words: str,
    entry: WriteAct,
    outlook: PreviewResult,
    *,
    new: Sequence[Newcomer] = (),
    back: str = "",
    listed: Sequence[dict[str, Any]] = (),
    rule: str = "",
    renames: bool = False,
    **values: Any,
) -> Response:
    """What is entered, who is new, who would move, and the button that does it.

    `back` leads to the form again.
    """
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
        entered=entered(visit, entry, outlook),
        outlook=outlook,
        shifts=[shift(visit, key, one, outlook) for key, one in outlook.previews.items()],
        new=new[:NEW],
        more_new=len(new) - NEW,
        held=sum(one.status == HELD for one in outlook.results),
        back=back,
        listed=listed,
        rule=rule,
        renames=renames,
        address=visit.request.url.path,
        **values,
    )


def shift(visit: Visit, key: str, one: Preview, outlook: PreviewResult) -> Shift:
    """The movers by name, the farthest first."""
    called = names(visit)
    moves = []
    for mover in one.movers[:MOVERS]:
        before, after = _first(mover.before), _first(mover.after)
        apart = None if before is None or after is None else after - before
        name = outlook.names.get(mover.player) or called[mover.player]
        moves.append(Move(name, before, after, apart, mover.rank_before, mover.rank_after))
    far = sum(
        mover.before is None
        or mover.after is None
        or abs((_first(mover.after) or 0.0) - (_first(mover.before) or 0.0)) >= FAR
        for mover in one.movers
    )
    return Shift(visit.desk.category(key).name, tuple(moves), len(one.movers), far, one)


def _first(values: dict[str, float] | None) -> float | None:
    return None if not values else next(iter(values.values()))


def _target(visit: Visit) -> str:
    """Whom or what a change was about, without any name that somebody may want forgotten."""
    numbers = [value for value in visit.form.getlist("result") if isinstance(value, str)]
    if numbers:
        return "results " + " ".join(numbers[:20]) + (" ..." if len(numbers) > 20 else "")
    player = visit.given("player")
    if player and player in visit.desk.registry.people.names:
        return f"player {visit.desk.registry.people.names[player]}"
    return visit.given("category") or visit.given("key")
