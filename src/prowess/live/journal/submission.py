"""Submissions: results as reported, with names of players, and their validation."""

from __future__ import annotations

import re
from math import isclose, isfinite
from typing import TYPE_CHECKING, NamedTuple

from prowess.games.names import normal_name
from prowess.live.errors import Refused
from prowess.live.journal.line_ups import (
    LARGEST,
    MOST_MEMBERS,
    LineUp,
    check_line_ups,
    check_place,
    check_points,
    score_of_sides,
)
from prowess.live.journal.registry import Category
from prowess.live.names import LONGEST, described_letter, has_letters, unseen_letter
from prowess.live.result import CONTESTS, DAY

if TYPE_CHECKING:
    from collections.abc import Mapping


LONGEST_REASON = 2000
LONGEST_LABEL = 200  # letters of an external number, a source or a round
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999  # years 1 and 9999
SKEW = DAY  # how far ahead of ours another clock may be
MOST_FACTS = 20
FACT = re.compile(r"[a-z][a-z0-9_]{0,39}")
OF_SIDES = {
    "score": "sides.0.score", "points_a": "sides.0.points", "points_b": "sides.1.points",
}  # fmt: skip
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")  # in no text


class Submission(NamedTuple):
    """A game (player_a, player_b, score), a contest (placings: name, place, points), or either one
    by its `sides`, which may have several players.

    `time` is in microseconds since 1970 (None: when it was received), `score` that of player_a,
    `side` +1 where the first side has the side advantage. `external_id` is the reporter's own
    number; with the source it names a result for ever.
    """

    category: str | None = None
    player_a: str | None = None
    player_b: str | None = None
    score: float | None = None
    placings: tuple[tuple[str, float, float | None], ...] = ()
    time: int | None = None
    side: float | None = None
    weight: float | None = None
    margin: float | None = None
    length: float | None = None
    points_a: float | None = None
    points_b: float | None = None
    round: str | None = None
    source: str | None = None
    external_id: str | None = None
    sides: tuple[LineUp, ...] = ()
    facts: Mapping[str, float | str] | None = None

    @property
    def line_ups(self) -> tuple[LineUp, ...]:
        """The sides, in whichever form they were given."""
        if self.sides:
            return self.sides
        if self.placings:
            return tuple(
                LineUp(((name, 1.0),), None, place, points) for name, place, points in self.placings
            )
        pair = (self.player_a, self.points_a), (self.player_b, self.points_b)
        return tuple(
            LineUp(() if name is None else ((name, 1.0),), points=points) for name, points in pair
        )

    def names(self) -> list[tuple[str, str | None]]:
        """The players, each with the path to the field that names them."""
        if self.sides:
            return [
                (f"sides.{at}.players.{seat}", name)
                for at, side in enumerate(self.sides)
                for seat, (name, _) in enumerate(side.players)
            ]
        if self.placings:
            return [(f"placings.{k}.player", one[0]) for k, one in enumerate(self.placings)]
        return [("player_a", self.player_a), ("player_b", self.player_b)]


def check_submission(one: Submission, category: Category, now: int) -> Submission:
    """Validate a submission and fill in defaults; raises Refused.

    A missing time becomes `now`. A missing score is read from the points, more points win.
    """
    if one.external_id is not None:
        _label("external_id", one.external_id)
    if one.round is not None:
        _label("round", one.round)
    one = one._replace(
        time=_time(one.time, now), weight=_weight(one.weight), facts=check_facts(one.facts)
    )
    if category.kind == CONTESTS:
        return _contest(one, category)
    return _game(one, category)


def check_name(text: str, field: str) -> str:
    """The normal form of a new name; raises Refused for a bad one."""
    unseen = unseen_letter(text)
    if unseen is not None:
        raise Refused(
            "bad_letter",
            f"remove {described_letter(unseen)}: a name holds only visible characters",
            field=field,
        )
    name = normal_name(text)
    if not has_letters(name):
        raise Refused("empty_name", "give a name with a letter or a digit", field=field)
    if len(name) > LONGEST:
        raise Refused("too_long", f"shorten the name to at most {LONGEST} letters", field=field)
    return name


def check_source(source: str) -> None:
    """Raise Refused for a bad source."""
    _label("source", source)


def check_reason(reason: str) -> None:
    """Raise Refused for a bad reason of a write act."""
    _text(reason, "reason", LONGEST_REASON, "reason")


def _game(one: Submission, category: Category) -> Submission:
    if one.placings:
        raise Refused(
            "not_a_game",
            f"give player_a and player_b: {category.key} holds games, not contests",
            field="placings",
        )
    if one.sides:
        one = _of_two_sides(one, category)
    else:
        for field, name in one.names():
            if name is None:
                raise Refused("missing", "give both players of the game", field=field)
        if one.player_a == one.player_b:
            raise Refused(
                "self_play", "player_a and player_b are the same player", field="player_b"
            )
    for field in ("margin", "length", "points_a", "points_b"):
        _check_extra(one, category, field)
    side = 0.0 if one.side is None else one.side
    if side not in (-1.0, 0.0, 1.0):
        raise Refused(
            "bad_side", f"{side!r}: 1 where the first side has the advantage, -1 or 0", field="side"
        )
    if one.length is not None and one.length <= 0.0:
        raise Refused("bad_length", f"{one.length!r}: a length is above 0", field="length")
    score = _score(one)
    if one.margin is not None and (score - 0.5) * one.margin < 0.0:
        raise Refused(
            "bad_margin",
            f"{one.margin!r} contradicts a score of {score!r}: it counts from the first side",
            field="margin",
        )
    return one._replace(score=score, side=side)


def _of_two_sides(one: Submission, category: Category) -> Submission:
    """Check a game given by its sides; score and points move to the fields of the game."""
    _said_once(one, ("player_a", "player_b", "score", "points_a", "points_b"))
    if len(one.sides) != 2:
        raise Refused(
            "bad_sides",
            f"{category.key} holds games of two sides, and this result has {len(one.sides)}",
            field="sides",
        )
    check_line_ups(one.sides, category)
    first, second = one.sides
    score, _ = score_of_sides(first, second)
    return one._replace(score=score, points_a=first.points, points_b=second.points)


def _said_once(one: Submission, fields: tuple[str, ...]) -> None:
    """Raise Refused for fields that belong into the sides."""
    for field in fields:
        if getattr(one, field) not in (None, ()):
            raise Refused("said_twice", "leave this out, and give it in sides", field=field)


def _path(one: Submission, field: str) -> str:
    """The path of a field of a game in the submission."""
    return OF_SIDES.get(field, field) if one.sides else field


def _score(one: Submission) -> float:
    """The score of the first side."""
    a, b, score = one.points_a, one.points_b, one.score
    where = _path(one, "score")
    by_points = None if a is None or b is None else 0.5 * ((a > b) + 1.0 - (a < b))
    if score is None:
        if by_points is None:
            who = "the first side" if one.sides else "player_a"
            raise Refused("missing", f"give a score of {who}, 0 to 1", field=where)
        return by_points
    if not (isfinite(score) and 0.0 <= score <= 1.0):
        raise Refused("bad_score", f"{score!r}: a score is between 0 and 1", field=where)
    if a is not None and b is not None and _contradicts(score, a, b):
        raise Refused(
            "bad_score",
            f"leave the score out, or correct it or the points: a score of {score!r} contradicts "
            f"points of {a!r} to {b!r}",
            field=where,
        )
    return float(score)


def _contradicts(score: float, a: float, b: float) -> bool:
    """Whether score and points disagree on win, draw or loss; a share may round to 1/2."""
    if isclose(a, b, rel_tol=1e-12):
        return not isclose(score, 0.5, rel_tol=1e-12)
    return (score - 0.5) * (a - b) <= 0.0


def _check_extra(one: Submission, category: Category, field: str) -> None:
    """Check that margin, length or points is given exactly where the category keeps it."""
    value = getattr(one, field)
    extra = "points" if field.startswith("points") else field
    where = _path(one, field)
    if value is None:
        if extra in category.extra:
            raise Refused("missing", f"give it: {category.key} keeps it of every game", field=where)
    elif extra not in category.extra:
        raise Refused("not_kept", f"leave it out: {category.key} keeps no {extra}", field=where)
    elif not (isfinite(value) and abs(value) <= LARGEST):
        raise Refused("bad_number", f"{value!r}: a finite number up to {LARGEST:g}", field=where)


def _contest(one: Submission, category: Category) -> Submission:
    for field in ("player_a", "player_b", "score", "side", "margin", "length"):
        if getattr(one, field) is not None:
            raise Refused(
                "not_a_contest",
                "leave it out: a contest has placings, one for each player",
                field=field,
            )
    for field in ("points_a", "points_b", "round"):
        if getattr(one, field) is not None:
            raise Refused("not_a_contest", "leave it out: a contest has none", field=field)
    if one.sides:
        return _of_many_sides(one, category)
    if not 2 <= len(one.placings) <= MOST_MEMBERS:
        raise Refused(
            "bad_placings",
            f"a contest has 2 to {MOST_MEMBERS:,} placings, not {len(one.placings):,}",
            field="placings",
        )
    seen: set[str] = set()
    for k, (name, place, points) in enumerate(one.placings):
        if name in seen:
            raise Refused("twice", "give each player one placing", field=f"placings.{k}.player")
        seen.add(name)
        check_place(place, f"placings.{k}.place")
        check_points(points, f"placings.{k}.points")
    return one


def _of_many_sides(one: Submission, category: Category) -> Submission:
    """A contest by its sides."""
    _said_once(one, ("placings",))
    if len(one.sides) < 2:
        raise Refused("bad_sides", "give two sides or more", field="sides")
    check_line_ups(one.sides, category)
    for k, side in enumerate(one.sides):
        if side.score is not None:
            raise Refused(
                "not_a_contest", "a side of a contest has a place instead", field=f"sides.{k}.score"
            )
        check_place(side.place, f"sides.{k}.place")
        check_points(side.points, f"sides.{k}.points")
    return one


def check_facts(facts: Mapping[str, float | str] | None) -> dict[str, float | str] | None:
    """Check the additional facts of a result; raises Refused. None without facts."""
    if not facts:
        return None
    if len(facts) > MOST_FACTS:
        raise Refused("too_many_facts", f"give at most {MOST_FACTS} facts", field="facts")
    for name, value in facts.items():
        field = f"facts.{name}"
        if not FACT.fullmatch(name):
            raise Refused(
                "bad_fact", "a fact has a name of up to 40 small letters, digits and _", field=field
            )
        if isinstance(value, str):
            _label(field, value)
        elif not isfinite(value):
            raise Refused("bad_number", f"{value!r}: a finite number", field=field)
    return {name: v if isinstance(v, str) else float(v) for name, v in sorted(facts.items())}


def _time(time: int | None, now: int) -> int:
    if time is None:
        return now
    if not FIRST <= time <= LAST:
        raise Refused("bad_time", "give a time in the years 1 to 9999", field="time")
    if time > now + SKEW:
        raise Refused(
            "future", "give the time at which it was played: this one is more than a day ahead of "
            "the server's clock", field="time",
        )  # fmt: skip
    return time


def _weight(weight: float | None) -> float:
    if weight is None:
        return 1.0
    if not (isfinite(weight) and 1.0 / LARGEST <= weight <= LARGEST):
        raise Refused("bad_weight", f"{weight!r}: a weight is above 0", field="weight")
    return float(weight)


def _label(field: str, text: str) -> None:
    if not text.strip():
        raise Refused("empty", "leave it out, or give a text", field=field)
    _text(text, field, LONGEST_LABEL, field)


def _text(text: str, what: str, longest: int, field: str) -> None:
    if len(text) > longest:
        raise Refused("too_long", f"shorten the {what} to at most {longest} letters", field=field)
    unseen = UNSEEN.search(text)
    if unseen is not None:
        code = f"U+{ord(unseen.group()):04X}"
        raise Refused("bad_letter", f"remove {code} from the {what}", field=field)


# -- sides of a reported result --
