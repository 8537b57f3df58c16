"""What was typed into a form as an entry of the books."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from prowess.games.dates import parse_moment
from prowess.live.errors import Refused
from prowess.live.journal.categories import ChangeMethod, NewCategory, NewSeason, Publish
from prowess.live.journal.corrections import Accept, Correct, Reject, Restore, Void, VoidWhere
from prowess.live.journal.identities import Alias, Anonymise, Merge, Rename, Split
from prowess.live.journal.imports import read_fact
from prowess.live.journal.submission import LineUp, Submission
from prowess.live.journal.unit_of_work import WriteAct
from prowess.live.web.page_request import PageRequest


def text(visit: PageRequest, name: str) -> str:
    """A field that must be filled in."""
    value = visit.given(name)
    if not value:
        raise Refused("missing", "fill this in", field=name)
    return value


def or_none(visit: PageRequest, name: str) -> str | None:
    """A field that may be left empty."""
    return visit.given(name) or None


def number(visit: PageRequest, name: str) -> float | None:
    """A number, None where nothing was typed."""
    value = visit.given(name)
    if not value:
        return None
    try:
        found = float(value)
    except ValueError:
        found = float("nan")
    if not isfinite(found):
        raise Refused("bad_number", f"{value!r} is not a number", field=name)
    return found


def whole(visit: PageRequest, name: str) -> int | None:
    """A whole number, None where nothing was typed."""
    found = number(visit, name)
    if found is None:
        return None
    if not found.is_integer() or abs(found) > 2**53:
        raise Refused("bad_number", f"{visit.given(name)!r} is not a whole number", field=name)
    return int(found)


def moment(visit: PageRequest, name: str, *, ends: bool = False) -> int | None:
    """A date with or without a time, UTC, in microseconds; `ends`: a date is its last moment."""
    value = visit.given(name)
    if not value:
        return None
    try:
        return parse_moment(value, end_of_day=ends)
    except ValueError:
        raise Refused("bad_date", f"{value!r} is not a date", field=name) from None


def results(visit: PageRequest) -> tuple[int, ...]:
    """The results that were ticked."""
    found = [value for value in visit.form.getlist("result") if isinstance(value, str)]
    if not found:
        raise Refused("missing", "tick at least one result", field="result")
    if not all(one.isascii() and one.isdigit() and len(one) < 19 for one in found):
        raise Refused("bad_number", "results have numbers", field="result")
    return tuple(dict.fromkeys(map(int, found)))


def number_or_text(value: str) -> float | str:
    """A constant of a system."""
    try:
        return float(value)
    except ValueError:
        return value


def constant(value: str) -> Any:
    """A constant of a system; several values with commas are a list, which makes a bank."""
    several = [part.strip() for part in value.split(",")]
    return number_or_text(value) if len(several) == 1 else list(map(number_or_text, several))


def settings(
    visit: PageRequest, field: str = "params", read: Callable[[str], Any] = constant
) -> dict[str, Any] | None:
    """Constants or facts, `NAME=VALUE` a line, each once; None where the form has no such box."""
    if field not in visit.form:
        return None
    found: dict[str, Any] = {}
    for line in visit.given(field).splitlines():
        if not line.strip():
            continue
        name, sign, value = (part.strip() for part in line.partition("="))
        if not sign or not name or not value:
            raise Refused("bad_setting", f"{line!r} is not NAME=VALUE", field=field)
        if name in found:
            raise Refused("twice", f"take out one of two lines of {name!r}", field=field)
        found[name] = read(value)
    return found


def correction(visit: PageRequest) -> Correct:
    """A result as it should have been."""
    sides = correct_sides(visit)
    one = Submission(
        player_a=or_none(visit, "player_a"),
        player_b=or_none(visit, "player_b"),
        score=None if sides else number(visit, "score"),
        placings=() if sides else placings(visit),
        sides=sides,
        facts=settings(visit, "facts", read_fact) or None,
        time=moment(visit, "time"),
        side=number(visit, "side"),
        weight=number(visit, "weight"),
        margin=number(visit, "margin"),
        length=number(visit, "length"),
        points_a=None if sides else number(visit, "points_a"),
        points_b=None if sides else number(visit, "points_b"),
        round=or_none(visit, "round"),
    )
    reason = or_none(visit, "reason")
    return Correct(whole(visit, "result") or 0, one, reason, look_alikes=True)


def correct_sides(visit: PageRequest) -> tuple[LineUp, ...]:
    """The sides of a result of teams: a player a line, or of a contest a side a line."""
    if visit.given("teams") != "1":
        return ()
    if "side_a" in visit.form:
        score, points = (
            number(visit, "score"),
            (number(visit, "points_a"), number(visit, "points_b")),
        )
        return (
            LineUp(team(visit, "side_a"), score, points=points[0]),
            LineUp(team(visit, "side_b"), points=points[1]),
        )
    found = []
    for line in visit.given("placings").splitlines():
        if line.strip():
            cells = [cell.strip() for cell in line.split("\t")]
            try:
                place, points_of = float(cells[0]), float(cells[1]) if cells[1] else None
            except (ValueError, IndexError):
                raise Refused(
                    "bad_place", f"{line!r} is not a place, points or nothing, and names",
                    field="placings",
                ) from None  # fmt: skip
            who = tuple(member(cell) for cell in cells[2:] if cell)
            found.append(LineUp(who, None, place, points_of))
    return tuple(found)


def team(visit: PageRequest, name: str) -> tuple[tuple[str, float], ...]:
    """The players of a side, one a line."""
    return tuple(member(line) for line in visit.given(name).splitlines() if line.strip())


def member(text: str) -> tuple[str, float]:
    """A player and the share: `Ada`, or `Ada * 0.5`."""
    name, sign, share = text.rpartition(" * ")
    try:
        return (name.strip(), float(share)) if sign else (text.strip(), 1.0)
    except ValueError:
        return text.strip(), 1.0


def placings(visit: PageRequest) -> tuple[tuple[str, float, float | None], ...]:
    """Places of a contest, `PLACE NAME` a line, or `PLACE POINTS NAME` with a tab between."""
    found: list[tuple[str, float, float | None]] = []
    for line in visit.given("placings").splitlines():
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t" if "\t" in line else None, 2)]
        if "\t" not in line:
            cells = [cell.strip() for cell in line.split(None, 1)]
        try:
            place, points = float(cells[0]), float(cells[1]) if len(cells) == 3 else None
            found.append((cells[-1], place, points))
        except (ValueError, IndexError):
            raise Refused(
                "bad_place", f"{line!r} is not a place and a name", field="placings"
            ) from None
    return tuple(found)


def whereabouts(visit: PageRequest) -> VoidWhere:
    """All results of a player, a source or a span of time."""
    return VoidWhere(
        category=or_none(visit, "category"),
        player=or_none(visit, "player"),
        source=or_none(visit, "source"),
        since=moment(visit, "since"),
        until=moment(visit, "until", ends=True),
        reason=or_none(visit, "reason"),
    )


def new_category(visit: PageRequest) -> NewCategory:
    """A ladder of its own."""
    return NewCategory(
        key=text(visit, "key"),
        name=visit.given("name"),
        plays=visit.given("plays", "games"),
        system=text(visit, "system"),
        params=settings(visit) or {},
        period=or_none(visit, "period"),
        extra=tuple(value for value in visit.form.getlist("extra") if isinstance(value, str)),
        provisional_games=_whole(visit, "provisional_games"),
        inactive_days=_whole(visit, "inactive_days"),
        side_size=whole(visit, "side_size") or 1,
    )


def change_method(visit: PageRequest) -> ChangeMethod:
    """Another system or other constants."""
    return ChangeMethod(
        category=text(visit, "category"),
        system=or_none(visit, "system"),
        params=settings(visit),
        period=visit.given("period") or "none",
        provisional_games=whole(visit, "provisional_games"),
        inactive_days=whole(visit, "inactive_days"),
        side_size=whole(visit, "side_size"),
        reason=or_none(visit, "reason"),
    )


def _whole(visit: PageRequest, name: str) -> int:
    found = whole(visit, name)
    if found is None:
        raise Refused("missing", "fill this in", field=name)
    return found


def _needed(visit: PageRequest, name: str, *, ends: bool = False) -> int:
    found = moment(visit, name, ends=ends)
    if found is None:
        raise Refused("missing", "give a date", field=name)
    return found


BUILT: dict[
    str, tuple[str, Callable[[PageRequest], WriteAct]]
] = {  # kind: what it is called, the entry
    "void": ("Make results void", lambda v: Void(results(v), or_none(v, "reason"))),
    "restore": ("Restore results", lambda v: Restore(results(v), or_none(v, "reason"))),
    "accept": ("Accept results", lambda v: Accept(results(v), or_none(v, "reason"))),
    "reject": ("Reject results", lambda v: Reject(results(v), text(v, "reason"))),
    "correct": ("Correct a result", correction),
    "void-where": ("Make results void", whereabouts),
    "rename": (
        "Rename a player",
        lambda v: Rename(text(v, "player"), text(v, "name"), or_none(v, "reason"), True),
    ),
    "alias": (
        "Add a name",
        lambda v: Alias(text(v, "player"), text(v, "name"), or_none(v, "reason"), True),
    ),
    "merge": (
        "Merge two players",
        lambda v: Merge(text(v, "player"), text(v, "into"), or_none(v, "reason")),
    ),
    "split": ("Split a player off", lambda v: Split(text(v, "player"), or_none(v, "reason"))),
    "anonymise": (
        "Forget a player's names for good",
        lambda v: Anonymise(text(v, "player"), or_none(v, "reason")),
    ),
    "new-category": ("Make a category", new_category),
    "change-method": ("Change the method", change_method),
    "new-season": (
        "Make a season",
        lambda v: NewSeason(
            text(v, "category"),
            text(v, "key"),
            text(v, "name"),
            _needed(v, "starts"),
            _needed(v, "ends", ends=True),
        ),
    ),
    "publish": (
        "Publish a list",
        lambda v: Publish(
            text(v, "category"),
            text(v, "key"),
            text(v, "name"),
            moment(v, "until", ends=True),
            or_none(v, "reason"),
        ),
    ),
}
