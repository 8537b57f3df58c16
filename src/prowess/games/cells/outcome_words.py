"""The words of results in eight languages, and the notations that need no other cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from prowess.games.patterns import lazy_pattern

EXACT = {
    "1-0": 1.0,
    "1.0-0.0": 1.0,
    "0-1": 0.0,
    "0.0-1.0": 0.0,
    "1/2-1/2": 0.5,
    "½-½": 0.5,
    "0.5-0.5": 0.5,
    "1/2": 0.5,
    "½": 0.5,
}
WIN = (  # English, German, French, Spanish, Italian, Portuguese, Dutch, Polish
    "win won wins victory w sieg gewonnen gewinn gesiegt victoire gagne gagnee victoria ganado "
    "ganada gana gano triunfo vittoria vinto vinta vince vitoria ganhou venceu vencida winst "
    "wygrana wygral wygrala wygrane zwyciestwo "
    "vinst sejr seier voitto vyhra gyozelem победа"  # and further languages
)
LOSS = (
    "loss lost lose loses defeat l niederlage verloren defaite perdu perdue derrota perdido "
    "perdida perdio sconfitta persa perso perdeu verlies porazka przegrana przegral przegrala "
    "forlust nederlag tappio prohra vereseg поражение"
)
DRAW = (
    "draw drawn drew d tie tied t matchdrawn matchtied both bothbad bothgood tiebothbad "
    "tie(bothbad) tie(bothgood) "
    "equal same remis remise unentschieden nul "
    "nulle matchnul egalite empate empatado empatada tablas pareggio pareggiato patta empatou "
    "empataram gelijk gelijkspel halved halve allsquare jigo = == ~ neither both nopreference "
    "nodifference nopref aboutthesame thesame roughlythesame equallygood equallybad similar "
    "botharegood botharebad bothequal indifferent canttell cannottell can'ttell can’ttell "
    "cantdecide cannotdecide can'tdecide can’tdecide undecided tossup keiner "
    "keinunterschied keinepraferenz beide beidegleich gleich gleichgut egal pareil lesdeux "
    "oavgjort uafgjort uavgjort tasapeli remiza dontetlen ничья "
    "aucunepreference sinpreferencia igual iguales ambos indiferente uguale uguali entrambi "
    "nessunapreferenza sempreferencia geenvoorkeur"
)
WON = {
    **dict.fromkeys([*WIN.split(), *"○◯〇"], 1.0), **dict.fromkeys([*LOSS.split(), *"●⚫"], 0.0),
}  # fmt: skip
DRAWN = dict.fromkeys(DRAW.split(), 0.5) | {"△": 0.5}
HALVES = frozenset({"½", "1/2", "0,5"})
CHESS = frozenset({"1-0", "0-1"})  # scorelines, too
SCORELINE = lazy_pattern(r"([0-9]{1,3})-([0-9]{1,3})")
LEVEL = lazy_pattern(r"(\d+)\s*[-–:]\s*(\d+)")  # a scoreline, of which both may be equal
UNFINISHED = "*"
_FIRST = (
    "white left home first homewin homewins whitewin whitewins heim heimsieg domicile local locale "
    "casa mandante thuis "
    "gospodarze weiss blancs blanc blancas bianco bianchi brancas wit biale"
)
_SECOND = (
    "black right away second "
    "awaywin awaywins blackwin blackwins visitor gast auswarts auswartssieg exterieur visiteur "
    "visitante fora ospite ospiti trasferta uit goscie schwarz noirs noir negras nero neri pretas "
    "zwart czarne"
)
_NOUNS = (  # before a letter or number of a side
    "player p model team bot side engine agent response answer option assistant output candidate "
    "image sample system completion summary translation text version variant choice spieler antwort"
)
NOUNS = _NOUNS.split()
_NUMBERED = {f"{noun}{mark}": 1.0 - at % 2 for noun in NOUNS for at, mark in enumerate("ab12")}
SIDES = {
    **dict.fromkeys(_FIRST.split(), 1.0), **dict.fromkeys(_SECOND.split(), 0.0), **_NUMBERED,
}  # fmt: skip
LETTERS = {  # what single letters mean hangs on what the sides are called
    "home": {"h": 1.0, "a": 0.0},
    "white": {"w": 1.0, "b": 0.0},
    "heim": {"h": 1.0, "g": 0.0},
    "weiss": {"w": 1.0, "s": 0.0},
    "blanc": {},  # B may be Blanc or Black
    "": {"a": 1.0, "b": 0.0},
}


Notation = Literal["slashes", "times", "matches", "goals and points", "signed sets"]
NOTATIONS: Mapping[Notation, re.Pattern[str]] = {  # of 3-2, as `as_scoreline` leaves it
    "slashes": lazy_pattern(r"([0-9]{1,2})/([0-9]{1,2})"),
    "times": lazy_pattern(r"([0-9]{1,2})-([0-9]{2})-00"),  # a spreadsheet made 03:02:00 of it
    "matches": lazy_pattern(r"([0-9])-([0-9])(?:-[0-9])?"),  # games won, lost and drawn
}
GOALS_AND_POINTS = lazy_pattern(  # of Gaelic games, as they are written: 1-12 0-14
    r"(\d)-(\d{1,2})(?:\s*[,;:/–]\s*|\s+(?:(?:v|vs|to|-)\.?\s+)?)(\d)-(\d{1,2})"
)
_MARGIN = r"[0-9]+(?:[.,][0-9]+)? ?(?:p|pts?|points?|punkte|puntos|punti|moku)?\.?"
SIGNED = lazy_pattern(r"[+-]?\d{1,2}")
SIGNED_SETS = lazy_pattern(r"[+-]?\d{1,2}(?:(?:\s*[,;/]\s*|\s+)[+-]?\d{1,2}){1,6}")
STONES = lazy_pattern(  # go: who won, by a letter or a word, and by how much
    r"([^\W\d_]+) ?\+ ?(r|res\w*|rendicion|t|time|temps|tiempo|tempo|zeit|f|forfeit|forfait|a|ab|"
    rf"abandon\w*|abbandono|auf|aufgabe|opgegeven|{_MARGIN})?"
)
LATE = lazy_pattern(r"(?:ot|so)?(?P<word>[wl]) ?[/-]? ?\(?(?:ot|so)?\)?")  # `OTL`, `W/SO`
_METHOD = (
    r"t?ko|m?ud|sd|md|td|rtd|ptd|pts|points|dec|decision|sub|submission|dq|unanimous|split|majority|"
    r"technical|stoppage|retirement|punkte|aufgabe|technisch|einstimmig|by|nach|durch|in|round"
)
METHODS = lazy_pattern(  # of fights: `W-KO`, `L UD 12`, `Win (TKO, R3)`
    rf"(?P<word>[a-z]+)[\s,:;/()-]+(?:{_METHOD})\b"
    rf"(?:[\s,:;/()-]+(?:{_METHOD}|r?\d{{1,2}}(?:/\d{{1,2}})?)\b)*\)?"
)
HOLES = lazy_pattern(  # match play
    r"(?P<word>[a-z]+) (?:by )?(?:[0-9]{1,2} ?(?:&|and) ?[0-9]|[0-9]{1,2} ?(?:up|down|holes?))"
)


# Words of headings over marks at those who won, and over counts of wins and losses.


_WINS = (
    "win wins won winner winners victory victories sieg siege victoire victoires victoria "
    "victorias vittoria vittorie vitoria vitorias winst wygrana wygrane gewonnen "
)
WINS = frozenset(_WINS.split())
_LOSSES = (
    "loss losses lost defeat defeats niederlage niederlagen defaite defaites derrota derrotas "
    "sconfitta sconfitte verlies porazka przegrane verloren "
)
LOSSES = frozenset(_LOSSES.split())
_DRAWS = (
    "draw draws drawn tie ties tied remis unentschieden nul nuls empate empates pareggio pareggi "
    "gelijk gelijkspel gelijke remisy"
)
DRAWS = frozenset(_DRAWS.split())
