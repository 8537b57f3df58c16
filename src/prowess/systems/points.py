"""Points: the league table, with points for wins and draws and stated tie-breaks.

Formula   points = win * won + draw * drawn + loss * lost
          then, among equals, in this order (ties =):
          goals         goal difference; goals for; points among the tied
          fifa          goal difference; goals for; points, goal difference and goals for
                        among the tied
          head_to_head  points and goal difference among the tied; goal difference; goals for
          uefa          points, goal difference and goals for among the tied, once more among
                        those still level; goal difference; goals for; games won
          wins          games won; goal difference; goals for; points among the tied
          berger        sum of the points of those beaten and half of those drawn with; games
                        won; points among the tied
          buchholz      sum of the points of all opponents; sum of the points of those beaten and
                        half of those drawn with; games won. An opponent counts with adjusted
                        points: requested byes (half or no points, rounds without a game) are
                        draws where the opponent had only such byes and forfeit losses from then
                        on. An own unplayed round (bye, forfeit, no game) is one against a dummy
                        with the player's own points
          none          equal points share the rank
Source    goals: Premier League Handbook, rules C.5 and C.17 (since 2019-20), also the rules of
          the Bundesliga; fifa: Regulations of the FIFA World Cup 2022, article 12;
          head_to_head: Reglamento General of the Spanish federation, as La Liga uses it;
          uefa: Regulations of the UEFA Champions League 2023/24, article 17; wins: the
          Brazilian Serie A; berger, buchholz: FIDE Handbook C.07, Tie-Break Regulations of 2023,
          in force until 28 February 2026, articles 8.1, 9.1, 15 and 16.1 to 16.4. (The edition of
          March 2026 limits the points of the dummy, this one does not.)
Units     points, won, drawn, lost: games and points; goals_for, goals_against, difference: goals.
Differs   what the table does not know is left out: away goals, cards, draws of lots, decisions
          from the green table such as deducted points. Players still level share the rank.
          A score above 1/2 is a win, 1/2 a draw. The games among the tied are those that the
          table has. Without goals the rules about goals are passed over, and the columns of
          goals are left out. berger and buchholz take the points of this very scale. Byes and
          forfeits that the reader is asked to keep are rounds won, drawn or lost; rounds without a
          game are known where the table has rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.system import Choice, Range
from prowess.engine.whole_table import Fit, WholeTable
from prowess.games.games import BYE, UNPLAYED, Games

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Tie-breaks: the rules of league tables, applied one after the other.
#
# A rule gives every player of a tied group a row of numbers, higher first. Equals after one rule go
# on to the next; equals after the last share the rank. A rule for the games among the tied alone
# looks at the group that reached it, so that three clubs level on points are judged by one small
# table of three.


TIE_BREAK_DECIMALS = 9  # sums of the same games in another order are equal


@dataclass(frozen=True, eq=False)
class GameSides:
    """Every game twice, once from each side: the player, the opponent and the result.

    `points` are those of the league's own scale; `scored` and `conceded` are None where the table
    has no goals. All are weighted, one entry per game and side.
    """

    count: int  # players
    player: Ids
    opponent: Ids
    weight: Floats
    won: Floats
    drawn: Floats
    points: Floats
    draw: float  # points for a draw
    bye: NDArray[np.bool_]  # there was no opponent
    unplayed: NDArray[np.bool_]  # byes and forfeits
    round: Ids  # from 0; the number of the game where the table has no rounds
    rounds: int | None  # how many the table has
    scored: Floats | None
    conceded: Floats | None

    def total(self, values: Floats, among: NDArray[np.bool_] | None = None) -> Floats:
        """The sum per player, [players]; `among` counts the games between such players only."""
        if among is not None:
            values = values * (among[self.player] & among[self.opponent])
        total = np.zeros(self.count)
        total += np.bincount(self.player, values, self.count)
        return total.round(TIE_BREAK_DECIMALS)

    @cached_property
    def table(self) -> Floats:
        """Points per player, [players]."""
        return self.total(self.points)

    def missed_rounds(self, since: Ids) -> Floats:
        """Rounds in which a player has no game, of those behind some round of each, [players]."""
        if self.rounds is None:
            return np.zeros(self.count)
        behind = self.round > since[self.player]
        rows = np.unique(np.stack((self.player[behind], self.round[behind])), axis=1)
        return np.float64(self.rounds - 1) - since - np.bincount(rows[0], minlength=self.count)

    @cached_property
    def adjusted(self) -> Floats:
        """Points per player as they count for opponents (article 16.3), [players]."""
        requested = self.bye & (self.won == 0.0)
        present = ~requested & ~(self.unplayed & (self.won + self.drawn == 0.0))
        last = np.full(self.count, -1)
        np.maximum.at(last, self.player[present], self.round[present])
        to_the_end = requested & (self.round > last[self.player])
        gained = self.draw * self.weight - self.points
        return self.table + self.total(gained * to_the_end) + self.draw * self.missed_rounds(last)

    @cached_property
    def faced(self) -> Floats:
        """Points of the opponent, per game and side; those of a dummy (16.4) where none played."""
        own, other = self.table[self.player], self.adjusted[self.opponent]
        return np.where(self.unplayed, own, other)

    @property
    def difference(self) -> Floats | None:
        """Goals scored less goals conceded, per game and side."""
        if self.scored is None or self.conceded is None:
            return None
        return self.scored - self.conceded


def sides(games: Games, win: float, draw: float, loss: float) -> GameSides:
    """The games from both sides; a score above 1/2 is a win and 1/2 a draw."""
    weight = np.ones(len(games)) if games.weight is None else games.weight
    weight = np.concatenate((weight, weight))
    score = np.concatenate((games.score, 1.0 - games.score))
    won, drawn = (score > 0.5).astype(float), (score == 0.5).astype(float)
    goals = games.points_a is not None and games.points_b is not None

    def both(first: Floats | None, second: Floats | None) -> Floats | None:
        return np.concatenate((first, second)) * weight if goals else None  # type: ignore[arg-type]

    bye = np.zeros(len(games.players), np.bool_)
    if games.role is not None and BYE in games.roles:
        bye = games.role == games.roles.index(BYE)
    unplayed = games.facts.get(UNPLAYED, np.zeros(len(games))) > 0.0
    turn, rounds = np.arange(len(games), dtype=np.int64), None
    if games.round is not None:
        _, first, of_game = np.unique(games.round, return_index=True, return_inverse=True)
        turn, rounds = first.argsort().argsort()[of_game], len(first)
    return GameSides(
        count=len(games.players),
        player=np.concatenate((games.a, games.b)).astype(np.int64),
        opponent=np.concatenate((games.b, games.a)).astype(np.int64),
        weight=weight,
        won=won * weight,
        drawn=drawn * weight,
        points=(win * won + draw * drawn + loss * (1.0 - won - drawn)) * weight,
        draw=draw,
        bye=np.concatenate((bye[games.b], bye[games.a])),
        unplayed=np.tile(unplayed, 2),
        round=np.tile(turn, 2),
        rounds=rounds,
        scored=both(games.points_a, games.points_b),
        conceded=both(games.points_b, games.points_a),
    )


class TieBreak(NamedTuple):
    """One tie-break: numbers per player of a group, each [players], the first counting most."""

    values: Callable[[GameSides, Ids], list[Floats]]
    again: bool = False  # applied again to the players still level after it separated some


def points(all_games: GameSides, group: Ids) -> list[Floats]:
    """Points of all games."""
    return [all_games.table]


def difference(all_games: GameSides, group: Ids) -> list[Floats]:
    """Goal difference of all games."""
    return _totals(all_games, all_games.difference)


def goals_for(all_games: GameSides, group: Ids) -> list[Floats]:
    """Goals for in all games."""
    return _totals(all_games, all_games.scored)


def wins(all_games: GameSides, group: Ids) -> list[Floats]:
    """Number of games won."""
    return _totals(all_games, all_games.won)


def head_to_head_points(all_games: GameSides, group: Ids) -> list[Floats]:
    """Points from the games among the tied."""
    return _totals(all_games, all_games.points, group)


def head_to_head(all_games: GameSides, group: Ids) -> list[Floats]:
    """Points, then goal difference, from the games among the tied."""
    return [
        *_totals(all_games, all_games.points, group),
        *_totals(all_games, all_games.difference, group),
    ]


def head_to_head_goals(all_games: GameSides, group: Ids) -> list[Floats]:
    """Points, then goal difference, then goals for, from the games among the tied."""
    return [*head_to_head(all_games, group), *_totals(all_games, all_games.scored, group)]


def berger(all_games: GameSides, group: Ids) -> list[Floats]:
    """Sonneborn-Berger: all points of the opponents beaten, half of those drawn with."""
    share = all_games.won + 0.5 * all_games.drawn
    return [all_games.total(share * all_games.table[all_games.opponent])]


def buchholz(all_games: GameSides, group: Ids) -> list[Floats]:
    """The points of all opponents, one for each game against them; of missed rounds, own ones."""
    missed = all_games.missed_rounds(np.full(all_games.count, -1))
    met = all_games.total(all_games.weight * all_games.faced)
    return [(met + missed * all_games.table).round(TIE_BREAK_DECIMALS)]


def berger_of_swiss(all_games: GameSides, group: Ids) -> list[Floats]:
    """Sonneborn-Berger of the points that Buchholz counts."""
    share = all_games.won + 0.5 * all_games.drawn
    return [all_games.total(share * all_games.faced)]


def _totals(all_games: GameSides, values: Floats | None, group: Ids | None = None) -> list[Floats]:
    if values is None:
        return []
    if group is None:
        return [all_games.total(values)]
    among = np.zeros(all_games.count, dtype=bool)
    among[group] = True
    return [all_games.total(values, among)]


def standing(all_games: GameSides, rules: tuple[TieBreak, ...]) -> Ids:
    """A number per player, [players]: more is better, equal is tied. Points come first."""
    order = np.zeros(all_games.count, dtype=np.int64)
    all_players = np.unique(all_games.player)
    for place, group in enumerate(_separate(all_games, all_players, (TieBreak(points), *rules))):
        order[group] = all_games.count - place
    return order


def _separate(all_games: GameSides, group: Ids, rules: tuple[TieBreak, ...]) -> Iterator[Ids]:
    """The group in parts, the best first, each as far as the rules can tell its players apart."""
    if len(group) < 2 or not rules:
        yield group
        return
    rule, *later = rules
    values = [column[group] for column in rule.values(all_games, group)]
    rows = -np.stack(values, axis=1) if values else np.zeros((len(group), 1))
    _, part = np.unique(rows, axis=0, return_inverse=True)
    parts = [group[part.ravel() == k] for k in range(part.max() + 1)]
    rules = rules if rule.again and len(parts) > 1 else tuple(later)
    for level in parts:
        yield from _separate(all_games, level, rules)


TIE_BREAK_ORDERS: dict[str, tuple[TieBreak, ...]] = {
    "goals": (TieBreak(difference), TieBreak(goals_for), TieBreak(head_to_head_points)),
    "fifa": (TieBreak(difference), TieBreak(goals_for), TieBreak(head_to_head_goals)),
    "head_to_head": (TieBreak(head_to_head), TieBreak(difference), TieBreak(goals_for)),
    "uefa": (
        TieBreak(head_to_head_goals, again=True),
        TieBreak(difference),
        TieBreak(goals_for),
        TieBreak(wins),
    ),
    "wins": (
        TieBreak(wins),
        TieBreak(difference),
        TieBreak(goals_for),
        TieBreak(head_to_head_points),
    ),
    "berger": (TieBreak(berger), TieBreak(wins), TieBreak(head_to_head_points)),
    "buchholz": (TieBreak(buchholz), TieBreak(berger_of_swiss), TieBreak(wins)),
    "none": (),
}
GOAL_COLUMNS = ("goals_for", "goals_against", "difference")


class Params(NamedTuple):
    win: Annotated[float, Range(0, 100, "points"), "points for a win"] = 3.0
    draw: Annotated[float, Range(0, 100, "points"), "points for a draw"] = 1.0
    loss: Annotated[float, Range(0, 100, "points"), "points for a loss"] = 0.0
    ties: Annotated[int, Choice(*TIE_BREAK_ORDERS), "what separates equal points, in order"] = 0


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """The table, ranked by points and the tie-breaks."""
    games = sides(table, p.win, p.draw, p.loss)
    played, wins, draws = (games.total(x) for x in (games.weight, games.won, games.drawn))
    columns = {
        "points": games.table,
        "played": played,
        "won": wins,
        "drawn": draws,
        "lost": played - wins - draws,
    }
    if games.scored is not None and games.conceded is not None:
        goals, against = games.total(games.scored), games.total(games.conceded)
        columns |= dict(zip(GOAL_COLUMNS, (goals, against, goals - against), strict=True))
    whole = table.weight is None
    columns = {
        name: column.astype(np.int64) if whole and (column == column.round()).all() else column
        for name, column in columns.items()
    }
    return Fit(columns, order=standing(games, tuple(TIE_BREAK_ORDERS.values())[p.ties]))


POINTS = WholeTable(
    name="points",
    family="tables",
    params=Params(),
    columns=("points", "played", "won", "drawn", "lost", *GOAL_COLUMNS),
    fit=fit,
    byes=True,
)
