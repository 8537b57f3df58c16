"""Pairwise votes: how many ballots prefer one player to another, and orders made of them.

A table of ballots (a contest is a ballot, its weight the number of equal ones) is counted. A table
of games is read as if every pairing score were a vote: d(A, B) for A and 1 - d(A, B) for B
("Darkcanuck/RRServer/Ratings", RoboWiki). Players who never met have no votes over each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, log10
from typing import Annotated, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.pairings import MOST_PLAYERS, pairings
from prowess.engine.system import Choice, PointsChoice, Unratable
from prowess.engine.whole_table import Fit
from prowess.games.games import Games
from prowess.games.reading import list_some
from prowess.games.runs import repeat_rows

SHARE, RESULT = range(2)
BELOW, IGNORED = range(2)
WINNING_VOTES, LOSING_VOTES, MARGINS, RATIO = range(4)
ORDER_COLUMNS = ("level", "above", "below")  # of `rank_order`
TallyChoice = Annotated[
    int,
    PointsChoice("share", "result"),
    "a game is a vote by its share of the points, or by who won",
]
Unranked = Annotated[
    int, Choice("below", "ignored"), "candidates that a ballot leaves out: last, or not compared"
]
Strength = Annotated[
    int,
    Choice("winning_votes", "losing_votes", "margins", "ratio"),
    "what a majority is measured by",
]

DIGITS_OF_VOTES = 12  # of the number of votes that count; sums in another order differ in the 16th
PORTION = 2_000_000  # pairs of a ballot counted at once: 50 MB


class VoteParams(NamedTuple):
    """How votes are counted: of games `tally`, of ballots `unranked`."""

    tally: TallyChoice = SHARE
    unranked: Unranked = BELOW


class MajorityParams(NamedTuple):
    """What majorities are measured by, and how votes are counted."""

    strength: Strength = WINNING_VOTES
    tally: TallyChoice = SHARE
    unranked: Unranked = BELOW


@dataclass(frozen=True, eq=False)
class Preferences:
    """Votes for the row's player over the column's, [n, n], 0 where no ballot compares the two.

    `standing` marks the candidates, [n], `ranked` the players on any ballot; `compared` [n, n] is
    symmetric. `voters` is the number of ballots, 1 for games: each pairing shares out one vote.
    """

    players: Sequence[str]
    votes: Floats
    compared: Truths
    standing: Truths
    ranked: Truths
    voters: float

    @cached_property
    def beats(self) -> Truths:
        """Whether more votes prefer the row's player than the column's, [n, n]."""
        better: Truths = self.votes > self.votes.T
        return better

    @cached_property
    def margin(self) -> Floats:
        """Votes for less votes against, [n, n]."""
        return round_votes(self.votes - self.votes.T, self.voters)

    @cached_property
    def candidates(self) -> Ids:
        """The numbers of the candidates."""
        return np.flatnonzero(self.standing)

    def strength(self, measure: int) -> Floats:
        """How strong each majority is, [n, n]; 0 where the row's player has none.

        The votes for it; all votes but those against it; votes for less votes against; or votes
        for by votes against, infinite where there are none.
        """
        if measure == WINNING_VOTES:
            strength = self.votes
        elif measure == LOSING_VOTES:
            strength = round_votes(self.voters - self.votes.T, self.voters)
        elif measure == MARGINS:
            strength = self.margin
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                strength = self.votes / self.votes.T
        return np.where(self.beats, strength, 0.0)


def preferences(table: Games, tally: int, unranked: int) -> Preferences:
    """The votes of a table, of games by `tally`, of ballots by what `unranked` says.

    Raises Unratable for too many players.
    """
    if not table.pairwise:
        return of_ballots(table, unranked)
    return of_games(table, tally)


def of_games(games: Games, tally: int) -> Preferences:
    """Each pairing shares out one vote: the mean share of the points, or of wins and draws."""
    met = pairings(games, by_points=tally == SHARE)
    score = met.share if tally == SHARE else met.win_rate
    votes = round_votes(np.where(met.met, score, 0.0), 1.0)
    played: Truths = np.any(met.met, axis=1)
    return Preferences(games.players, votes, met.met, played, played, 1.0)


def of_ballots(ballots: Games, unranked: int) -> Preferences:
    """Count each ballot for every player against all players placed behind them."""
    n = len(ballots.players)
    if n > MOST_PLAYERS:
        raise Unratable.of("too_many_players.votes", most=MOST_PLAYERS, n=n)
    weight = np.ones(len(ballots)) if ballots.weight is None else ballots.weight
    voters = float(weight.sum())
    votes, both = np.zeros((n, n)), np.zeros((n, n))
    for pair, before, count in _pairs_of_ballots(ballots, weight):
        votes += np.bincount(pair, count * before, n * n).reshape(n, n)
        both += np.bincount(pair, count, n * n).reshape(n, n)
    on_ballots = np.bincount(ballots.player, repeat_rows(weight, np.diff(ballots.start)), n)
    ranked = on_ballots > 0.0
    if unranked == BELOW:
        standing = np.ones(n, dtype=np.bool_)
        votes += (
            on_ballots[:, None] - both
        )  # ballots with the row's player and without the column's
        compared = ~np.eye(n, dtype=np.bool_)
    else:
        standing = ranked
        compared = both > 0.0
    np.fill_diagonal(votes, 0.0)
    np.fill_diagonal(compared, False)
    return Preferences(
        ballots.players, round_votes(votes, voters), compared, standing, ranked, voters
    )


def _pairs_of_ballots(ballots: Games, weight: Floats) -> Iterator[tuple[Ids, Floats, Floats]]:
    """All ordered pairs on all ballots: the pair's number, whether first is before, weight."""
    n = len(ballots.players)
    size = np.diff(ballots.start)
    for k in np.unique(size).tolist():
        chosen = np.flatnonzero(size == k)
        at_once = max(1, PORTION // (k * k))
        for low in range(0, len(chosen), at_once):
            some = chosen[low : low + at_once]
            rows = ballots.start[some][:, None] + np.arange(k, dtype=np.int64)
            player, place = ballots.player[rows].astype(np.int64), ballots.place[rows]
            pair = player[:, :, None] * n + player[:, None, :]
            before = (place[:, :, None] < place[:, None, :]).astype(np.float64)
            yield pair.ravel(), before.ravel(), repeat_rows(weight[some], k * k)


def round_votes(votes: Floats, voters: float) -> Floats:
    """Votes without the noise of sums, so that equal majorities are equal."""
    return np.round(votes, decimals(voters))


def decimals(voters: float) -> int:
    """Decimals of a number of votes that mean something where so many vote."""
    return DIGITS_OF_VOTES - (max(0, floor(log10(voters))) if voters > 0.0 else 0)


# --- levels of a partial order, and what a result shows -------------------------------------------


PLAYERS_NAMED = 6  # players in one sentence


def levels(above: Truths, standing: Truths) -> Ids:
    """Level 1 are the players with no one above them, level 2 those without level 1, and so on.

    `above` [n, n] has no circles; players who do not stand [n] get level 0.
    """
    level = np.zeros(len(above), dtype=np.int64)
    left = standing.copy()
    over = (above & standing[:, None]).sum(axis=0)
    while left.any():
        top = left & (over == 0)
        level[top] = level.max() + 1
        left &= ~top
        over = over - above[top].sum(axis=0)
    return level


def dominance_sets(preferences: Preferences) -> list[Ids]:
    """Sets of players, each player of a set beating all players of the later sets.

    The finest such division; the first is the Smith set. In a sequence of players by their
    points (1 for each beaten, 1/2 for each even or not compared) a set ends after k of n where
    the first k have C(k, 2) + k (n - k) points: all they can have.
    """
    who = preferences.candidates
    beats = preferences.beats[np.ix_(who, who)]
    n = len(who)
    points = 0.5 * (n - 1 + beats.sum(axis=1) - beats.sum(axis=0))
    order = np.argsort(-points, kind="stable")
    k = np.arange(1, n + 1, dtype=np.int64)
    full = k * (k - 1) / 2 + k * (n - k)
    ends = np.flatnonzero(np.cumsum(points[order], dtype=np.float64) == full) + 1
    return [who[order[low:high]] for low, high in zip([0, *ends[:-1]], ends, strict=True)]


def rank_order(
    preferences: Preferences,
    above: Truths,
    figures: Mapping[str, float] | None = None,
    notes: Sequence[str] = (),
    model: Any = None,
) -> Fit:
    """The fit of an order: levels, and how many players each stands above and below."""
    level = levels(above, preferences.standing)
    columns = {"level": level, "above": above.sum(axis=1), "below": above.sum(axis=0)}
    notes = (*result_notes(preferences, level == 1), *notes)
    return Fit(columns, notes, figures or {}, model=model or preferences)


def condorcet_note(preferences: Preferences) -> str | None:
    """Name the Condorcet winner, or the smallest set whose members beat all others."""
    if len(preferences.candidates) < 2:
        return None
    first = dominance_sets(preferences)[0]
    if len(first) == 1:
        return f"{preferences.players[int(first[0])]} beats all others (Condorcet winner)"
    if len(first) == len(preferences.candidates):
        return "no player beats all others, and no smaller set of players does (Smith set: all)"
    return (
        "no player beats all others; the smallest set that does (Smith set): "
        f"{name_players(preferences, first)}"
    )


def shared_first_note(preferences: Preferences, first: Truths) -> str | None:
    """A sentence where several share the first place, [n]."""
    if first.sum() < 2:
        return None
    return f"the first place is shared: {name_players(preferences, np.flatnonzero(first))}"


def name_players(preferences: Preferences, who: Iterable[int]) -> str:
    """Names in alphabetical order, not too many."""
    return list_some(sorted(preferences.players[int(player)] for player in who), PLAYERS_NAMED)


def result_notes(preferences: Preferences, first: Truths) -> tuple[str, ...]:
    """The notes of a voting method on its result; `first` [n] marks the first place."""
    sentences = (
        condorcet_note(preferences),
        shared_first_note(preferences, first),
        unranked_note(preferences),
    )
    return tuple(sentence for sentence in sentences if sentence is not None)


def unranked_note(preferences: Preferences) -> str | None:
    """A note on candidates that no ballot ranks; None where there are none."""
    never = preferences.standing & ~preferences.ranked
    if not never.any():
        return None
    who = name_players(preferences, np.flatnonzero(never))
    return f"no ballot ranks {who}: below all others, and not shown"
