"""Forms of the write acts: parsing of form fields into acts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from math import isfinite
from typing import Any, cast

from prowess.games.arguments import BadArgument
from prowess.games.dates import parse_moment
from prowess.live.errors import Refused
from prowess.live.journal.acts import MOMENTS, Act
from prowess.live.journal.imports import read_fact
from prowess.live.journal.submission import LineUp, PlannedGame, Submission
from prowess.live.web.page_request import PageRequest
from prowess.present.brand import encode_logo


def required_text(request: PageRequest, name: str) -> str:
    """A required form field; raises Refused if empty."""
    value = request.field(name)
    if not value:
        raise Refused.of("missing.blank", field=name)
    return value


def optional_text(request: PageRequest, name: str) -> str | None:
    """An optional form field; None if empty."""
    return request.field(name) or None


def parse_number(request: PageRequest, name: str) -> float | None:
    """Parse a number; None if empty."""
    value = request.field(name)
    if not value:
        return None
    try:
        found = float(value)
    except ValueError:
        found = float("nan")
    if not isfinite(found):
        raise Refused.of("bad_number.form", value=value, field=name)
    return found


def parse_numbers(request: PageRequest, names: Iterable[str], row: str = "") -> dict[str, Any]:
    """Parse numbers by name; of a sheet those of a row."""
    return {name: parse_number(request, name + row) for name in names}


def parse_integer(request: PageRequest, name: str) -> int | None:
    """Parse an integer; None if empty."""
    found = parse_number(request, name)
    if found is None:
        return None
    if not found.is_integer() or abs(found) > 2**53:
        raise Refused.of("bad_number.whole", text=request.field(name), field=name)
    return int(found)


def parse_date(request: PageRequest, name: str, *, ends: bool = False) -> int | None:
    """Parse a date or time (UTC) to microseconds; `ends`: a date means its last moment."""
    value = request.field(name)
    if not value:
        return None
    try:
        return parse_moment(value, end_of_day=ends)
    except ValueError:
        raise Refused.of("bad_date.form", value=value, field=name) from None


def ticked_results(request: PageRequest) -> tuple[int, ...]:
    """The numbers of the ticked results; raises Refused if none."""
    found = [value for value in request.form.getlist("result") if isinstance(value, str)]
    if not found:
        raise Refused.of("missing.tick", field="result")
    if not all(one.isascii() and one.isdigit() and len(one) < 19 for one in found):
        raise Refused.of("bad_number.results", field="result")
    return tuple(dict.fromkeys(map(int, found)))


def parse_value(value: str) -> float | str:
    """Parse a parameter: a number or a text."""
    try:
        return float(value)
    except ValueError:
        return value


def parse_setting(value: str) -> Any:
    """Parse a parameter; values separated by commas are a list, which makes a bank."""
    several = [part.strip() for part in value.split(",")]
    return parse_value(value) if len(several) == 1 else list(map(parse_value, several))


def parse_settings(
    request: PageRequest, field: str = "params", read: Callable[[str], Any] = parse_setting
) -> dict[str, Any] | None:
    """Parse lines of `NAME=VALUE`; None if the form has no such field."""
    if field not in request.form:
        return None
    found: dict[str, Any] = {}
    for line in request.field(field).splitlines():
        if not line.strip():
            continue
        name, sign, value = (part.strip() for part in line.partition("="))
        if not sign or not name or not value:
            raise Refused.of("bad_setting.line", line=line, field=field)
        if name in found:
            raise Refused.of("twice.lines", name=name, field=field)
        found[name] = read(value)
    return found


NUMBER_INPUTS = ("score", "points_a", "points_b", "side", "weight", "margin", "length")
TEAM_INPUTS = ("side", "weight", "margin", "length")  # their scores and points are of sides


def parse_correction(request: PageRequest) -> Submission:
    """Parse the corrected content of a result."""
    sides = parse_sides(request)
    return Submission(
        player_a=optional_text(request, "player_a"),
        player_b=optional_text(request, "player_b"),
        sides=sides,
        facts=parse_settings(request, "facts", read_fact) or None,
        time=parse_date(request, "time"),
        round=optional_text(request, "round"),
        **parse_numbers(request, TEAM_INPUTS if sides else NUMBER_INPUTS),
    )


def parse_sides(request: PageRequest) -> tuple[LineUp, ...]:
    """Parse the sides of teams, a player per line, and of contests, a side per line."""
    if "side_a" in request.form:
        score, *points = parse_numbers(request, ("score", "points_a", "points_b")).values()
        return (
            LineUp(parse_team(request, "side_a"), score, points=points[0]),
            LineUp(parse_team(request, "side_b"), points=points[1]),
        )
    teams = request.field("teams") == "1"
    lines = filter(str.strip, request.field("placings").splitlines())
    return tuple(parse_placing(line, teams=teams) for line in lines)


def parse_placing(line: str, *, teams: bool) -> LineUp:
    """Parse `PLACE NAME`, or with tabs between them `PLACE POINTS NAME`, of teams several names."""
    cells = [cell.strip() for cell in line.split(*(("\t",) if "\t" in line else (None, 1)))]
    place, points, *names = cells if len(cells) > 2 else [cells[0], "", *cells[1:]]
    try:
        number, reached = float(place), float(points) if points else None
        players = tuple(parse_member(name) if teams else (name, 1.0) for name in names if name)
        return LineUp(players, None, number, reached)
    except ValueError:
        raise Refused.of("bad_place.placing", line=line, field="placings") from None


def parse_team(request: PageRequest, name: str) -> tuple[tuple[str, float], ...]:
    """Parse the players of a side, one per line."""
    return tuple(parse_member(line) for line in request.field(name).splitlines() if line.strip())


def parse_member(text: str) -> tuple[str, float]:
    """Parse a player with an optional share: `Ada`, or `Ada * 0.5`."""
    name, sign, share = text.rpartition(" * ")
    try:
        return (name.strip(), float(share)) if sign else (text.strip(), 1.0)
    except ValueError:
        return text.strip(), 1.0


def read_picture(request: PageRequest) -> str | None:
    """A picture as a data URL: an uploaded one, one seen in a preview; None: as before."""
    for given in request.form.getlist("logo"):
        if isinstance(given, str):
            return given
        if given.filename:
            try:
                return encode_logo(given.file.read())  # no longer than a body
            except BadArgument as error:
                raise Refused(error.code, str(error), field="logo") from None
    return None


OF_LINE = (
    re.compile(  # three numbers are a day, right or wrong, perhaps with a time; then two names
        r"(?:(\d+[-./]\d+[-./]\d+\S*(?:[^\S\t]+\d+[:.]\d+\S*)?)\s+)?(\S.*)"
    )
)
NAMES_APART = re.compile(r" (?:[-–—:]|vs?\.?) |\t")  # the names of two players
WIDE_BLANKS = re.compile(r"[^\S\t]+")


def parse_fixtures(request: PageRequest) -> tuple[PlannedGame, ...]:
    """Parse games to come, `Ann – Ben` a line, perhaps with a day of its own before them."""
    day, side, found = parse_date(request, "day"), float(request.field("side") == "1"), []
    for row, line in enumerate(filter(str.strip, request.field("games").splitlines())):
        own, names = cast("re.Match[str]", OF_LINE.match(line.strip())).groups()
        players = [one.strip() for one in NAMES_APART.split(WIDE_BLANKS.sub(" ", names))]
        if len(players) != 2 or not all(players):
            raise Refused.of("bad_pair", line=line.strip(), row=row, field="games")
        try:
            time = day if own is None else parse_moment(own)
        except ValueError:
            raise Refused.of("bad_date.day", day=own, row=row, field="games") from None
        if time is None:
            raise Refused.of("missing.date", field="day")
        found.append(PlannedGame(players[0], players[1], time, side))
    return tuple(found)


INTEGERS = ("provisional_games", "inactive_days", "side_size")
FIELD_READERS: dict[str, Callable[[PageRequest], Any]] = {  # fields that are not plain text
    "results": ticked_results,
    "games": parse_fixtures,
    "fixture": lambda request: parse_integer(request, "fixture") or 0,
    "result": lambda request: parse_integer(request, "result") or 0,
    "submission": parse_correction,
    "logo": read_picture,
    "look_alikes": lambda _: True,  # the preview has shown them
    "params": parse_settings,
    "names": lambda request: tuple(
        line.strip() for line in request.field("names").splitlines() if line.strip()
    ),
    "extra": lambda request: tuple(v for v in request.form.getlist("extra") if isinstance(v, str)),
}


def build_act(request: PageRequest, act: Act) -> Any:
    """Build an act from the fields of a form; raises Refused."""
    values: dict[str, Any] = {}
    for field in fields(cast("Any", act.model)):
        name = field.name
        if name in MOMENTS:
            value: Any = parse_date(request, name, ends=MOMENTS[name])
        elif name in INTEGERS:
            value = parse_integer(request, name)
        elif name in FIELD_READERS:
            value = FIELD_READERS[name](request)
        else:
            value = request.field(name)
            value = value or (dict(act.empty).get(name) if name in request.form else None)
        if value is not None:
            values[name] = value
        elif name in act.needed or (field.default is field.default_factory is MISSING):
            said = "missing.date" if name in MOMENTS else "missing.blank"
            raise Refused.of(said, field=name)
    return act.model(**values)
