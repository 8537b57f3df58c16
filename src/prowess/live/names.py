"""Names of players: invisible characters, and names that look alike.

Two names look alike where a reader cannot tell them apart: a Latin A and a Cyrillic one, a letter
of full width and a plain one. Names that differ in case or in accents are near, not alike.
"""

from __future__ import annotations

import unicodedata

from prowess.games.names import normal_name
from prowess.live.errors import Refused

LONGEST = 200  # letters
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # categories: control, format, half a letter, end of line
BLANK_LOOKING = frozenset(  # letters, marks and symbols by their category, yet invisible
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U0001d159"
)
JOINERS = frozenset("\u200c\u200d")  # seen only in the form of the letters beside them
JOINED = (  # scripts that are written with joiners, by the start of the names of their letters
    "ARABIC", "SYRIAC", "MANDAIC", "NKO", "MONGOLIAN", "DEVANAGARI", "BENGALI", "GURMUKHI",
    "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "KHMER", "MYANMAR",
)  # fmt: skip
SELECTED = ("CJK UNIFIED", "CJK COMPATIBILITY")  # ideographs that have several forms
FORMS = ("<wide>", "<narrow>", "<font>")  # decompositions into the same letter, drawn otherwise
TWINS = {  # Latin letters and those of Cyrillic and Greek that have the same form
    "A": "\u0410\u0391", "B": "\u0412\u0392", "C": "\u0421\u03f9", "E": "\u0415\u0395",
    "F": "\u03dc", "H": "\u041d\u0397", "I": "\u0406\u04c0\u0399", "J": "\u0408\u037f",
    "K": "\u041a\u039a", "M": "\u041c\u039c", "N": "\u039d", "O": "\u041e\u039f",
    "P": "\u0420\u03a1", "Q": "\u051a", "S": "\u0405", "T": "\u0422\u03a4", "V": "\u0474",
    "W": "\u051c", "X": "\u0425\u03a7", "Y": "\u0423\u04ae\u03a5", "Z": "\u0396",
    "a": "\u0430\u03b1", "c": "\u0441\u03f2", "d": "\u0501", "e": "\u0435", "h": "\u04bb",
    "i": "\u0456", "j": "\u0458\u03f3", "l": "\u04cf", "o": "\u043e\u03bf", "p": "\u0440\u03c1",
    "q": "\u051b", "s": "\u0455", "u": "\u03c5", "v": "\u0475\u03bd", "w": "\u051d",
    "x": "\u0445", "y": "\u0443", "\u00df": "\u03b2",
}  # fmt: skip
LATIN = str.maketrans({twin: latin for latin, twins in TWINS.items() for twin in twins})


def unseen_letter(text: str) -> str | None:
    """The first character of a name that is invisible or changes its neighbours; None without one.

    Joiners are good between letters of scripts that are written with them (Persian, Hindi,
    Sinhala, ...), variation selectors after a symbol or an ideograph.
    """
    if text.isascii() and text.isprintable():
        return None
    for at, letter in enumerate(text):
        if _hidden(letter) and not _needed(letter, text[at - 1 : at], text[at + 1 : at + 2]):
            return letter
    return None


def described_letter(letter: str) -> str:
    """A character by number and name: `U+200B (ZERO WIDTH SPACE)`."""
    name = unicodedata.name(letter, "")
    return f"U+{ord(letter):04X}" + (f" ({name})" if name else "")


def has_letters(text: str) -> bool:
    """Whether a name holds a letter, a digit or a sign: marks and blanks alone show nothing."""
    return any(unicodedata.category(letter)[0] in "LNPS" for letter in text)


def skeleton(name: str) -> str:
    """The skeleton of a name: the same text for all names that look alike."""
    if name.isascii():
        return normal_name(name)
    letters = (
        unicodedata.normalize("NFKD", one) if unicodedata.decomposition(one).startswith(FORMS)
        else one
        for one in unicodedata.normalize("NFD", name)
    )  # fmt: skip
    plain = "".join(letters).translate(LATIN)
    return normal_name("".join(one for one in plain if not _hidden(one)))


def nearness(name: str) -> str:
    """The same text for all names that differ in case, in accents or in letters that look alike."""
    if name.isascii():
        return name.casefold()
    plain = unicodedata.normalize("NFD", skeleton(name).casefold())
    return "".join(one for one in plain if unicodedata.category(one) != "Mn")


def other_letter(name: str, like: str) -> str | None:
    """The first letter of a name that the name it looks like does not hold."""
    known = unicodedata.normalize("NFC", like)
    return next((one for one in unicodedata.normalize("NFC", name) if one not in known), None)


def _hidden(letter: str) -> bool:
    return (
        letter in BLANK_LOOKING
        or _selects(letter)
        or unicodedata.category(letter) in HIDDEN
    )  # fmt: skip


def _needed(letter: str, before: str, after: str) -> bool:
    """Whether a hidden character belongs between its neighbours."""
    if not before:
        return False
    if letter in JOINERS:
        return bool(after) and all(
            unicodedata.category(one)[0] in "LM" and unicodedata.name(one, "").startswith(JOINED)
            for one in (before, after)
        )
    symbol = unicodedata.category(before) == "So" and before not in BLANK_LOOKING
    return _selects(letter) and (symbol or unicodedata.name(before, "").startswith(SELECTED))


def _selects(letter: str) -> bool:
    """Whether a character is a variation selector, which chooses a form of the one before it."""
    return "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"


def check_name(text: str, field: str) -> str:
    """The normal form of a new name; raises Refused for a bad one."""
    unseen = unseen_letter(text)
    if unseen is not None:
        raise Refused(
            "bad_letter",
            f"remove {described_letter(unseen)}: a name holds only visible characters",
            field=field,
        )
    name = normal_name(text)
    if not has_letters(name):
        raise Refused("empty_name", "give a name with a letter or a digit", field=field)
    if len(name) > LONGEST:
        raise Refused("too_long", f"shorten the name to at most {LONGEST} letters", field=field)
    return name
