"""What tables call their columns, in plain form (no case, spaces, underscores, hyphens)."""

from __future__ import annotations

import re

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
    "date", "utcdate", "utcdatetime", "datetime", "timestamp", "tstamp", "gamedate", "matchdate",
    "playedat", "startedat", "datum", "tourneydate", "eventdate", "racedate", "startdate",
    "dateutc", "spieldatum", "turnierdatum", "wedstrijddatum", "speeldatum", "datematch",
    "datedumatch", "fechahora", "fechapartido", "datapartita", "dataora", "datajogo", "datahora",
    "datameczu",
)  # fmt: skip
DATE_WORDS = frozenset({"date", "datetime", "datum", "timestamp", "tstamp"})  # part of a heading
OTHER_DATES = frozenset({  # beside one of them: a date of something else than a game
    "birth", "born", "geburt", "geburts", "nacimiento", "naissance", "nascita", "nascimento",
    "geboorte", "urodzenia", "last", "update", "updated", "modified", "registered",
    "registration", "joined", "signup", "export", "exported", "import", "imported", "scraped",
    "retrieved", "expiry", "rating", "ranking", "rank",
})  # fmt: skip
MAYBE_DATES = (  # words of another meaning, too: the first cell tells whether they are dates
    "fecha", "data", "when", "kickoff", "kickoffat", "kickofftime", "starttime", "anstoss",
    "anstoß", "createdat",
)  # fmt: skip
YEARS = ("year", "jahr", "annee", "année", "ano", "año", "anno", "jaar", "rok")
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

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+")


def words_of(heading: str) -> set[str]:
    """The words of a heading: `GAME_DATE_EST`, `game date (EST)` and `gameDateEST` have three."""
    return {word.casefold() for word in _WORDS.findall(heading)}


def is_date(heading: str) -> bool:
    """Whether a heading is that of dates by one of its words; `update` and `birth_date` are not."""
    words = words_of(heading)
    return not words.isdisjoint(DATE_WORDS) and words.isdisjoint(OTHER_DATES)
