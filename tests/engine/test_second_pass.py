"""A second pass over a rating period, in which opponents carry what the first one gave them.

The numbers of US Chess are those of an independent program (steps 1 to 5 of "The US Chess rating
system"); elsewhere the engine is held against a fold over dicts.
"""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import prowess
from prowess.engine.check import check_system
from prowess.engine.streams.rate_stream import rate_stream
from prowess.engine.system import BadSystem, Dynamic, Game, Unratable
from prowess.systems.elo import ELO
from prowess.systems.glicko import GLICKO
from tests import oracle
from tests.engine.pieces import TablePieces
from tests.refusals import refused

NAMES = [f"p{number}" for number in range(9)]


# --- US Chess: three passes, the second for players without games alone ---------------------------


class ChessParams(NamedTuple):
    """The bonus of January 2025."""

    bonus: float = 10.0


class ChessRating(NamedTuple):
    """A rating, and the games before."""

    rating: float = 1300.0
    games: float = 0.0


class Section(NamedTuple):
    """The games of a player in a section."""

    games: float = 0.0
    score: float = 0.0
    expected: float = 0.0
    opponents: float = 0.0  # sum of their ratings


def expect_score(p: Any, me: Any, opponent: Any, game: Any) -> float:
    return 1.0 / (1.0 + 10.0 ** ((opponent.rating - me.rating) / 400.0))  # type: ignore[no-any-return]


def note_game(p: Any, me: Any, opponent: Any, game: Any) -> Section:
    return Section(1.0, game.score, expect_score(p, me, opponent, game), opponent.rating)


def rate_section(p: Any, me: Any, total: Any) -> ChessRating:
    """The standard formula from 9 games on, before that the special one, all within 400 points."""
    root = sqrt(0.662 + 0.00000739 * (2569.0 - me.rating) * (2569.0 - me.rating))
    known = min(me.games, 50.0 if me.rating > 2355.0 else 50.0 / root)
    games = me.games + total.games
    if me.games <= 8.0:
        points = known * me.rating + total.opponents + 400.0 * (2.0 * total.score - total.games)
        return ChessRating(points / (known + total.games), games)
    gain = 800.0 / (known + total.games) * (total.score - total.expected)
    bonus = 0.0
    if total.games >= 3.0:
        bonus = max(0.0, gain - p.bonus * sqrt(max(total.games, 4.0)))
    return ChessRating(me.rating + gain + bonus, games)


def carry_estimates(p: Any, me: Any, after: Any, number: float) -> Any:
    """Step 4 knows first estimates of players without games, step 5 intermediate ratings of all."""
    if number < 3.0 and me.games > 0.0:
        return me
    return after


CHESS = Dynamic(
    name="test_chess",
    params=ChessParams(),
    rating=ChessRating(),
    evidence_zero=Section(),
    expected=expect_score,
    evidence=note_game,
    absorb=rate_section,
    passes=3,
    carry=carry_estimates,
    rounds="period",
)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_section_of_us_chess(compiled: bool):
    """Case uscf.section#01: a section of four, one of them without games (to 1e-6, as stated)."""
    games = [
        ("a", "b", 0.5), ("a", "c", 1.0), ("a", "d", 0.0), ("b", "c", 0.0), ("b", "d", 1.0),
        ("c", "d", 0.5),
    ]  # fmt: skip
    before = {"a": (1712.4, 60.0), "b": (1650.0, 22.0), "c": (1501.5, 6.0), "d": (1300.0, 0.0)}
    start = {name: {"rating": r, "games": n} for name, (r, n) in before.items()}
    final = {
        "a": 1697.366458858382, "b": 1646.0171654389508, "c": 1552.25906240282,
        "d": 1631.5920020232752,
    }  # fmt: skip
    intermediate = {
        "a": 1695.6217898981274, "b": 1644.4097717272534, "c": 1554.7444444444445, "d": 1621.3,
    }  # fmt: skip
    table = prowess.read_games([{"a": a, "b": b, "score": s, "round": 1} for a, b, s in games])
    for system, expected in ((CHESS, final), (replace(CHESS, passes=2), intermediate)):
        found = prowess.rate(table, system, period="round", initial=start, compiled=compiled)
        assert {name: found[name].rating for name in expected} == pytest.approx(expected, abs=1e-6)


# --- any system, against a fold over dicts --------------------------------------------------------

TWICE = [
    replace(system, name=f"test_{system.name}_twice", passes=2, rounds="period")
    for system in (ELO, GLICKO)
]
every_system = pytest.mark.parametrize("system", TWICE, ids=lambda system: system.name)


def make_games(count: int = 150, seed: int = 3) -> list[dict[str, Any]]:
    draw = random.Random(seed)
    days = sorted(draw.randrange(200) for _ in range(count))
    rows = []
    for day in days:
        a, b = draw.sample(NAMES, 2)
        when, weight = str(date(2020, 1, 1) + timedelta(day)), draw.choice([1.0, 1.0, 0.5])
        row = {"date": when, "a": a, "b": b, "score": draw.choice([0.0, 0.5, 1.0])}
        rows.append(row | {"weight": weight})
    return rows


def fold(rows: list[dict[str, Any]], system: Dynamic) -> dict[str, Any]:
    """Rate months: everybody by their own rating before it, and by what opponents had after it."""
    p = system.params
    ratings: dict[str, Any] = {}
    seen: dict[str, int] = {}
    months = [12 * int(row["date"][:4]) + int(row["date"][5:7]) for row in rows]
    for month in sorted(set(months)):
        games = [row for row, at in zip(rows, months, strict=True) if at == month]
        before = {}
        for name in {row[side] for row in games for side in "ab"}:
            me = ratings.get(name, oracle.newcomer(system, p))
            if system.drift is not None and name in seen:
                me = system.drift(p, me, float(month - seen[name]))
            before[name], seen[name] = me, month
        shown = before
        for _ in range(system.passes):
            after = {}
            for name, me in before.items():
                total = system.evidence_zero
                for row in games:
                    for mine, theirs, score in (
                        ("a", "b", row["score"]), ("b", "a", 1.0 - row["score"]),
                    ):  # fmt: skip
                        if row[mine] == name:
                            one = oracle.said(system, me, shown[row[theirs]], Game(score), p)
                            total = oracle.added(total, one, row["weight"])
                after[name] = system.absorb(p, me, total)
            shown = after
        ratings |= shown
    return ratings


def read_bits(ratings: Any) -> list[float]:
    return [ratings[name].rating for name in NAMES]


@every_system
def test_every_way_to_rate_is_the_fold(system: Dynamic, tmp_path: Path):
    """Plain, compiled, in pieces, played on and under a bank: the ratings are those of the fold."""
    rows = make_games()
    expected = [fold(rows, system)[name].rating for name in NAMES]
    table = prowess.read_games(rows)
    found = prowess.rate(table, system, period="1mo", compiled=False)
    assert read_bits(found) == pytest.approx(expected, abs=1e-9)
    compiled = prowess.rate(table, system, period="1mo", compiled=True)
    others = [
        rate_stream(TablePieces(table, cuts), system, period="1mo")
        for cuts in ((1, 2, 3, 50, 149), range(7, 150, 7))
    ]
    cut = next(k for k in range(60, 150) if rows[k]["date"][:7] != rows[k - 1]["date"][:7])
    others.append(prowess.rate_on(prowess.rate(rows[:cut], system, period="1mo"), rows[cut:]))
    for other in (compiled, *others):
        assert read_bits(other) == read_bits(found)
    once = prowess.rate(table, replace(system, passes=1), period="1mo")
    assert max(np.abs(np.subtract(read_bits(once), read_bits(found)))) > 1.0
    assert found.history(NAMES[0])[-1].after == found[NAMES[0]].rating


def test_every_setting_of_a_bank_passes_twice():
    """A setting of a bank has the ratings that it has alone."""
    rows, system = make_games(), TWICE[0]
    for compiled in (False, True):
        bank = prowess.rate(rows, system, period="1mo", k=[16.0, 48.0], compiled=compiled)
        for lane, k in enumerate((16.0, 48.0)):
            alone = prowess.rate(rows, system, period="1mo", k=k)
            held = [bank.state.rating[bank.index(name), lane] for name in NAMES]
            assert held == pytest.approx(read_bits(alone), abs=1e-9)


@every_system
@pytest.mark.parametrize("members", [1, 2])
def test_opponents_who_carry_what_they_had_change_nothing(system: Dynamic, members: int):
    """A second pass in which opponents have the rating before the period is the first one."""
    rows = make_games()
    if members == 2:
        for row, other in zip(rows, make_games(seed=4), strict=True):
            known = {row["a"], row["b"], other["a"]}
            further = [*{other["a"]}.difference((row["a"], row["b"]))]
            further += [name for name in NAMES if name not in known]
            row["a"], row["b"] = f"{row['a']} & {further[0]}", f"{row['b']} & {further[1]}"
    table = prowess.read_games(rows, teams="members")
    still = replace(system, carry=lambda p, me, after, number: me)
    one = prowess.rate(table, replace(system, passes=1), period="1mo")
    two = prowess.rate(table, still, period="1mo")
    assert read_bits(two) == pytest.approx(read_bits(one), abs=1e-9)
    for compiled in (False, True):
        twice = prowess.rate(table, system, period="1mo", compiled=compiled)
        assert max(np.abs(np.subtract(read_bits(twice), read_bits(one)))) > 1.0


@every_system
def test_points_of_games_are_those_of_the_last_pass(system: Dynamic):
    """The terms of a history add up to its changes, and name no remainder."""
    found = prowess.rate(make_games(), system, period="1mo")
    for name in NAMES:
        steps = found.history(name)
        assert steps[-1].after == found[name].rating
        for step in steps:
            assert sum(step.terms.values()) == pytest.approx(step.after - step.before, abs=1e-9)
            assert set(step.terms) <= {"game", "time"}


@every_system
def test_forecasts_are_of_the_ratings_before(system: Dynamic):
    """A forecast knows neither pass: those of a period are those without a second pass before."""
    rows = [row for row in make_games() if row["date"] < "2020-02-01"]
    one = prowess.rate(rows, replace(system, passes=1), period="1mo", forecasts=True)
    two = prowess.rate(rows, system, period="1mo", forecasts=True)
    assert np.array_equal(one.forecasts, two.forecasts)


def test_one_game_at_a_time():
    """A game that is asked alone is a period of its own, with both passes."""
    system = TWICE[1]
    rows = [{"a": "Ann", "b": "Bob", "score": 1.0, "round": 1}]
    whole = prowess.rate(rows, system, period="round")
    after = prowess.system(system).update([["Ann"], ["Bob"]], places=[1, 2])
    assert [after[name].rating for name in after] == [whole[name].rating for name in after]


def test_what_cannot_pass_twice_is_refused():
    """Games one by one, contests, shards and wrong declarations get one clear error."""
    system = TWICE[0]
    for wrong, code in (
        ({"rounds": "any"}, "passes_without_periods"),
        ({"passes": 0}, "not_a_count"),
        ({"passes": 1, "carry": lambda p, me, after, number: me}, "no_second_pass"),
        ({"carry": lambda p, me, after, number: 1.0}, "wrong_return"),
        ({"carry": lambda p, me: me}, "wrong_arguments"),
    ):
        with refused(BadSystem, code):
            check_system(replace(system, **wrong))
    field = [{"contest": 1, "player": name, "place": k} for k, name in enumerate(NAMES, 1)]
    with refused(Unratable, "contests_not_taken", about=system.name):
        prowess.rate(field, system)
    with refused(Unratable, "not_shareable", about=system.name):
        prowess.rate(make_games(), system, period="1mo", cluster=2)
