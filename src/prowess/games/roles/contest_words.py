"""Words of the headings of contests and of standings, in plain form."""

from __future__ import annotations

POINTS = (
    "points", "pts", "totalpoints", "punkte", "puntos", "punti", "pontos", "punten", "punkty",
)  # fmt: skip
TIMES = ("strokes", "seconds", "laptime", "racetime", "finishtime", "finishingtime")
PLACE = (
    "place",     "position",     "rank",     "platz",     "rang",     "puesto",     "posición",
    "posizione",     "posição",     "plaats",     "miejsce",     "finish",     "pos",
    "finishposition",     "finalposition",     "placing",
)  # fmt: skip
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
SOLVED = frozenset({"solved", "gelost", "geloest", "resolus", "resueltos"})
STROKES = frozenset({"strokes", "schlage", "schlaege", "coups", "golpes", "colpi", "pancadas"})
PENALTIES = frozenset({"penalty", "penalties", "time", "zeit", "tiempo", "temps"})  # of solvers
TO_PAR = frozenset({"to", "vs", "par", "score", "total", "final"})
OF_SPANS = frozenset({  # beside a word for spans
    "best", "fastest", "lap", "run", "running", "finishing", "split", "elapsed", "corrected",
    "adjusted", "swim", "bike", "ride", "track", "beste", "schnellste", "runde", "mejor", "vuelta",
    "meilleur", "min", "sec", "s", "h", "mm", "ss", "hh",
})  # fmt: skip
SPANS = frozenset({  # words for spans of time
    "time", "zeit", "temps", "tiempo", "tempo", "tijd", "czas", "dauer", "duration", "duree",
    "laufzeit", "rennzeit", "endzeit", "nettozeit", "bruttozeit", "mark", "finish", "chip", "gun",
})  # fmt: skip
GAINS = frozenset({
    "profit", "profits", "winnings", "gewinn", "gain", "gains", "ganancia", "ganancias", "lucro",
    "vincita", "bilanz",
})  # fmt: skip
TOTALS = frozenset({
    "total", "overall", "final", "finish", "net", "netto", "nettozeit", "chip", "official", "sum",
    "gesamt", "gesamtzeit", "endzeit", "summe", "insgesamt", "totale", "totaal", "somme", "suma",
    "soma", "razem",
})  # fmt: skip
MORE = frozenset({
    *POINTS, "goals", "wins", "victories", "kills", "solved", "runs", "reward", "ringe", "ringzahl",
    "rings", "holz", "pins", "kegel", "treffer", "weite", "distance", "distanz",
    "höhe", "height", "catch", "fangmenge", "longueur", "distancia", "distanza", "afstand",
    "altura", "altezza", "hauteur", "saltos", "reps", "wiederholungen",
})  # fmt: skip
FEWER = frozenset({
    *TIMES, "time", "duration", "lap", "penalty", "penalties", "faults", "errors", "mistakes",
    "misses", "putts", "moves", "fehler", "fehlerpunkte", "strafpunkte", "strafsekunden",
    "fautes", "faltas", "errori", "fouten", "błędy", "gap", "interval", "abstand", "rückstand",
    "écart", "distacco", "achterstand", *PLACE,
})  # fmt: skip
PLAYED = frozenset({"played", "pld", "mp", "pj", "mj", "gamesplayed", "matchesplayed"})
GAMES = frozenset({"games", "matches", "spiele", "battles"})  # counted, where nothing else is told
STANDINGS = (  # two columns that count games: a table that has both sums them up
    ("w", "l"), ("won", "lost"), ("wins", "losses"), ("win", "loss"), ("wins", "loss"),
    ("w", "d"), ("won", "drawn"), ("wins", "draws"), ("siege", "niederlagen"), ("s", "n"),
    ("z", "p"), ("w", "v"), ("pg", "pp"), ("g", "p"), ("v", "p"), ("v", "d"),
    ("gewonnen", "verloren"),
)  # fmt: skip
SUMS = frozenset({  # and what stands beside them there
    "played", "p", "mp", "gp", "pld", "pj", "sp", "games", "matches", "spiele", "gf", "ga", "gd",
    "gs", "dv", "dt", "m", "goalsfor", "goalsagainst", "pct", "pkt", *POINTS, *PLACE,
})  # fmt: skip
