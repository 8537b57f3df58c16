"""Bytes as text, and text as rows: the encodings and the delimiters that people write."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from prowess.games.errors import BadData, Suspicion
from prowess.games.values import lazy_pattern

BOMS = (  # at the beginning of a text, the longer before the shorter
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
GUESSED = ["cp1252", "cp1250", "cp1251", "mac_roman", "cp850", "cp437", "cp1253", "cp1254",
           "shift_jis", "gb18030", "euc_kr", "big5"]  # fmt: skip
SAMPLE_BYTES = 1 << 16  # bytes that show the encoding
WORDS_LOOKED_AT = 2000  # of them, that are looked at
WORD = lazy_pattern(rb"[A-Za-z\x80-\xff]+")
SIGNS = "\u2013\u2014\u2018\u2019\u201c\u201d\u201e\u2026\u00ab\u00bb\u00a0\u00b7"  # around words
SIGNS_ALONE = frozenset(SIGNS + "½¼¾°€£§©®ªº±×")  # that mean something without letters
WESTERN = (  # letters beside those of ASCII, by language
    "äöüß", "àâæçéèêëîïôœùûüÿ", "áéíñóúü", "áâãàçéêíóôõúü", "àèéìíîòóùú", "áàâäçéëèêíïóöôúü",
    "æøåéüöäòóô", "åäöéüà", "áðéíóúýþæö", "àçèéíïòóúü", "äõöüšž",
)  # fmt: skip
CENTRAL = (
    "ąćęłńóśźż", "áčďéěíňóřšťúůýžö", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţșțä", "äöüß",
)  # fmt: skip
CYRILLIC = ("абвгдежзийклмнопрстуфхцчшщъыьэюяё", "абвгґдежзийклмнопрстуфхцчшщьюяєії")
GREEK = ("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",)
LANGUAGES = {
    "cp1252": WESTERN, "cp1250": CENTRAL, "iso8859_2": CENTRAL, "cp1254": ("çğıöşüâîû", "äöüß"),
    "cp850": WESTERN, "mac_roman": WESTERN, "cp1251": CYRILLIC, "cp1253": GREEK,
}  # fmt: skip
VOWELS = "aeiouyáéíóúýäöüàâ"
FOREIGN_PLACES = {  # where letters of the languages do not stand in words
    WESTERN: lazy_pattern(
        rf"ñ(?![{VOWELS}])|è[{VOWELS}]|^[èð]|[^\W\d_]{{4}}æ$|ê[bdgkpzjw]|[{VOWELS}]ø|ã(?![oenms]|$)|"
        rf"\B[ìù]\B|\Bþ|[{VOWELS}].*õ(?!e)|û[{VOWELS}]|î[rdhkz]"
    ),
    CENTRAL: lazy_pattern(rf"ń[{VOWELS}]|ĺ[{VOWELS}]|ă[oe]"),
    CYRILLIC: lazy_pattern("[a-z]|[^аеёиоуыэюяєії]{5}|^[^аеёиоуыэюяєії]{3,}$|^[ъыь]"),
    GREEK: lazy_pattern("[a-z]|[^αεηιουωάέήίόύώϊϋΐΰ]{4}|ς.|σ$"),
}
SLAVIC = lazy_pattern(
    r"(?i)(?:cz|sz|rz|dz|zs|gy)|(?:sk[aiy]|ova|[eai]k|ek|[iv]ch?|slav|mir|usz|ec|ej)$"
)
MOST_MARKED = 0.15  # of words with such signs of a Slavic language or Hungarian, elsewhere
LEAST_FITTING = 0.6  # of the words with letters beside ASCII
HAN = lazy_pattern("[\u4e00-\u9fff]")
CONTROLS = lazy_pattern("[\x80-\x9f]")


ODD_ENCODINGS = frozenset(  # Python's name of what is slow, or runs over backslashes
    {"charmap", "idna", "punycode", "raw-unicode-escape", "unicode-escape", "utf-7"}
)
MOST_LETTERS = 40  # of the name of an encoding


def find_encoding(encoding: str) -> str:
    """Python's name of an encoding in which people keep tables; raises BadData for another one.

    Files and forms name encodings, and some of Python's are no encodings of text (`punycode`
    takes minutes for a megabyte).
    """
    with suppress(LookupError, ValueError):  # ValueError: a NUL in the name
        found = codecs.lookup(encoding[: MOST_LETTERS + 1]).name
        "a".encode(found)  # not by `base64` and its like
        if found not in ODD_ENCODINGS:
            return found
    raise BadData.of("unknown_encoding", name=encoding[:MOST_LETTERS])


def decode_text(name: str, data: bytes, encoding: str | None) -> str:
    """Bytes as text; raises BadData. Bytes that are not UTF-8 stay in it, marked as such."""
    if encoding is not None:
        known = find_encoding(encoding)
        try:
            return data.decode(known).removeprefix("\ufeff")
        except (UnicodeDecodeError, UnicodeError) as error:
            start = getattr(error, "start", 0)
            raise BadData.of(
                "wrong_encoding.file",
                file=name,
                line=data.count(b"\n", 0, start) + 1,
                encoding=encoding,
            ) from None
    if marked := next((each for each in BOMS if data.startswith(each[0])), None):
        return decode_text(name, data, marked[1])
    if b"\0" in data:
        if (wide := _guess_wide(data)) is not None:
            return decode_text(name, data, wide)
        refuse_binary(name, data)
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def decode_guessed(name: str, data: bytes, encoding: str | None) -> tuple[str, tuple[str, ...]]:
    """Bytes as text in the encoding that is named or looks right, and a note that says so."""
    if encoding is None and b"\0" not in data:
        with suppress(UnicodeDecodeError):  # UTF-8, as most files are
            return data.decode("utf-8").removeprefix("\ufeff"), ()
    if encoding is None and not is_utf8(data):
        encoding = guess_encoding(data)
        text = decode_text(name, data, encoding)
        if encoding is None:
            return text, ()
        shown = next((each for each in re.findall(r"[^\W\d_]+", text) if not each.isascii()), "")
        brief = f"read as {encoding}" + (f', such as "{shown}"' if shown else "")
        note = f"the file is not UTF-8 and is {brief} (--encoding names another)"
        return text, (Suspicion(note, brief, warns=False),)
    return decode_text(name, data, encoding), ()


def _guess_wide(data: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of a text in Latin letters is 0."""
    head = data[:SAMPLE_BYTES]
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if len(data) % 2 == 0 and max(even, odd) > 0.7 * half and min(even, odd) == 0:
        return "utf-16-be" if even > odd else "utf-16-le"
    return None


def is_utf8(data: bytes) -> bool:
    """Whether bytes are text in UTF-8, or in an encoding that they name by a mark."""
    if data.isascii() or b"\0" in data[:SAMPLE_BYTES] or data.startswith(tuple(m for m, _ in BOMS)):
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3  # a letter that is cut off
    return True


def guess_encoding(data: bytes) -> str | None:
    """The encoding of a text that is not UTF-8, by its letters; None where they do not tell."""
    if (latin := guess_latin(data)) is not None:
        return latin
    from charset_normalizer import from_bytes

    lines = [line for line in re.split(rb"[\r\n]+", data) if not line.isascii()]
    found = from_bytes(b"\n".join(lines)[:SAMPLE_BYTES], cp_isolation=GUESSED).best()
    if found is None:
        return None
    encoding, text = str(found.encoding), str(found)
    if encoding == "euc_kr" and HAN.search(text) and is_encoded(data, "gb18030"):
        return "gb18030"  # names in Korean letters have no Chinese ones among them
    return None if CONTROLS.search(text) else encoding


def is_encoded(data: bytes, encoding: str) -> bool:
    """Whether bytes can be read in an encoding."""
    try:
        data.decode(find_encoding(encoding))
    except ValueError:
        return False
    return True


def guess_latin(data: bytes) -> str | None:
    """The encoding in which most words are of a language in Latin letters; None if there is none.

    Short tables of names tell an encoding by single letters: `Kovaèiæ` is no word of a Western
    language, `Kovačić` is one of Croatian. What fits Western and Central Europe alike is decided
    by all words, also those in ASCII.
    """
    found = dict.fromkeys(WORD.findall(data[-SAMPLE_BYTES:]))
    words = [word for word in found if not word.isascii()][:WORDS_LOOKED_AT]
    fitting = {encoding: sum(is_word(word, encoding) for word in words) for encoding in LANGUAGES}
    most = max(fitting.values())
    if most < LEAST_FITTING * len(words):
        return None
    best = [encoding for encoding, count in fitting.items() if count == most]
    if best[0] == "cp1252" and "cp1250" in best:
        plain = [word.decode("ascii") for word in found if word.isascii() and len(word) > 2]
        if sum(SLAVIC.search(word) is not None for word in plain) > MOST_MARKED * len(plain):
            return "cp1250"
    return best[0]


def is_word(word: bytes, encoding: str) -> bool:
    """Whether bytes are a word of one of the languages of an encoding."""
    try:
        text = word.decode(encoding)
    except UnicodeDecodeError:
        return False
    if not SIGNS_ALONE.isdisjoint(text) and SIGNS_ALONE.issuperset(text):
        return encoding not in {"cp850", "mac_roman"} or not SIGNS.count(text)
    text = text.strip(SIGNS)
    languages = LANGUAGES[encoding]
    lower = text.lower().replace("i\u0307", "i")  # of the Turkish capital
    letters = {letter for letter in lower if not letter.isascii()} - {"\u2019"}
    if not any(letters <= {*each} for each in languages):
        return False
    if any(
        letter.isupper() and not letter.isascii() and before.isalpha()
        and (before.islower() or after.islower())
        for before, letter, after in zip(text, text[1:], f"{text[2:]} ", strict=False)
    ):  # fmt: skip
        return False
    places = FOREIGN_PLACES.get(languages)
    return places is None or not places.search(lower)


def refuse_binary(name: str, data: bytes, lines_before: int = 0) -> None:
    """Refuse what is no text: NUL bytes, or UTF-16."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and not lines_before:
        raise BadData.of("is_utf_16", file=name)
    at = data.find(b"\0")
    if at >= 0:
        raise BadData.of("not_text", file=name, line=lines_before + data.count(b"\n", 0, at) + 1)


# The dialect of a text with delimiters: delimiter, quotes, lines before the headings.


DELIMITERS = ",;\t|"
RARE = "^~:"  # taken only where almost every line has equally many
SAMPLE_LINES = 50  # that show the delimiter
# as Excel writes it
SAID_DELIMITER = re.compile('[\ufeff]?"?sep=(.)"?[ \\t]*(?=[\r\n]|$)', re.IGNORECASE)
LINE_ENDS = re.compile(r"\r\n|\n|\r")
CSV_ERRORS = {"expected after": "stray", "unexpected end": "unclosed", "field larger": "huge"}


class Dialect(NamedTuple):
    """What stands between the values of a text."""

    delimiter: str
    above: int = 0  # lines above the table that say only that


def find_dialect(content: str, delimiter: str | None) -> Dialect:
    """The delimiter: as the caller or the first line says, else the most even of the usual ones."""
    if said := SAID_DELIMITER.match(content):
        return Dialect(delimiter or said[1], 1)
    if delimiter:
        return Dialect(delimiter)
    lines = sample_lines(content)
    counts = {each: [line.count(each) for line in lines] for each in DELIMITERS}
    first = max(DELIMITERS, key=lambda each: counts[each][:1])
    if lines and counts[first][0] and len(set(counts[first])) == 1:
        return Dialect(first)
    counts.update((each, [line.count(each) for line in lines]) for each in RARE)

    def evenness(each: str) -> tuple[float, int]:
        usual, often = Counter(counts[each]).most_common(1)[0] if lines else (0, 0)
        usual_of_all = usual and often / len(lines)
        return (usual_of_all, usual) if each in DELIMITERS or usual_of_all > 0.8 else (0.0, 0)

    best = max((*DELIMITERS, *RARE), key=evenness)
    return Dialect(best if evenness(best) > (0.0, 0) else first)


def is_usual(content: str, delimiter: str) -> bool:
    """Whether most of the first lines hold the delimiter, as those below a title do."""
    lines = sample_lines(content)
    return delimiter in DELIMITERS and 2 * sum(delimiter in line for line in lines) > len(lines)


def sample_lines(content: str) -> list[str]:
    """The first lines that are not blank, without what stands in quotes."""
    start = content[: 1 << 14].lstrip("\r\n")
    quoted = '"' in start
    outside = "".join(start.split('"')[::2]) if quoted else start
    blank = " " if quoted else None  # of values that all are quoted only the tabs are left
    lines = [line for line in LINE_ENDS.split(outside) if line.strip(blank)]
    return (
        lines[:SAMPLE_LINES]
        if len(lines) > SAMPLE_LINES or len(content) <= 1 << 14
        else lines[:-1] or lines
    )


def numbered_rows(content: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a text, also empty ones, each with the line in which it begins."""
    reader, line = csv_rows(content, delimiter), 1
    for cells in reader:
        yield line, cells
        line = reader.line_num + 1


def read_headings(name: str, content: str, delimiter: str) -> tuple[list[str], int, int]:
    """The cells of the first row, the line it stands in, and the lines read."""
    reader = csv_rows(content, delimiter)
    line = 1
    try:
        row: list[str] = []
        while not row:
            line = reader.line_num + 1
            row = next(reader)
    except StopIteration:
        raise BadData.of("empty_file.headings", file=name) from None
    except csv.Error:
        raise csv_error(name, content, delimiter) from None
    return row, line, reader.line_num


def csv_rows(content: str, delimiter: str) -> Any:
    """Python's own reader of CSV, as strict as it can be."""
    try:
        if delimiter in '"\r\n':
            raise ValueError
        return csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    except (TypeError, ValueError):
        raise BadData.of("bad_delimiter", delimiter=delimiter) from None


def csv_error(name: str, content: str, delimiter: str) -> BadData:
    """The error of Python's CSV reader as BadData, with the line in which the row begins."""
    reader, line, message = csv_rows(content, delimiter), 1, ""
    try:
        for _ in reader:
            line = reader.line_num + 1
    except csv.Error as error:
        message = str(error)
    known = next((f".{ours}" for theirs, ours in CSV_ERRORS.items() if theirs in message), "")
    return BadData.of(f"broken_quotes{known}", file=name, line=line, what=message)
