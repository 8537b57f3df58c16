"""Limits of what is read, so that no file takes all memory or time: each with its reason.

A file that is larger than a limit is refused, with a remedy; nothing is read in part.
"""

from __future__ import annotations

from prowess.games.errors import BadData

MB = 1 << 20  # bytes
FREE = 256 * MB  # that any packed file may unpack to, whatever it was
RATIO = 200  # beyond that: tables of games shrink to a tenth or a fiftieth, bombs to a thousandth
ARCHIVE = 512 * MB  # of an archive, a sheet or a page, which are held in memory
MEMBER_LIMIT = 1000  # files in an archive, tables in a database or a workbook
SHEET_UNPACKED = 512 * MB  # of a workbook: a million rows of ten cells take half of it
SHEET_CELLS = 10_000_000  # between the corners of the sheets of a workbook: about 2 GB
COLUMN_LIMIT = 5_000  # of a table, each of which is looked at
DOWNLOAD = 256 * MB  # of a file that is fetched from an address
SECONDS_WITHOUT_ANSWER = 30.0  # from there
WHOLE_DOWNLOAD = 300.0  # seconds until the end of it
FILE_LIMIT = 10_000  # of a folder or a pattern


def check_size(what: str, size: int, most: int, file: str, remedy: str) -> None:
    """Refuse what is larger than a limit; raises BadData."""
    if size > most:
        raise BadData.of("too_large", file=file, what=what, limit=most // MB, remedy=remedy)


def check_columns(count: int, file: str) -> None:
    """Refuse a table of more columns than one of games has; raises BadData."""
    if count > COLUMN_LIMIT:
        raise BadData.of("too_many_columns", file=file, limit=COLUMN_LIMIT)


def check_ratio(packed: int, unpacked: int, file: str) -> None:
    """Refuse a file that unpacks to far more than a table does; raises BadData."""
    if unpacked > FREE and unpacked > RATIO * packed:
        raise BadData.of("unpacks_too_large.file", file=file, limit=RATIO)
