"""Headings of the points of both sides: exact ones, in plain form, and shortened ones."""

from __future__ import annotations

from prowess.games.vocabulary import SUBJECTS, HeadingMeaning

OF_POINTS = ("sets", "games", "points")  # the first decides where a table has several
LETTERS_OF_POINTS = frozenset("gpstbr")  # goals, points, score or sets, Tore, bramki, reti

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


def sides_shortened(heading: HeadingMeaning) -> list[str]:
    """The beginnings of a side's name in headings such as HG, `Goles L` and `Bramki gosp.`."""
    of_points = {word for subject in OF_POINTS for word in SUBJECTS[subject].split()}
    words = heading.words
    if len(words) == 1 and len(words[0]) == 1:
        return [words[0]]
    if len(words) == 2 and words[0] in LETTERS_OF_POINTS and words[1].isdigit():
        return [words[1]]
    if len(words) == 2 and not heading.spoiled:
        return [words[1 - at] for at in range(2) if words[at] in of_points]
    if len(words) == 1 and len(words[0]) == 2:
        first, second = words[0][0], words[0][1]
        return [*([second] if first in LETTERS_OF_POINTS else []),
                *([first] if second in LETTERS_OF_POINTS else [])]  # fmt: skip
    return []
