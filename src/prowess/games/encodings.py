"""Bytes as text: the encodings in which people keep tables."""

from __future__ import annotations

import re

from prowess.games.errors import BadData, quote

MARKS = (  # at the beginning of a text, the longer before the shorter
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
GUESSED = ["cp1252", "cp1250", "cp1251", "mac_roman", "cp850", "cp437", "cp1253", "cp1254",
           "shift_jis", "gb18030", "euc_kr", "big5"]  # fmt: skip
SAMPLE = 1 << 16  # bytes that show the encoding
QUOTES = (
    "\u2013\u2014\u2018\u2019\u201c\u201d\u00ab\u00bb\u00b7\u00aa\u00ba"  # and dashes, ordinals
)
ODD = re.compile(  # for a language of Western Europe, such as i¹tek, aÀ and Èâàí
    rf"[^\W\d_][^\w\s\x00-\x7f{QUOTES}]|[a-z][À-ÖØ-ÞŒŠŽŸ]|[À-ÖØ-öø-ÿŒœŠšŽžŸ]{{3}}|[a-z][¹²³]"
)
CONTROLS = re.compile("[\x80-\x9f]")


def decode_text(name: str, data: bytes, encoding: str | None) -> str:
    """Bytes as text; raises BadData. Bytes that are not UTF-8 stay in it, marked as such."""
    if encoding is not None:
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except LookupError:
            raise BadData(
                f"unknown encoding {quote(encoding)}", remedy="for example utf-8 or latin-1"
            ) from None
        except (UnicodeDecodeError, UnicodeError) as error:
            start = getattr(error, "start", 0)
            raise BadData(
                f"the file is not {encoding}",
                file=name,
                line=data.count(b"\n", 0, start) + 1,
                remedy="name another encoding",
            ) from None
    if marked := next((each for each in MARKS if data.startswith(each[0])), None):
        return decode_text(name, data, marked[1])
    if b"\0" in data:
        if (wide := _guess_wide(data)) is not None:
            return decode_text(name, data, wide)
        refuse_binary(name, data)
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def decode_guessed(name: str, data: bytes, encoding: str | None) -> tuple[str, tuple[str, ...]]:
    """Bytes as text in the encoding that is named or looks right, and a note that says so."""
    if encoding is None and not is_utf8(data):
        encoding = guess_encoding(data)
        note = f"the file is not UTF-8 and is read as {encoding} (--encoding)"
        return decode_text(name, data, encoding), (note,) if encoding else ()
    return decode_text(name, data, encoding), ()


def _guess_wide(data: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of a text in Latin letters is 0."""
    head = data[:SAMPLE]
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if len(data) % 2 == 0 and max(even, odd) > 0.7 * half and min(even, odd) == 0:
        return "utf-16-be" if even > odd else "utf-16-le"
    return None


def is_utf8(data: bytes) -> bool:
    """Whether bytes are text in UTF-8, or in an encoding that they name by a mark."""
    if data.isascii() or b"\0" in data[:SAMPLE] or data.startswith(tuple(m for m, _ in MARKS)):
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3  # a letter that is cut off
    return True


def guess_encoding(data: bytes) -> str | None:
    """The encoding of a text that is not UTF-8, by its letters; None where they do not tell."""
    if is_western(data):
        return "cp1252"
    from charset_normalizer import from_bytes

    lines = [line for line in re.split(rb"[\r\n]+", data) if not line.isascii()]
    found = from_bytes(b"\n".join(lines)[:SAMPLE], cp_isolation=GUESSED).best()
    if found is None:
        return None
    encoding = str(found.encoding)
    return None if CONTROLS.search(str(found)) else encoding


def is_western(data: bytes) -> bool:
    """Whether a text is of a language of Western Europe in the encoding of Windows.

    In other encodings bytes of letters are signs within words there, capitals behind small
    letters, or rows of accented letters.
    """
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return False
    return not ODD.search(text)


def refuse_binary(name: str, data: bytes, lines_before: int = 0) -> None:
    """Refuse what is no text: NUL bytes, or UTF-16."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and not lines_before:
        raise BadData("the file is UTF-16", file=name, remedy='give encoding="utf-16" (--encoding)')
    at = data.find(b"\0")
    if at >= 0:
        raise BadData(
            "the file is not text: it has a NUL byte",
            file=name,
            line=lines_before + data.count(b"\n", 0, at) + 1,
            remedy="save it as text in UTF-8",
        )
