"""Words for games that were not played: walkovers, postponed games, fixtures to come."""

from __future__ import annotations

import re
from typing import Literal

from prowess.games.values import fold_text

Reason = Literal["walkover", "not played"]
_WALKOVERS = (
    "wo walkover ff forfeit forfait forf forfeited forfeitwin forfeitloss winbyforfeit "
    "lossbyforfeit default defaulted noshow awarded awd kampflos nichtangetreten gewertet wertung "
    "amgrunentisch parforfait incomparecencia noshowwin nopresentado nopresentada atavolino "
    "tavolino reglementair walkower bezgry vo wofwin"
)
WALKOVERS = frozenset(_WALKOVERS.split())
_NOT_PLAYED = (
    "tbd tba tbp na n/a ns pp ppd postp postponed canc cancelled canceled abandoned "
    "suspended susp void voided annulled notplayed notyetplayed unplayed scheduled upcoming "
    "pending tobeplayed inprogress nocontest rainedout rainout skip skipped error invalid "
    "abg abgesagt verlegt verschoben ausgefallen ausfall fallaus abgebrochen abgebr annulliert "
    "nichtgespielt nichtausgetragen offen stehtaus nochoffen spielausfall ausstehend angesetzt "
    "reporte reportee annule annulee arrete ajourne ajournee ajouer nonjoue nondispute "
    "aplazado aplazada suspendido suspendida cancelado cancelada nojugado nojugada pendiente "
    "porjugar anulado anulada "
    "rinviata rinviato sospesa annullata annullato dagiocare nondisputata nongiocata "
    "adiado adiada ajogar porjogar naorealizado naorealizada "
    "uitgesteld afgelast gestaakt nietgespeeld nogtespelen "
    "przelozony przelozone przelozona odwolany odwolane odwolana nierozegrano nierozegrany "
    "zaplanowany niegrano"
)
NOT_PLAYED = frozenset(_NOT_PLAYED.split())
MARKS_ONLY = re.compile(r"[-:?._–—−/ ]+|x ?: ?x|[?x] ?[-:] ?[?x]")
PLUS_MINUS = re.compile(
    r"\+|[+-] ?[:/-]? ?\+|\+ ?[:/-]? ?[+-]|[01] ?f|½ ?f|f ?- ?f|"
    r"(?:ff|wo|w/o|dq|dsq) ?[-:] ?(?:w|win|ff|wo|w/o|dq)|(?:w|win) ?[-:] ?(?:ff|wo|w/o|dq|dsq)"
)
NO_EVENT = re.compile(  # in a cell that stands where a winner would
    r"\b(?:not?|nicht|kein\w*|non|pas|aucune?|nao|niet|geen|nie|nessun\w*|ningun\w*|nenhum\w*|war|"
    r"krieg|guerr[ae]|oorlog|wojn[ay]|covid|corona|pandemi\w*)\b|cancel|abgesagt|ausgefallen|"
    r"annul|suspen|abandon|postpon|unterbroch|interrot|odwolan|afgelast"
)
LETTERS_ONLY = re.compile(r"[^a-z/]")


def reason_not_played(text: str) -> Reason | None:
    """Why a game whose result is this text was not played; None where it may have been.

    The whole text has to be such a word: a score with a word behind it is not looked at.

    >>> reason_not_played("abgesagt"), reason_not_played("W/O"), reason_not_played("2-1")
    ('not played', 'walkover', None)
    """
    folded = fold_text(text)
    if MARKS_ONLY.fullmatch(folded):
        return "not played"
    if PLUS_MINUS.fullmatch(folded):
        return "walkover"
    word = LETTERS_ONLY.sub("", folded)
    if any(map(str.isdigit, folded)):
        return None
    if word in WALKOVERS or word.replace("/", "") in WALKOVERS:
        return "walkover"
    return "not played" if word in NOT_PLAYED else None


def tells_no_event(text: str) -> bool:
    """Whether a text in place of a winner says that there was none: Not held, Cancelled (COVID).

    >>> tells_no_event("Not held"), tells_no_event("kein Turnier"), tells_no_event("Northam")
    (True, True, False)
    """
    return reason_not_played(text) is not None or NO_EVENT.search(fold_text(text)) is not None
