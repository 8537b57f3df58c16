"""Submissions: results and games to come as reported, with names of players; their validation."""

from __future__ import annotations

import re
from math import isclose, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.live.errors import Refused
from prowess.live.result import CONTESTS, DAY_US

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prowess.live.journal.registry import Category


MAX_VALUE = 1e9  # of margins, points, lengths, places and weights; beyond, sums lose digits
MOST_MEMBERS = 10_000  # of all sides of a result
LONGEST_REASON = 2000
LONGEST_LABEL = 200  # letters of an external number, a source or a round
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999  # years 1 and 9999
SKEW = DAY_US  # how far ahead of ours another clock may be
MOST_FACTS = 20
FACT = re.compile(r"[a-z][a-z0-9_]{0,39}")
EXTRA_FIELDS = {"margin": "margin", "length": "length", "points_a": "points", "points_b": "points"}
GAME_PARTS = ("player_a", "player_b", "score", "side", "round", *EXTRA_FIELDS)
SIDE_PATHS = {
    "score": "sides.0.score", "points_a": "sides.0.points", "points_b": "sides.1.points",
}  # fmt: skip
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")  # in no text


class LineUp(NamedTuple):
    """A side by the names of its players, each with a share of the result."""

    players: tuple[tuple[str, float], ...]
    score: float | None = None
    place: float | None = None
    points: float | None = None


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


class PlannedGame(NamedTuple):
    """A game to come."""

    player_a: str
    player_b: str
    time: int  # microseconds
    side: float = 0.0  # 1: the first has the side advantage, -1: the second

    @property
    def players(self) -> tuple[str, str]:
        """Both names."""
        return self.player_a, self.player_b

    def names(self) -> list[tuple[str, str | None]]:
        """The players, each with the field that names them."""
        return [("player_a", self.player_a), ("player_b", self.player_b)]


def is_to_come(time: int, now: int) -> bool:
    """Whether a moment is one of today or later, in microseconds."""
    return now - DAY_US < time <= LAST


def check_submission(one: Submission, category: Category, now: int) -> Submission:
    """Validate the content of a submission and fill in defaults; raises Refused.

    A missing time becomes `now`. A missing score is read from the points, more points win.
    """
    if one.round is not None:
        check_text(one.round, "round")
    time = now if one.time is None else one.time
    if not FIRST <= time <= LAST:
        raise Refused.of("bad_time.years", field="time")
    if time > now + SKEW:
        raise Refused.of("future", field="time")
    weight = 1.0 if one.weight is None else float(one.weight)
    if not 1.0 / MAX_VALUE <= weight <= MAX_VALUE:
        raise Refused.of("bad_weight", weight=weight, field="weight")
    facts = check_facts(one.facts) if one.facts else None
    check = _check_contest if category.kind == CONTESTS else _check_game
    found = check(one, category) | {"time": time, "weight": weight, "facts": facts}
    return one._replace(**found)


def check_text(
    text: str, field: str, longest: int = LONGEST_LABEL, *, may_be_empty: bool = False
) -> None:
    """Raise Refused for a bad text: an external number, a source, a round, a fact, a reason."""
    if not (text.strip() or may_be_empty):
        raise Refused.of("empty.text", field=field)
    if len(text) > longest:
        raise Refused.of("too_long.text", name=field, most=longest, field=field)
    unseen = UNSEEN.search(text)
    if unseen is not None:
        code = f"U+{ord(unseen.group()):04X}"
        raise Refused.of("bad_letter.text", letter=code, name=field, field=field)


def _check_game(one: Submission, category: Category) -> dict[str, Any]:
    """Check a game; the fields of it that differ."""
    found: dict[str, Any] = {}
    if one.placings:
        raise Refused.of("not_a_game.contests", category=category.key, field="placings")
    if one.sides:
        found = _of_two_sides(one, category)
        one = one._replace(**found)
    elif one.player_a is None or one.player_b is None:
        field = "player_a" if one.player_a is None else "player_b"
        raise Refused.of("missing.players", field=field)
    elif one.player_a == one.player_b:
        raise Refused.of("self_play.pair", field="player_b")
    score, side, a, b = one.score, one.side or 0.0, one.points_a, one.points_b
    for field, extra in EXTRA_FIELDS.items():
        if extra in category.extra or getattr(one, field) is not None:
            _check_extra(one, category, field, extra)
    if side not in (-1.0, 0.0, 1.0):
        raise Refused.of("bad_side", side=side, field="side")
    if one.length is not None and one.length <= 0.0:
        raise Refused.of("bad_length", length=one.length, field="length")
    if score is None:
        if a is None or b is None:
            first = "the first side" if one.sides else "player_a"
            where = _path(one, "score")
            raise Refused.of("missing.score", first=first, field=where)
        score = 0.5 * ((a > b) + 1.0 - (a < b))
    elif not 0.0 <= score <= 1.0:
        where = _path(one, "score")
        raise Refused.of("bad_score.range", score=score, field=where)
    elif a is not None and b is not None and _contradicts(score, a, b):
        raise Refused.of("bad_score.points", score=score, a=a, b=b, field=_path(one, "score"))
    if one.margin is not None and (score - 0.5) * one.margin < 0.0:
        raise Refused.of("bad_margin", margin=one.margin, score=score, field="margin")
    return found | {"score": float(score), "side": side}


def _of_two_sides(one: Submission, category: Category) -> dict[str, Any]:
    """Check a game given by its sides; score and points, which move to the fields of the game."""
    _said_once(one, ("player_a", "player_b", "score", "points_a", "points_b"))
    if len(one.sides) != 2:
        raise Refused.of(
            "bad_sides.counts", category=category.key, given=len(one.sides), field="sides"
        )
    check_line_ups(one.sides, category)
    first, second = one.sides
    score = score_of_sides(first, second)
    return {"score": score, "points_a": first.points, "points_b": second.points}


def _said_once(one: Submission, fields: tuple[str, ...]) -> None:
    """Raise Refused for fields that belong into the sides."""
    for field in fields:
        if getattr(one, field) not in (None, ()):
            raise Refused.of("said_twice", field=field)


def _path(one: Submission, field: str) -> str:
    """The path of a field of a game in the submission."""
    return SIDE_PATHS.get(field, field) if one.sides else field


def _contradicts(score: float, a: float, b: float) -> bool:
    """Whether score and points disagree on win, draw or loss; a share may round to 1/2."""
    if isclose(a, b, rel_tol=1e-12):
        return not isclose(score, 0.5, rel_tol=1e-12)
    return (score - 0.5) * (a - b) <= 0.0


def _check_extra(one: Submission, category: Category, field: str, extra: str) -> None:
    """Check that margin, length or points is given exactly where the category keeps it."""
    value, where = getattr(one, field), _path(one, field)
    if value is None:
        raise Refused.of(
            "missing.kept", where=where, category=category.key, extra=extra, field=where
        )
    if extra not in category.extra:
        raise Refused.of("not_kept", category=category.key, extra=extra, field=where)
    check_points(value, where)
    law = category.points_law if extra == "points" else None
    if law is not None and not law.take(value):
        raise Refused.of(
            "bad_number.law", wanted=law.wanted, value=value, system=category.system, field=where
        )


def _check_contest(one: Submission, category: Category) -> dict[str, Any]:
    """Check a contest; nothing of it differs."""
    for field in GAME_PARTS:
        if getattr(one, field) is not None:
            raise Refused.of("not_a_contest.placings", field=field)
    if one.sides:
        _check_many_sides(one, category)
        return {}
    if not 2 <= len(one.placings) <= MOST_MEMBERS:
        raise Refused.of(
            "bad_placings", most=MOST_MEMBERS, given=len(one.placings), field="placings"
        )
    seen: set[str] = set()
    for k, (name, place, points) in enumerate(one.placings):
        if name in seen:
            raise Refused.of("twice.placings", field=f"placings.{k}.player")
        seen.add(name)
        check_place(place, f"placings.{k}.place")
        check_points(points, f"placings.{k}.points")
    return {}


def _check_many_sides(one: Submission, category: Category) -> None:
    """Check a contest by its sides."""
    _said_once(one, ("placings",))
    if len(one.sides) < 2:
        raise Refused.of("bad_sides.more", field="sides")
    check_line_ups(one.sides, category)
    for k, side in enumerate(one.sides):
        if side.score is not None:
            raise Refused.of("not_a_contest.score", field=f"sides.{k}.score")
        check_place(side.place, f"sides.{k}.place")
        check_points(side.points, f"sides.{k}.points")


def check_facts(facts: Mapping[str, float | str]) -> dict[str, float | str]:
    """The additional facts of a result, by name in order; raises Refused."""
    if len(facts) > MOST_FACTS:
        raise Refused.of("too_many_facts", most=MOST_FACTS, field="facts")
    for name, value in facts.items():
        field = f"facts.{name}"
        if not FACT.fullmatch(name):
            raise Refused.of("bad_fact.name", field=field)
        if isinstance(value, str):
            check_text(value, field)
        elif not isfinite(value):
            raise Refused.of("bad_number.finite", value=value, field=field)
    return {name: v if isinstance(v, str) else float(v) for name, v in sorted(facts.items())}


# -- sides of a reported result, by the names of their players --


def check_line_ups(sides: tuple[LineUp, ...], category: Category) -> None:
    """Raise Refused for an empty or too large side, a repeated player or a bad share."""
    seen: dict[str, int] = {}
    for at, side in enumerate(sides):
        if not side.players:
            raise Refused.of("empty_side", field=f"sides.{at}.players")
        if len(side.players) > category.side_size:
            raise Refused.of(
                "too_many_players.side",
                category=category.key,
                most=_players(category.side_size),
                given=len(side.players),
                field=f"sides.{at}.players",
            )
        for seat, (name, share) in enumerate(side.players):
            path = f"sides.{at}.players.{seat}"
            if name in seen:
                raise named_again(name, seen[name] != at, path)
            seen[name] = at
            _check_share(share, category, path)
    if len(seen) > MOST_MEMBERS:
        raise Refused.of(
            "too_many_players.result", most=MOST_MEMBERS, given=len(seen), field="sides"
        )


def named_again(name: str, on_two_sides: bool, field: str) -> Refused:
    """The error for a player who is named twice, by the same name or two names."""
    if on_two_sides:
        return Refused.of("self_play.member", name=name, field=field)
    return Refused.of("twice.names", name=name, field=field)


def score_of_sides(first: LineUp, second: LineUp) -> float | None:
    """The score of the first side from scores or places; None without.

    Raises Refused where they contradict each other.
    """
    score, other = first.score, None if second.score is None else 1.0 - second.score
    if score is None:
        score = other
    if (first.place is None) != (second.place is None):
        at = int(second.place is None)
        raise Refused.of("missing.both_places", field=f"sides.{at}.place")
    if first.place is not None and second.place is not None:
        check_place(first.place, "sides.0.place")
        check_place(second.place, "sides.1.place")
        by_place = 0.5 * ((first.place < second.place) + 1.0 - (first.place > second.place))
        if score is None:
            score = by_place
        elif (score > 0.5, score < 0.5) != (by_place > 0.5, by_place < 0.5):
            raise Refused.of("bad_place.contradiction", field="sides.0.place")
    scores = [one for one in (first.score, second.score) if one is not None]
    if len(scores) == 2 and not isclose(sum(scores), 1.0, rel_tol=1e-12):
        raise Refused.of(
            "bad_score.sides", score=first.score, other=second.score, field="sides.1.score"
        )
    return score


def check_place(place: float | None, field: str) -> None:
    """Raise Refused for a missing or bad place."""
    if place is None:
        raise Refused.of("missing.places", field=field)
    if not 1.0 <= place <= MAX_VALUE:
        raise Refused.of("bad_place.number", place=place, field=field)


def check_points(points: float | None, field: str) -> None:
    """Raise Refused for points, a margin or a length that no sum can hold."""
    if points is not None and not abs(points) <= MAX_VALUE:
        raise Refused.of("bad_number.points", points=points, most=MAX_VALUE, field=field)


def _check_share(share: float, category: Category, path: str) -> None:
    if not 0.0 < share <= 1.0:
        raise Refused.of("bad_share.number", share=share, field=f"{path}.share")
    if share != 1.0 and category.side_size == 1:
        raise Refused.of("bad_share.single", category=category.key, field=f"{path}.share")


def _players(count: int) -> str:
    return "one player" if count == 1 else f"{count:,} players"
