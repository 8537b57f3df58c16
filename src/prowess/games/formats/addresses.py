"""Files at an address: fetched within limits of size and time, a Google Sheet as its export."""

from __future__ import annotations

import io
import re
from time import monotonic
from typing import Any
from urllib.parse import parse_qs, urlsplit

from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import BUFFER
from prowess.games.formats.sources import find_format
from prowess.games.limits import DOWNLOAD, MB, PATIENCE, WHOLE_DOWNLOAD

SHEET = re.compile(r"https://docs\.google\.com/spreadsheets/d/((?:e/)?[\w-]+)")
TYPES = {  # of content, and the suffix of such a file
    "text/csv": ".csv", "text/tab-separated-values": ".tsv", "application/json": ".json",
    "application/x-ndjson": ".jsonl", "application/x-chess-pgn": ".pgn", "text/html": ".html",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.apache.parquet": ".parquet", "application/zip": ".zip",
}  # fmt: skip


def export_address(address: str) -> str:
    """The address under which a file can be fetched: of a Google Sheet, that of its CSV export.

    >>> export_address("https://docs.google.com/spreadsheets/d/abc/edit#gid=7")
    'https://docs.google.com/spreadsheets/d/abc/export?format=csv&gid=7'
    """
    found = SHEET.match(address)
    if not found or "/export" in address or "output=csv" in address:
        return address
    parts = urlsplit(address)
    gid = parse_qs(parts.fragment).get("gid") or parse_qs(parts.query).get("gid") or ["0"]
    if found[1].startswith("e/"):
        return f"{found[0]}/pub?output=csv&gid={gid[0]}"
    return f"{found[0]}/export?format=csv&gid={gid[0]}"


def fetch(address: str) -> io.BytesIO:
    """The file at an address, with a name that tells its format; raises BadData."""
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    target = export_address(address)
    try:
        request = Request(target, headers={"User-Agent": "prowess"})
        with urlopen(request, timeout=PATIENCE) as answer:
            kind = answer.headers.get_content_type()
            if target != address and kind == "text/html":
                raise BadData(
                    "the sheet is not public", file=address,
                    remedy="share it with everyone who has the link", code="sheet_not_public",
                )  # fmt: skip
            content = _read_content(answer, address)
    except BadData:
        raise
    except (URLError, OSError, ValueError) as error:
        if isinstance(error, HTTPError):
            error.close()
        reason = getattr(error, "reason", None) or error
        raise BadData(
            f"cannot fetch it ({reason})",
            file=address,
            remedy="look at the address, try again",
            code="not_fetched",
        ) from None
    name = address if find_format(urlsplit(address).path) else address + TYPES.get(kind, "")
    if target != address:
        name = address + ".csv"
    file = io.BytesIO(content)
    file.name = name
    return file


def _read_content(answer: Any, address: str) -> bytes:
    parts, size, began = [], 0, monotonic()
    while part := answer.read(BUFFER):
        size += len(part)
        if size > DOWNLOAD:
            what = f"it is larger than {DOWNLOAD // MB} MB"
        elif monotonic() - began > WHOLE_DOWNLOAD:
            what = f"it takes more than {WHOLE_DOWNLOAD:.0f} seconds"
        else:
            parts.append(part)
            continue
        raise BadData(
            what, file=address, remedy="download it, and name the file", code="download_first"
        )
    if getattr(answer, "length", None):  # what is still to come, by its heading
        raise BadData(
            "the answer is cut off",
            file=address,
            remedy="fetch it again",
            code="download_incomplete",
        )
    return b"".join(parts)
