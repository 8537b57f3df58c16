"""Laws of the ladder of every dynamic system: live is batch, and a preview is what happens."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.engine.rate import rate
from prowess.engine.system import Dynamic, Unratable
from prowess.live.ladder import state
from prowess.live.ladder.loading import load_ladder, pack_log
from prowess.live.ladder.state import advance
from prowess.live.result import LiveResult
from prowess.systems.catalogue import catalogue
from tests.live.ladder.logs import (
    EXTRA,
    PLAYERS,
    START,
    changed,
    columns_of,
    every_mode,
    examples,
    few_settings,
    named,
    play_changes,
    preview_changes,
    shown,
    some_changes,
    table_of,
)
from tests.live.ladder.teams import BELIEFS, MEANS, TWICE

KNOWN = (*catalogue().values(), MEANS, BELIEFS, TWICE)
DYNAMIC = [one for one in KNOWN if isinstance(one, Dynamic)]
FIRST_DAY = START / 86_400e6


@pytest.fixture(autouse=True, scope="module")
def dense():
    """Checkpoints everywhere, so that short logs have some."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(state, "SPACING", 1)
        yield


def rate_batch(facts: Any, system: Dynamic, kind: str, period: str | None, day: Any = None) -> Any:
    """The ratings of the exported table, rated at once; None where there is nothing to rate."""
    table = table_of(facts, kind, EXTRA)
    if not len(table) or (day is not None and table.time[0] > day):
        return None
    return rate(table, system, period=period, as_of=day, params=few_settings(system))


def batch(*asked: Any) -> Any:
    """What `rate_batch` gives, as `shown` has it."""
    return shown(rate_batch(*asked))


@every_mode(DYNAMIC)
@examples(5)
@given(data=st.data())
def test_live_is_batch(system, kind, period, data):
    """After any changes ratings and counts are those of the table, and the preview said so."""
    terms: Any = (system, few_settings(system), period, kind, EXTRA, named)
    ladder: Any = load_ladder({}, *terms)
    facts: dict[int, LiveResult] = {}
    old: dict[str, Any] = {}
    revisions = data.draw(st.integers(1, 8))
    looked = data.draw(st.integers(1, revisions))  # when other days and other changes are shown
    for revision in range(1, revisions + 1):
        changes = data.draw(some_changes(facts, kind, period, system.weights, system.teams))
        preview = preview_changes(ladder, changes)
        if revision == looked:
            others = data.draw(some_changes(facts, kind, period, system.weights, system.teams))
            begun = ladder.begin_preview(others, {})
            outlook = preview_changes(ladder, others)
        play_changes(ladder, revision, changes)
        if revision == looked:  # a preview that is computed later, as by a thread
            assert exact(begun()) == exact(outlook)
        facts = changed(facts, changes)
        ratings, whole = ladder.ratings(), rate_batch(facts, system, kind, period)
        new = shown(whole)
        assert shown(ratings) == new
        assert len(ladder) == preview.games_after == len(facts)
        moved = {named(m.player): m for m in preview.movers}
        assert moved.keys() == {n for n in map(named, PLAYERS) if old.get(n) != new.get(n)}
        for name, mover in moved.items():
            assert bits(mover.before) == old.get(name)
            assert bits(mover.after) == new.get(name)
            assert mover.after is None or mover.rank_after == ratings[name].rank
        if whole is not None:
            where = [ratings.players.index(name) for name in whole.table.players]
            count = len(where)  # a ladder leaves out the members behind the players
            assert np.array_equal(ratings.game_counts[where], whole.game_counts[:count])
            assert np.array_equal(ratings.last[where], whole.last[:count])
            known = ladder.view_players([ratings.players.ids[k] for k in where]).known.values()
            for k, (values, games) in enumerate(known):  # of some players alone
                outer = {name: getattr(whole.value(k), name) for name in values}
                assert (bits(values), games) == (bits(outer), whole.game_counts[k])
                assert {*values} == {*whole.fields} - {*whole.inner}
            assert (ratings.day, ratings.now, len(ratings.table)) == (
                whole.day, whole.now, len(whole.table),
            )  # fmt: skip
        assert whole is not None or not ladder.view_players(PLAYERS).known
        if revision == looked:
            day = FIRST_DAY + data.draw(st.integers(-2, 240)) / 2
            assert shown(ladder.as_of(day)) == batch(facts, system, kind, period, day)
        old = new
    again = load_ladder(pack_log(ladder.published), *terms)
    assert shown(again.ratings()) == old
    fresh = load_ladder(columns_of(facts, kind), *terms)
    assert shown(fresh.ratings()) == old
    changes = data.draw(some_changes(facts, kind, period, system.weights, system.teams))
    for one in (again, fresh):
        play_changes(one, 99, changes)
        assert shown(one.ratings()) == batch(changed(facts, changes), system, kind, period)


def exact(preview: Any) -> Any:
    """A preview with the bits of its values."""
    movers = [(m.player, bits(m.before), bits(m.after), m.rank_after) for m in preview.movers]
    return movers, preview[1:]


def bits(values: Any) -> Any:
    """Values of a mover as `shown` gives them."""
    return None if values is None else tuple(np.float64(v).tobytes() for v in values.values())


BANKS = [
    ("elo", "games", None, {"k": [16.0, 40.0], "advantage": [0.0, 60.0]}),
    ("glicko", "games", "7d", {"drift": [10.0, 60.0]}),
    ("trueskill", "contests", None, {"beta": [2.0, 4.0, 8.0]}),
]


@pytest.mark.parametrize(("name", "kind", "period", "bank"), BANKS, ids=[b[0] for b in BANKS])
@examples(8)
@given(data=st.data())
def test_banks_are_batch(name, kind, period, bank, data):
    """Several settings at once, after any changes and from a checkpoint: those of the table."""
    system = catalogue()[name]
    assert isinstance(system, Dynamic)
    terms: Any = (system, bank, period, kind, EXTRA, named)
    ladder: Any = load_ladder({}, *terms)
    facts: dict[int, LiveResult] = {}
    for revision in range(1, data.draw(st.integers(1, 6)) + 1):
        changes = data.draw(some_changes(facts, kind, period, system.weights, system.teams))
        preview = preview_changes(ladder, changes)
        play_changes(ladder, revision, changes)
        facts = changed(facts, changes)
        table = table_of(facts, kind, EXTRA)
        whole: Any = rate(table, system, period=period, params=bank) if len(table) else {}
        assert shown(ladder.ratings()) == (shown(whole) if facts else {})
        for mover in preview.movers:
            after = None if mover.after is None else bits(mover.after)
            assert after == shown(ladder.ratings()).get(named(mover.player))
    assert shown(load_ladder(pack_log(ladder.published), *terms).ratings()) == shown(
        ladder.ratings()
    )


@every_mode(DYNAMIC)
@examples(4)
@given(data=st.data())
def test_states_stay_as_they_are(system, kind, period, data):
    """A state shows its own results alone, also if it is first read after later ones were made."""
    ladder = load_ladder({}, system, few_settings(system), period, kind, EXTRA, named)
    facts: dict[int, LiveResult] = {}
    states, expected = [ladder.published], [batch(facts, system, kind, period)]
    for _ in range(data.draw(st.integers(2, 7))):
        changes = data.draw(some_changes(facts, kind, period, system.weights, system.teams))
        states.append(advance(states[-1], changes))
        facts = changed(facts, changes)
        expected.append(batch(facts, system, kind, period))
        if data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(states) - 1))
            assert shown(states[at].ratings()) == expected[at]
    assert [shown(each.ratings()) for each in states] == expected


@every_mode(DYNAMIC)
@given(data=st.data())
@examples(3)
def test_a_refusal_changes_nothing(system, kind, period, data):
    """Changes that the system refuses leave everything as it was, for what comes after too."""
    if system.weights and period != "round":
        return  # it refuses nothing of this
    ladder = load_ladder({}, system, few_settings(system), period, kind, EXTRA, named)
    facts: dict[int, LiveResult] = {}
    for revision in range(3):
        changes = data.draw(some_changes(facts, kind, period, False))
        new = [fact for fact in changes.values() if fact is not None]
        before = ladder.ratings()
        if new:
            bad = new[0]._replace(weight=2.0) if not system.weights else new[0]._replace(round=None)
            for refuse in (partial(preview_changes, ladder), partial(advance, ladder.published)):
                with pytest.raises(Unratable):
                    refuse({**changes, bad.id: bad})
        assert ladder.ratings() is before
        play_changes(ladder, revision, changes)
        facts = changed(facts, changes)
        assert shown(ladder.ratings()) == batch(facts, system, kind, period)
