"""What a result says, by the names of its facts, as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from prowess.live.desk.submission import Submission
from prowess.live.facts import DAY
from prowess.live.pages.wording import iso_text, moment
from prowess.live.store.lookups import ResultRow

ADVANTAGE = {1.0: "the first player's", -1.0: "the second player's"}
ORDER = (
    "played", "first player", "second player", "score of the first", "places", "advantage",
    "margin", "length", "points a", "points b", "weight", "round",
)  # fmt: skip
MINUTE = 60_000_000  # microseconds
NUMBERS = ("margin", "length", "points_a", "points_b", "weight")


def facts(one: Submission) -> dict[str, str]:
    """What a result says; what is as usual is left out."""
    found: dict[str, str] = {}
    if one.time is not None:
        found["played"] = time_text(one.time)
    if one.player_a is not None and one.player_b is not None:
        found |= {"first player": one.player_a, "second player": one.player_b}
        found["score of the first"] = exact(one.score or 0.0)
    else:
        found["places"] = ", ".join(placed(*placing) for placing in one.placings)
    if one.side:
        found["advantage"] = ADVANTAGE.get(one.side, exact(one.side))
    for name in NUMBERS:
        value = getattr(one, name)
        if value is not None and value != {"weight": 1.0}.get(name):
            found[name.replace("_", " ")] = exact(value)
    if one.round is not None:
        found["round"] = one.round
    return found


def submission(row: ResultRow, called: Mapping[int, str]) -> Submission:
    """A result of the store as somebody would report it; `called` are names by number."""
    return Submission(
        player_a=None if row.a is None else called[row.a],
        player_b=None if row.b is None else called[row.b],
        placings=tuple(
            (called[one.player], one.place, None if isnan(one.points) else one.points)
            for one in row.placings
        ),
        score=row.score,
        time=row.time,
        side=row.side,
        weight=row.weight,
        margin=row.margin,
        length=row.length,
        points_a=row.points_a,
        points_b=row.points_b,
        round=row.round,
    )


def placed(player: str, place: float, points: float | None) -> str:
    """One row of a contest: `2. Ada`, with the points where there are any."""
    return f"{place:g}. {player}" + ("" if points is None else f" ({exact(points)})")


def time_text(time: int) -> str:
    """A time of the store to the minute, or as exactly as it is kept."""
    if time % MINUTE == 0:
        return moment(time / DAY)
    return iso_text(time).removesuffix("+00:00").replace("T", " ")


def exact(value: float) -> str:
    """A number in few digits, or in as many as it takes."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
