"""Laws of the ladder of a whole-table system."""

from __future__ import annotations

from dataclasses import replace
from threading import Event, enumerate as threads
from typing import Any

import numpy as np
import pytest

from prowess.engine.fit import fit_table
from prowess.engine.params import BadSetting
from prowess.engine.rate import rate
from prowess.engine.system import Unratable
from prowess.live.ladder.ladder import RevisedResults
from prowess.live.ladder.loading import FittedLadder, load_ladder, pack_log
from prowess.live.result import DAY_US, LiveResult
from prowess.systems.catalogue import find
from tests.live.ladder.logs import (
    START,
    changed,
    contest,
    game,
    named,
    play_changes,
    preview_changes,
    shown,
    table_of,
)
from tests.refusals import refused


def games(count: int, seed: int = 1) -> dict[int, LiveResult]:
    """Games of six players, a day apart."""
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(6, 2, replace=False).tolist() for _ in range(count)]
    return {
        n: game(n, START + n * DAY_US, a, b, float(rng.choice((0.0, 0.5, 1.0))), margin=1.0)
        for n, (a, b) in enumerate(pairs, 1)
    }


def opened(system: Any, **terms: Any) -> Any:
    """An empty ladder."""
    ladder = load_ladder(
        {},
        system,
        terms.get("params", {}),
        None,
        terms.get("kind", "games"),
        terms.get("extra", ()),
        named,
    )
    assert isinstance(ladder, FittedLadder)
    return ladder


@pytest.mark.parametrize("name", ["bradley_terry", "colley", "points", "pagerank", "rumble_elo"])
def test_fits_are_those_of_the_table(name):
    """Once settled the ratings are the batch fit, after corrections and for earlier days too."""
    ladder, facts = opened(name), games(60)
    assert ladder.ratings() is None
    steps = [facts, {5: None}, {61: facts[5]._replace(id=61)}, dict.fromkeys(range(30, 40))]
    for revision, changes in enumerate(steps, 1):
        before = shown(ladder.ratings())
        preview = preview_changes(ladder, changes)
        play_changes(ladder, revision, changes)
        ladder.settle()
        facts = changed(facts, changes)
        after = shown(fit_table(table_of(facts, "games"), find(name)))
        assert shown(ladder.ratings()) == after
        assert (ladder.waiting, ladder.trouble) == (0, None)
        moved = {named(mover.player) for mover in preview.movers}
        assert moved == {n for n in before | after if before.get(n) != after.get(n)}
        assert shown(ladder.published.ratings()) == shown(
            rate(table_of(facts, "games"), find("elo"))
        )
    day = START / DAY_US + 20.0
    assert shown(ladder.as_of(day)) == shown(
        fit_table(table_of(facts, "games"), find(name), as_of=day)
    )
    assert ladder.as_of(0.0) is None
    again = load_ladder(pack_log(ladder.published), name, {}, None, "games", (), named)
    again.settle()
    assert shown(again.ratings()) == shown(ladder.ratings())
    for one in ladder, again:
        one.close()


def test_results_wait_together_for_the_next_fit():
    """While a fit is on its way results wait, the interim knows them, one fit takes them all."""
    go, fits = Event(), []
    colley = find("colley")

    def fit(p: Any, table: Any, anchors: Any) -> Any:
        fits.append(len(table))
        assert go.wait(10)
        return colley.fit(p, table, anchors)

    ladder = opened(replace(colley, fit=fit))
    facts = games(10)
    play_changes(ladder, 0, {n: facts[n] for n in range(1, 8)})
    assert ladder.waiting == 7
    for number, fact in list(facts.items())[7:]:
        play_changes(ladder, number, {number: fact})
    assert (ladder.ratings(), ladder.waiting, len(ladder)) == (None, 10, 10)
    assert len(ladder.published.ratings().table) == 10
    go.set()
    ladder.settle()
    assert fits[-1] == 10
    assert len(fits) <= 2
    assert shown(ladder.ratings()) == shown(fit_table(table_of(facts, "games"), colley))


def test_a_fit_that_fails_tells_why():
    """The last ratings stay, the reason can be read, and the next fit that comes off clears it."""
    colley = find("colley")

    def fit(p: Any, table: Any, anchors: Any) -> Any:
        if len(table) == 11:
            raise Unratable("eleven games are one too many")
        return colley.fit(p, table, anchors)

    ladder, facts = opened(replace(colley, fit=fit)), games(12)
    play_changes(ladder, 1, {n: facts[n] for n in range(1, 11)})
    ladder.settle()
    before = shown(ladder.ratings())
    play_changes(ladder, 2, {11: facts[11]})
    ladder.settle()
    assert (shown(ladder.ratings()), ladder.waiting) == (before, 1)
    assert ladder.trouble == "eleven games are one too many"
    seen = ladder.view()
    assert (shown(seen.ratings), seen.applied, seen.interim) == (before, 1, False)
    told = preview_changes(ladder, {1: facts[1]._replace(weight=2.0)})
    assert (told.movers, told.trouble, told.interim) == ((), ladder.trouble, False)
    again: Any = load_ladder(
        pack_log(ladder.published), ladder.system, {}, None, "games", (), named
    )
    again.publish(2)  # the last fit is gone
    again.settle()
    seen = again.view()
    assert (seen.waiting, seen.trouble, seen.interim) == (11, ladder.trouble, True)
    table = table_of(changed(facts, {12: None}), "games")
    assert shown(seen.ratings) == shown(rate(table, find("elo")))
    play_changes(ladder, 3, {12: facts[12]})
    ladder.settle()
    assert ladder.trouble is None
    assert shown(ladder.ratings()) == shown(fit_table(table_of(facts, "games"), colley))


def test_what_cannot_be_fitted_is_shown_by_the_interim():
    """Previewed or applied, results no fit comes off for show the interim, and what is wrong."""
    ladder, facts = opened("bradley_terry"), games(1)
    facts[1] = game(1, facts[1].time, 1, 2)  # a winner who never lost: no end
    told: Any = preview_changes(ladder, facts)
    assert told.interim
    assert told.trouble
    play_changes(ladder, 1, facts)
    ladder.settle()
    seen = ladder.view()
    assert (seen.waiting, seen.trouble, seen.interim, seen.applied) == (1, told.trouble, True, None)
    assert shown(seen.ratings) == shown(rate(table_of(facts, "games"), find("elo")))
    assert {m.player: m.after["rating"] for m in told.movers} == {
        player: seen.ratings.columns["rating"][k] for k, player in enumerate((1, 2))
    }
    seen = ladder.view(facts[1].time / DAY_US)
    assert (seen.trouble, seen.interim) == (told.trouble, True)
    later = {2: game(2, facts[1].time, 1, 2, 0.0)}
    told = preview_changes(ladder, later)
    assert (told.trouble, told.interim, len(told.movers)) == (None, False, 2)
    play_changes(ladder, 2, later)
    ladder.settle()
    seen = ladder.view()
    assert (seen.waiting, seen.trouble, seen.interim, seen.applied) == (0, None, False, None)
    assert seen.ratings is ladder.ratings()


def test_contests():
    """A voting system is fitted to contests as ballots."""
    fields = [(1, 2, 3), (2, 1, 3), (1, 3, 2)]
    facts = {
        n: contest(n, START + n, {p: float(k) for k, p in enumerate(who, 1)})
        for n, who in enumerate(fields, 1)
    }
    ladder = opened("schulze", kind="contests")
    play_changes(ladder, 1, facts)
    ladder.settle()
    assert shown(ladder.ratings()) == shown(fit_table(table_of(facts, "contests"), find("schulze")))
    assert [int(ladder.ratings().players.ids[k]) for k in range(3)] == [1, 2, 3]
    assert ladder.ratings().players.find_rows((3, 4)) == {3: 2}


def test_what_cannot_be_fitted_is_refused_at_the_door():
    """Weights, missing columns, periods and kinds that a system cannot use are refused."""
    ladder = opened("rumble_elo")
    heavy = games(1)[1]._replace(weight=2.0)
    with refused(Unratable, "weights_not_taken"):
        ladder.check({1: heavy})
    assert len(ladder) == 0
    with refused(Unratable, "column_needed", about="margin"):
        opened("massey")
    opened("massey", extra=("margin",))
    with refused(Unratable, "unreadable_kind"):
        opened("colley", kind="contests")
    with refused(BadSetting, "no_periods"):
        load_ladder({}, "colley", {}, "7d", "games", (), named)


@pytest.mark.parametrize("name", ["elo", "bradley_terry"])
def test_the_end_waits_for_what_is_played(name: str, monkeypatch: pytest.MonkeyPatch):
    """A ladder that is closed in the middle of its work has no thread once it is joined."""
    started, goes_on = Event(), Event()

    def wait(*_: Any) -> Any:
        started.set()
        goes_on.wait(10.0)
        return None, None

    ladder = load_ladder({}, name, {}, None, "games", (), named)
    monkeypatch.setattr(type(ladder), "play" if name == "elo" else "_try_fit", wait)
    before = set(threads())
    ladder.enter([RevisedResults(1, games(3))])
    started.wait(10.0)
    ladder.close()
    ladder.join(0.2)
    assert len({*threads()} - before) == 1
    goes_on.set()
    ladder.join(10.0)
    assert not {*threads()} - before
