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
          buchholz      sum of the points of all opponents; Sonneborn-Berger as above; games won
          none          equal points share the rank
Source    goals: Premier League Handbook, rules C.5 and C.17 (since 2019-20), also the rules of
          the Bundesliga; fifa: Regulations of the FIFA World Cup 2022, article 12;
          head_to_head: Reglamento General of the Spanish federation, as La Liga uses it;
          uefa: Regulations of the UEFA Champions League 2023/24, article 17; wins: the
          Brazilian Serie A; berger, buchholz: FIDE Handbook C.07, Tie-Break Regulations.
Units     points, won, drawn, lost: games and points; goals_for, goals_against, difference: goals.
Differs   what the table does not know is left out: away goals, cards, draws of lots, decisions
          from the green table such as deducted points. Who is still level shares the rank.
          A score above 1/2 is a win, 1/2 a draw. The games among the tied are those that the
          table has. Without goals the rules about goals are passed over, and the columns of
          goals are left out. berger and buchholz take the points of this very scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import numpy as np

from prowess.engine.pairs.tie_breaks import (
    Rule,
    berger,
    buchholz,
    difference,
    head_to_head,
    head_to_head_goals,
    head_to_head_points,
    scored,
    sides,
    standing,
    won,
)
from prowess.engine.system import Choice, Range
from prowess.engine.whole_table import Fit, WholeTable
from prowess.games.games import Games

ORDERS: dict[str, tuple[Rule, ...]] = {
    "goals": (Rule(difference), Rule(scored), Rule(head_to_head_points)),
    "fifa": (Rule(difference), Rule(scored), Rule(head_to_head_goals)),
    "head_to_head": (Rule(head_to_head), Rule(difference), Rule(scored)),
    "uefa": (
        Rule(head_to_head_goals, again=True),
        Rule(difference),
        Rule(scored),
        Rule(won),
    ),
    "wins": (Rule(won), Rule(difference), Rule(scored), Rule(head_to_head_points)),
    "berger": (Rule(berger), Rule(won), Rule(head_to_head_points)),
    "buchholz": (Rule(buchholz), Rule(berger), Rule(won)),
    "none": (),
}
GOALS = ("goals_for", "goals_against", "difference")


class Params(NamedTuple):
    win: Annotated[float, Range(0, 100, "points")] = 3.0
    draw: Annotated[float, Range(0, 100, "points")] = 1.0
    loss: Annotated[float, Range(0, 100, "points")] = 0.0
    ties: Annotated[int, Choice(*ORDERS)] = 0


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
        columns |= dict(zip(GOALS, (goals, against, goals - against), strict=True))
    whole = table.weight is None
    columns = {
        name: column.astype(np.int64) if whole and (column == column.round()).all() else column
        for name, column in columns.items()
    }
    return Fit(columns, order=standing(games, tuple(ORDERS.values())[p.ties]))


POINTS = WholeTable(
    name="points",
    family="tables",
    params=Params(),
    columns=("points", "played", "won", "drawn", "lost", *GOALS),
    fit=fit,
)
