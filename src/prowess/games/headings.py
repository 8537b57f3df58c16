"""What tables call their columns, in plain form (no case, spaces, underscores, hyphens)."""

from __future__ import annotations

SIDED = {  # the first has White or is at home
    ("white", "black"),
    ("whiteplayer", "blackplayer"),
    ("whitename", "blackname"),
    ("whiteusername", "blackusername"),
    ("hometeam", "awayteam"),
    ("home", "away"),
    ("homename", "awayname"),
    ("homeplayer", "awayplayer"),
}
NEUTRAL = {
    ("playera", "playerb"),
    ("player1", "player2"),
    ("p1", "p2"),
    ("bota", "botb"),
    ("bot1", "bot2"),
    ("teama", "teamb"),
    ("team1", "team2"),
    ("modela", "modelb"),
    ("model1", "model2"),
    ("enginea", "engineb"),
    ("engine1", "engine2"),
    ("namea", "nameb"),
    ("name1", "name2"),
    ("left", "right"),
}
LETTERS = ("a", "b")  # taken for players only where no other pair is found
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
} | {("fthg", "ftag")}
RESULT = ("result", "outcome")
WINNER = ("winner",)
LOSER = ("loser",)
DRAW = (
    "draw", "drawn", "isdraw", "wasdraw", "tie", "tied", "istie", "wastie", "remis",
    "unentschieden", "nul", "matchnul", "egalite", "égalité", "empate", "pareggio", "gelijk",
    "gelijkspel",
)  # fmt: skip
SCORE = ("score", "scorea")
TIME = (
    "date", "utcdate", "utcdatetime", "datetime", "timestamp", "gamedate", "matchdate", "playedat",
    "startedat", "time",
)  # fmt: skip
ROUND = ("round",)
FACTS = {
    "neutral": ("neutral",),
    "weight": ("weight",),
    "margin": ("margin",),
    "length": ("length", "rounds", "moves"),
}
CONTEST = ("contest", "contestid", "race", "raceid", "event", "eventid", "tournament", "round")
PLAYER = ("player", "driver", "handle", "name", "team")
PLACE = ("place", "position", "rank")
POINTS = ("points", "score")
