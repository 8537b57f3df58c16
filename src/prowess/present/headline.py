"""The finding above a report: who leads and how surely, who rose and fell most, what surprised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from prowess.games.reading import to_plural
from prowess.present.document import Headline, KeyFact
from prowess.present.highlights import upsets
from prowess.present.layers import YEAR_DAYS
from prowess.present.listing import rating_column, state_leader
from prowess.present.rendering import ago, percent, sign_change
from prowess.present.svg import isolate_name

if TYPE_CHECKING:
    from prowess.present.report_board import PlayerList
    from prowess.study.backtest import Backtest

NEWS_DAYS = 7.0  # in which a change of the leader is news
BEST_PLAYERS = 30  # among whom those who rose and fell most are sought


def find_headline(players: PlayerList, test: Backtest | None) -> Headline:
    """The first sentence that the ratings bear out, a second one, and up to four key facts."""
    if not players.ranked:
        return Headline("")
    return Headline(_lead(players), " ".join(_more(players, test)), list(_key_facts(players, test)))


def _lead(players: PlayerList) -> str:
    """Who leads, and who else could be first."""
    leaders = [n for n, r in zip(players.ranked, players.ranks, strict=True) if r == 1]
    others, rivals = players.ranked[1:], None
    if players.sure.ranking is not None and players.sure.ranks(players.numbers[0]):
        numbers = zip(others, players.numbers[1 : len(others) + 1], strict=False)
        rivals = [name for name, k in numbers if (players.sure.ranks(k) or (0, 0))[0] == 1]
    gap, is_new = _gap(players) if others else None, _is_new(players, leaders[0])
    return state_leader(leaders, others, rivals, gap, is_new=is_new)


def _gap(players: PlayerList) -> str:
    """How far the first is ahead of the second."""
    rating = rating_column(players.ratings)
    first, second = (float(rating[k]) for k in players.numbers[:2])
    return players.write(abs(first - second))


def _is_new(players: PlayerList, leader: str) -> bool:
    """Whether somebody else of the best had a higher rating a week before the end."""
    last = players.ratings.last
    if last is None or leader not in players.careers:
        return False
    since = float(np.nanmax(last)) - NEWS_DAYS
    now, then = {}, {}
    for name in players.ranked[:BEST_PLAYERS]:
        one = players.careers.get(name)
        if one is not None and one.time is not None and one.time[0] <= since:
            now[name] = float(one.rating[-1])
            then[name] = float(one.rating[int(np.searchsorted(one.time, since, "right"))])
    if leader not in then or max(now, key=now.__getitem__) != leader:
        return False
    return max(then, key=then.__getitem__) != leader


def _more(players: PlayerList, test: Backtest | None) -> Iterator[str]:
    """Who rose and fell most, and how often the favourite won."""
    if moved := _movers(players):
        (rose, _), (fell, _) = moved
        yield f"{isolate_name(rose)} rose most in a year, {isolate_name(fell)} fell most."
    if test is not None and test.count and "accuracy" in test.scores:
        decided = test.count - int((test.judged & (test.table.outcome == 0.5)).sum())
        few = test.table.pairwise and 0 < decided < 100
        base = decided if few else 100
        right = f"{round(base * test.scores['accuracy'])} {'of' if few else 'in'} {base}"
        yield f"The forecasts named the winner of {right} decided {to_plural(players.words.game)}."
    elif test is not None and test.count and np.isfinite(test.scores.get("concordance", np.nan)):
        right = f"{round(100 * test.scores['concordance'])} in 100"
        yield f"The forecasts put {right} pairs of rivals in the right order."


def _movers(players: PlayerList) -> tuple[tuple[str, float], tuple[str, float]] | None:
    """Of the best, who rose most and who fell most in a year; None where neither happened."""
    moves = [(n, players.changes[n]) for n in players.ranked[:BEST_PLAYERS] if n in players.changes]
    if len(moves) < 2:
        return None
    fell, *_, rose = sorted(moves, key=lambda one: one[1])
    return (rose, fell) if rose[1] > 0.0 > fell[1] else None


def _key_facts(players: PlayerList, test: Backtest | None) -> Iterator[KeyFact]:
    """Leader, who rose and fell most, and the biggest surprise of the last year."""
    k = players.numbers[0]
    text = players.write(rating_column(players.ratings)[k])
    if reach := players.reach(k):
        text = f"{text} {reach}"
    if len(players.ranked) > 1:
        text = f"{text}, {_gap(players)} ahead of {isolate_name(players.ranked[1])}"
    yield KeyFact("Leader", players.ranked[0], ("", ""), text)
    if moved := _movers(players):
        for title, (name, change), class_ in zip(
            ("Rose most", "Fell most"), moved, ("up", "down"), strict=True
        ):
            gloss = f"12 months, best {min(BEST_PLAYERS, len(players.ranked))}"
            text = sign_change(change, players.change_digits)
            yield KeyFact(title, name, (text, class_), gloss)
    last = players.ratings.last
    since = None if last is None else float(np.nanmax(last)) - YEAR_DAYS
    if test is not None and (found := upsets(test, 1, since)):
        (one,) = found
        beaten = f"beat {isolate_name(one.loser)}" if one.loser else "won"
        when = f", {ago(one.time)}" if one.time is not None else ""
        gloss = f"{beaten}, given {percent(one.expected)}{when}"
        yield KeyFact("Biggest surprise", one.winner, ("", ""), gloss)
