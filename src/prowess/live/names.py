"""Names of players: invisible characters, and names that look alike.

Two names look alike where a reader cannot tell them apart: a Latin A and a Cyrillic one, a letter
of full width and a plain one, a small L, a capital i and a 1 (Unicode's confusables, UTS #39), or
where they differ in case only. Names that differ in accents are near, not alike.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

from prowess.games.names import normal_name
from prowess.live.errors import Conflict, Refused

NAME_LIMIT = 200  # letters
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # categories: control, format, half a letter, end of line
BLANK_LOOKING = frozenset(  # letters, marks and symbols by their category, yet invisible
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U0001d159"
)
JOINERS = frozenset("\u200c\u200d")  # seen only in the form of the letters beside them
JOINABLE = (  # scripts that are written with joiners, by the start of the names of their letters
    "ARABIC", "SYRIAC", "MANDAIC", "NKO", "MONGOLIAN", "DEVANAGARI", "BENGALI", "GURMUKHI",
    "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "KHMER", "MYANMAR",
)  # fmt: skip
SELECTED = ("CJK UNIFIED", "CJK COMPATIBILITY")  # ideographs that have several forms
VARIANTS = ("<wide>", "<narrow>", "<font>")  # decompositions into the same letter, drawn otherwise
CONFUSABLES = "confusables.txt"  # in the folder `data`: characters that look alike, of Unicode
LETTER_RUN = re.compile(r"[^\W\d_]+")  # letters; marks are no letters, and belong to any script
SCRIPTS_TOGETHER = (  # scripts of one language
    frozenset({"CJK", "HIRAGANA", "KATAKANA", "LATIN"}),
    frozenset({"CJK", "HANGUL", "LATIN"}),
    frozenset({"CJK", "BOPOMOFO", "LATIN"}),
)  # fmt: skip


@cache
def prototypes() -> dict[int, str]:
    """By the number of a character what it looks like (UTS #39), for `str.translate`."""
    text = (files("prowess.live") / "data" / CONFUSABLES).read_text(encoding="ascii")
    found: dict[int, str] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            seen, _, others = line.partition(":")
            like = "".join(chr(int(one, 16)) for one in seen.split())
            found |= dict.fromkeys((int(one, 16) for one in others.split()), like)
    return found


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
        return normal_name(name).translate(prototypes())
    letters = (
        unicodedata.normalize("NFKD", one) if unicodedata.decomposition(one).startswith(VARIANTS)
        else one
        for one in unicodedata.normalize("NFD", name)
    )  # fmt: skip
    plain = unicodedata.normalize("NFD", "".join(letters).translate(prototypes()))
    return normal_name("".join(one for one in plain if not _hidden(one)))


def look_keys(name: str) -> frozenset[str]:
    """Keys of which names that look alike share one: skeletons, in any case.

    `Ida` looks like `lda` as it is written, and like `IDA` and `ida` when it is written otherwise.
    """
    return frozenset((skeleton(name).casefold(), skeleton(name.casefold()).casefold()))


def mixed_word(name: str) -> str | None:
    """The first word of a name whose letters are of scripts that no language mixes; else None.

    The script of a letter is the first word of its name in Unicode, as in CYRILLIC SMALL LETTER A.
    """
    if name.isascii():
        return None
    letters = unicodedata.normalize("NFKD", name)
    plain = "".join(one for one in letters if unicodedata.category(one)[0] != "M")
    for word in LETTER_RUN.findall(plain):
        scripts = word_scripts(word)
        if len(scripts) > 1 and not any(scripts <= some for some in SCRIPTS_TOGETHER):
            return str(word)
    return None


def word_scripts(word: str) -> set[str]:
    """The scripts of the letters of a word; modifiers belong to any."""
    letters = (one for one in word if unicodedata.category(one) not in ("Lm", "Mn", "Mc"))
    return {unicodedata.name(one, "").partition(" ")[0] for one in letters} - {""}


def nearness(name: str) -> str:
    """The same text for all names that differ in case, in accents or in letters that look alike."""
    plain = unicodedata.normalize("NFD", skeleton(name.casefold()).casefold())
    return "".join(one for one in plain if unicodedata.category(one) != "Mn")


def other_letter(name: str, like: str) -> str | None:
    """The first letter of a name that the name it looks like does not hold."""
    known = unicodedata.normalize("NFC", like)
    return next((one for one in unicodedata.normalize("NFC", name) if one not in known), None)


def _hidden(letter: str) -> bool:
    return (
        letter in BLANK_LOOKING
        or _selects(letter)
        or _is_no_character(letter)
        or unicodedata.category(letter) in HIDDEN
    )  # fmt: skip


def _needed(letter: str, before: str, after: str) -> bool:
    """Whether a hidden character belongs between its neighbours."""
    if not before:
        return False
    if letter in JOINERS:
        return bool(after) and all(
            unicodedata.category(one)[0] in "LM" and unicodedata.name(one, "").startswith(JOINABLE)
            for one in (before, after)
        )
    symbol = unicodedata.category(before) == "So" and before not in BLANK_LOOKING
    return _selects(letter) and (symbol or unicodedata.name(before, "").startswith(SELECTED))


def _selects(letter: str) -> bool:
    """Whether a character is a variation selector, which chooses a form of the one before it."""
    return "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"


def _is_no_character(letter: str) -> bool:
    """Whether a number is one of those that Unicode gives to no character for ever (U+FFFF)."""
    return ord(letter) & 0xFFFE == 0xFFFE or "\ufdd0" <= letter <= "\ufdef"


def check_name(text: str, field: str) -> str:
    """The normal form of a new name; raises Refused for a bad one."""
    unseen = unseen_letter(text)
    if unseen is not None:
        raise Refused.of("bad_letter.hidden", letter=described_letter(unseen), field=field)
    name = normal_name(text)
    if not has_letters(name):
        raise Refused.of("empty_name.letters", field=field)
    if len(name) > NAME_LIMIT:
        raise Refused.of("too_long.name", most=NAME_LIMIT, field=field)
    return name


def check_looks(name: str, like: str | None, field: str) -> None:
    """Raise Conflict for a new name that has to be confirmed: it looks like a known one (`like`),
    or a word of it mixes scripts.
    """
    if like is not None:
        other = other_letter(name, like)
        letter = f": it holds {described_letter(other)}" if other else ""
        raise Conflict.of("look_alike.known", like=like, name=name, letter=letter, field=field)
    if (word := mixed_word(name)) is not None:
        raise Conflict.of("mixed_scripts", word=word, scripts=describe_scripts(word), field=field)


def describe_scripts(word: str) -> str:
    """The scripts of a word with a letter of each: `Cyrillic (U+0410) and Latin (U+0064)`."""
    first: dict[str, str] = {}
    for letter in word:
        for script in word_scripts(letter):
            first.setdefault(script, letter)
    told = [f"{script.capitalize()} (U+{ord(one):04X})" for script, one in first.items()]
    return f"{', '.join(told[:-1])} and {told[-1]}"
