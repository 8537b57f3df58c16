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
    ("hometeamname", "awayteamname"),
    ("home", "visitor"),
    ("hometeam", "visitorteam"),
    ("hometeam", "visitingteam"),
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
    ("team", "opponent"),  # logs, in which a game may stand twice
    ("team", "opp"),
    ("player", "opponent"),
    ("player", "opp"),
    ("spieler", "gegner"),
    ("mannschaft", "gegner"),
    ("joueur", "adversaire"),
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
}
BESIDE_SCORE = ("pointsa",)  # points that stand beside a score, as in the exports of a live ladder
RESULT = ("result", "outcome")
WINNER = ("winner", "winnername")
LOSER = ("loser", "losername")
DRAW = (
    "draw", "drawn", "isdraw", "wasdraw", "tie", "tied", "istie", "wastie", "remis",
    "unentschieden", "nul", "matchnul", "egalite", "égalité", "empate", "pareggio", "gelijk",
    "gelijkspel",
)  # fmt: skip
DRAW_WORDS = frozenset({"draw", "draws", "drawn", "tie", "tied"})  # one of them in a heading,
BESIDE_DRAW = frozenset({"is", "was", "game", "match", "flag"})  # with nothing but these
SCORE = ("score", "scorea")
TIME = (
    "date", "utcdate", "utcdatetime", "datetime", "timestamp", "tstamp", "gamedate", "matchdate",
    "playedat", "startedat", "datum", "tourneydate", "eventdate", "racedate", "startdate",
    "dateutc", "spieldatum", "turnierdatum", "wedstrijddatum", "speeldatum", "datematch",
    "datedumatch", "fechahora", "fechapartido", "datapartita", "dataora", "datajogo", "datahora",
    "datameczu",
)  # fmt: skip
CLOCK = ("time", "utctime", "starttime", "kickoff", "gametime", "matchtime", "timeofday")
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
    "neutral": (
        "neutral",
        "neutralsite",
        "neutralground",
        "neutralvenue",
        "isneutral",
        "neutralfield",
    ),
    "weight": ("weight",),
    "margin": ("margin",),
    "length": ("length", "rounds", "moves"),
}
CONTEST = (  # all that a table has tell its contests apart, together with the date
    "season", "seasonid", "year", "saison", "temporada", "stagione", "seizoen", "sezon", "jahr",
    "league", "liga", "competition", "series", "championship", "cup",
    "tournament", "tournamentid", "tournamentname", "turnier", "torneo", "tournoi", "torneio",
    "event", "eventid", "eventname", "meeting", "meet",
    "stage", "phase", "group", "pool", "division", "leg",
    "round", "runde", "ronda", "ronde", "rodada", "giornata", "jornada", "spieltag", "week",
    "gameweek", "matchday", "day",
    "race", "raceid", "racename", "rennen", "lauf", "carrera", "gara",
    "contest", "contestid", "contestname",
    "heat", "heatid", "session", "sessionid", "lobby", "lobbyid", "room",
    "match", "matchid", "matchnumber", "game", "gameid", "gamenumber", "spiel", "partie",
    "partida", "partita", "table", "tableid", "map", "track", "circuit", "course", "venue",
    "ballot", "ballotid", "voter", "voterid", "judge",
)  # fmt: skip
PLAYER = (
    "player", "driver", "handle", "name", "team", "playername", "teamname", "drivername",
    "candidate",
    "spieler", "fahrer", "joueur", "jugador", "giocatore", "jogador", "speler", "zawodnik",
)  # fmt: skip
TEAM = ("team", "teamname", "teamid", "side")
MATCH = (  # beside it and a player: rows of one team may be one side
    "match", "matchid", "matchnumber", "game", "gameid", "gamenumber", "contest", "contestid",
    "event", "eventid",
)  # fmt: skip
RESULT_OF_TEAM = ("result", "outcome", "won", "win")
SHARE = ("share", "minutes", "minutesplayed", "mins", "playingtime", "timeplayed")
PLACE = (
    "place", "position", "rank", "platz", "rang", "puesto", "posición", "posizione", "posição",
    "plaats", "miejsce", "finish", "pos", "finishposition", "finalposition", "placing",
)  # fmt: skip
_POINTS = (
    "points", "pts", "totalpoints", "punkte", "puntos", "punti", "pontos", "punten", "punkty",
)  # fmt: skip
_TIMES = ("strokes", "seconds", "laptime", "racetime", "finishtime", "finishingtime")
POINTS = (*_POINTS, *_TIMES, "score")
MORE = frozenset({*_POINTS, "goals", "wins", "victories", "kills", "solved", "runs"})
FEWER = frozenset({
    *_TIMES, "time", "duration", "lap", "penalty", "penalties", "faults", "errors", "mistakes",
    "misses", "putts", "moves", *PLACE,
})  # fmt: skip
PLAYED = frozenset({"played", "pld", "mp", "pj", "mj", "gamesplayed", "matchesplayed"})
GAMES = frozenset({"games", "matches", "spiele", "battles"})  # counted, where nothing else is told
STANDINGS = (  # two columns that count games: a table that has both sums them up
    ("w", "l"), ("won", "lost"), ("wins", "losses"), ("win", "loss"), ("wins", "loss"),
    ("w", "d"), ("won", "drawn"), ("wins", "draws"), ("siege", "niederlagen"), ("s", "n"),
    ("pg", "pp"), ("g", "p"), ("v", "p"), ("v", "d"), ("gewonnen", "verloren"),
)  # fmt: skip
SUMS = frozenset({  # and what stands beside them there
    "played", "p", "mp", "gp", "pld", "pj", "sp", "games", "matches", "spiele", "gf", "ga", "gd",
    "goalsfor", "goalsagainst", "pct", "pkt", *_POINTS, *PLACE,
})  # fmt: skip
ROUNDS = ("", "r", "rd", "rnd", "round", "runde", "ronde")  # before a number, in a crosstable

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+")


def words_of(heading: str) -> set[str]:
    """The words of a heading: `GAME_DATE_EST`, `game date (EST)` and `gameDateEST` have three."""
    return {word.casefold() for word in _WORDS.findall(heading)}


def is_draw(heading: str) -> bool:
    """Whether a heading is that of draws by its words: `Draw?`, `is_tied`, but not `draw_size`."""
    words = words_of(heading)
    return not words.isdisjoint(DRAW_WORDS) and words <= DRAW_WORDS | BESIDE_DRAW


def is_date(heading: str) -> bool:
    """Whether a heading is that of dates by one of its words; `update` and `birth_date` are not."""
    words = words_of(heading)
    return not words.isdisjoint(DATE_WORDS) and words.isdisjoint(OTHER_DATES)
