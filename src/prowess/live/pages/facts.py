"""What a result says, by the names of its facts, as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from prowess.live.journal.submission import LineUp, Submission
from prowess.live.result import DAY, LiveResult
from prowess.present.wording import iso_text, moment

ADVANTAGE = {1.0: "the first player's", -1.0: "the second player's"}
OF_SIDES = {1.0: "the first side's", -1.0: "the second side's"}
ORDER = (
    "played", "first player", "second player", "first side", "second side", "score of the first",
    "places", "advantage", "margin", "length", "points a", "points b", "weight", "round", "facts",
)  # fmt: skip
MINUTE = 60_000_000  # microseconds
NUMBERS = ("margin", "length", "points_a", "points_b", "weight")


def facts(one: Submission) -> dict[str, str]:
    """What a result says; what is as usual is left out."""
    found: dict[str, str] = {}
    if one.time is not None:
        found["played"] = time_text(one.time)
    single = all(len(side.players) == 1 for side in one.line_ups)
    if one.score is not None:
        word = "player" if single else "side"
        for place, side in zip(("first", "second"), one.line_ups, strict=True):
            found[f"{place} {word}"] = members(side)
        found["score of the first"] = exact(one.score)
    else:
        found["places"] = ", ".join(map(placed, one.line_ups))
    if one.side:
        found["advantage"] = (ADVANTAGE if single else OF_SIDES).get(one.side, exact(one.side))
    for name in NUMBERS:
        value = getattr(one, name)
        if value is not None and value != {"weight": 1.0}.get(name):
            found[name.replace("_", " ")] = exact(value)
    if one.round is not None:
        found["round"] = one.round
    if one.facts:
        found["facts"] = ", ".join(f"{name}: {fact_text(v)}" for name, v in one.facts.items())
    return found


def submission(row: LiveResult, called: Mapping[int, str]) -> Submission:
    """A result of the store as somebody would report it; `called` are names by number."""
    return Submission(
        sides=tuple(
            LineUp(
                tuple((called[member.player], member.share) for member in side.members),
                place=side.place,
                points=None if isnan(side.points) else side.points,
            )
            for side in (row.ranked if row.score is None else row.sides)
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
        facts=row.facts,
    )


def members(side: LineUp) -> str:
    """The players of a side: `Ada & Ben (share 0.5)`, a share where it is not the whole."""
    return " & ".join(
        name if share == 1.0 else f"{name} (share {exact(share)})" for name, share in side.players
    )


def with_share(name: str, share: float) -> str:
    """A player with the share, where it is not the whole, as a form takes it."""
    return name if share == 1.0 else f"{name} * {exact(share)}"


def placed(side: LineUp) -> str:
    """One side of a contest: `2. Ada`, with the points where there are any."""
    points = "" if side.points is None else f" ({exact(side.points)})"
    return f"{side.place:g}. {members(side)}{points}"


def fact_text(value: float | str) -> str:
    """The value of a fact."""
    return value if isinstance(value, str) else exact(value)


def time_text(time: int) -> str:
    """A time of the store to the minute, or as exactly as it is kept."""
    if time % MINUTE == 0:
        return moment(time / DAY)
    return iso_text(time).removesuffix("+00:00").replace("T", " ")


def exact(value: float) -> str:
    """A number in few digits, or in as many as it takes."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
