"""Exact headings of the points of both sides, in plain form."""

from __future__ import annotations

_SIDES = (
    ("home", "away"),
    ("white", "black"),
    ("left", "right"),
    ("playera", "playerb"),
    ("player1", "player2"),
    ("teama", "teamb"),
    ("team1", "team2"),
    ("bota", "botb"),
    ("modela", "modelb"),
    ("p1", "p2"),
    ("a", "b"),
    ("1", "2"),
    ("winner", "loser"),
)
POINTS_OF_BOTH = {
    pair
    for first, second in _SIDES
    for what in ("score", "goals", "points", "runs")
    for pair in ((first + what, second + what), (what + first, what + second))
} | {
    ("fthg", "ftag"),
    ("points", "opppoints"),
    ("points", "opponentpoints"),
    ("pts", "opppts"),
    ("score", "oppscore"),
    ("score", "opponentscore"),
    ("teamscore", "oppscore"),
    ("teamscore", "opponentscore"),
    ("goals", "opponentgoals"),
    ("goalsfor", "goalsagainst"),
    ("gf", "ga"),
    ("pf", "pa"),
    ("hg", "ag"),
    ("hgoals", "agoals"),
    ("hscore", "ascore"),
}
SETS_OF_WINNERS = ("wsets", "lsets")
POINTS_OF_WINNERS = {
    SETS_OF_WINNERS, ("ptsw", "ptsl"), ("wpts", "lpts"), ("pv", "pp"), ("wscore", "lscore"),
}  # fmt: skip
POINTS_OF_OWN = (  # of the team of a row and of its opponent: for and against, pro and contra
    ("gf", "gc"), ("gf", "ga"), ("gf", "gs"), ("gp", "gc"), ("pf", "pa"), ("pf", "pc"),
    ("pf", "ps"), ("bp", "bc"), ("dv", "dt"), ("bz", "bs"), ("r", "ra"), ("rf", "ra"), ("rs", "ra"),
    ("for", "against"), ("f", "a"), ("favor", "contra"), ("pour", "contre"), ("voor", "tegen"),
    ("fatti", "subiti"), ("pro", "contra"),
)  # fmt: skip
