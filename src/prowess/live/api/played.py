"""Which results a player has played, in order of play."""

from __future__ import annotations

from sqlalchemy import select

from prowess.live.api.sight import Sight, row_of
from prowess.live.facts import DAY
from prowess.live.journal.journal import Journal
from prowess.live.journal.log_columns import current
from prowess.live.ladder.trail import TrailedRatings
from prowess.live.store.queries import COUNTS, any_version_names, current_version_names
from prowess.live.store.tables import placing, result, version


def results_of(desk: Journal, sight: Sight, player: int) -> list[int]:
    """The numbers of a player's results that count in these ratings, in order of play."""
    if isinstance(sight.ratings, TrailedRatings):
        k = row_of(desk, sight.ratings, player)
        return [] if k is None else sight.ratings.results_of(k)
    numbers = desk.books.people.group(player)
    at = None if sight.revision == desk.revision else sight.revision
    part = current_version_names(numbers)
    if at is not None:  # `now` looks at current versions
        placed = select(placing.c.result_id).where(
            placing.c.result_id == version.c.result_id,
            placing.c.revision == version.c.revision,
            placing.c.player_id.in_(numbers),
        )
        part = version.c.a.in_(numbers) | version.c.b.in_(numbers) | placed.exists()
    chosen = current([result.c.id, version.c.time], at).where(
        result.c.category_id == sight.category.id,
        version.c.state == COUNTS,
        result.c.id.in_(any_version_names(numbers)),
        part,
    )
    if sight.day is not None:
        chosen = chosen.where(version.c.time <= round(sight.day * DAY))
    with desk.store.read() as connection:
        found = connection.execute(chosen.order_by(version.c.time, result.c.id)).all()
    return [row.id for row in found]
