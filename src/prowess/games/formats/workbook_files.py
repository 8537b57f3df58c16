"""The files that hold workbooks, checked before a package opens them: what they unpack to, what
they are, and what stands in their cells.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET
from xml.parsers import expat
from zipfile import ZipFile

from prowess.games.errors import BadData
from prowess.games.formats.archives import ZIP_ERRORS, member_pieces
from prowess.games.formats.binary_sheets import (
    RECORD_ERRORS,
    encryption_error,
    scan_xls,
    scan_xlsb,
    xlsb_sheet_keys,
)
from prowess.games.formats.sheet_cells import AS_CSV, SheetCells, check_corners, scan_xml
from prowess.games.limits import MB, MEMBERS, SHEET_UNPACKED, check_ratio

MACROS = "the macros of the workbook are not run"
OTHERS = {
    "word/document.xml": "a Word document", "ppt/presentation.xml": "a PowerPoint presentation",
    "Index/Document.iwa": "a document of Numbers or Pages",
}  # fmt: skip


@dataclass
class WorkbookFile:
    """What is known of a workbook before it is opened."""

    sheets: dict[str, SheetCells] = field(default_factory=dict)  # by name
    notes: tuple[str, ...] = ()


def damage_error(name: str, error: object) -> BadData:
    """The error of a workbook that cannot be read."""
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return BadData(
        f"the workbook is damaged ({reason})",
        file=name,
        remedy=f"save it again, or {AS_CSV}",
        code="damaged_file",
    )


def scan_workbook(name: str, content: bytes) -> WorkbookFile:
    """Check a workbook and find the cells without a value; raises BadData."""
    try:
        if not content.startswith(b"PK"):
            return WorkbookFile(scan_xls(name, content))
        with ZipFile(io.BytesIO(content)) as archive:
            return scan_archive(name, archive, len(content))
    except BadData:
        raise
    except (*RECORD_ERRORS, *ZIP_ERRORS, expat.ExpatError) as error:
        raise damage_error(name, error) from None


def scan_archive(name: str, archive: ZipFile, size: int) -> WorkbookFile:
    """As `scan_workbook`, of xlsx, xlsm, xlsb and ods; `size` is that of the file."""
    members = archive.infolist()
    names = {member.filename for member in members}
    for inner, what in OTHERS.items():
        if inner in names:
            raise BadData(
                f"the file is {what}, not a table",
                file=name,
                remedy="export it as CSV",
                code="not_a_table",
            )
    unpacked = sum(member.file_size for member in members)
    check_ratio(size, unpacked, name)
    if unpacked > SHEET_UNPACKED or len(members) > 20 * MEMBERS:
        raise BadData(
            f"the workbook unpacks to more than {SHEET_UNPACKED // MB} MB",
            file=name,
            remedy=AS_CSV,
            code="unpacks_too_large",
        )
    if any(member.flag_bits & 1 for member in members) or (
        "META-INF/manifest.xml" in names
        and b"encryption-data" in b"".join(member_pieces(archive, "META-INF/manifest.xml"))
    ):
        raise encryption_error(name)
    paths = sheet_paths(archive) if "_rels/.rels" in names else {}
    ends = {path.rpartition("/")[2] for path in paths.values()}
    parts: dict[str, dict[str, SheetCells]] = {}
    cells: list[SheetCells] = []
    for member in members:
        last = member.filename.rpartition("/")[2]
        pieces = member_pieces(archive, member)
        if last.lower().endswith(".bin"):
            found = scan_xlsb(pieces)
        elif last.lower().endswith(".xml") or last in ends:
            found = scan_xml(pieces)
        else:
            found = {}
            for _ in pieces:  # unpacked to see how long it is
                pass
        cells += found.values()
        check_corners(name, cells)
        parts[member.filename] = found
    sheets = dict(parts.get("content.xml") or {})
    sheets |= {title: parts[path][""] for title, path in paths.items() if parts.get(path)}
    macros = any("vbaProject" in each for each in names)
    return WorkbookFile(sheets, (MACROS,) if macros else ())


def sheet_paths(archive: ZipFile) -> dict[str, str]:
    """The files of the sheets of an xlsx or xlsb workbook by name of the sheet."""
    book = next(iter(link_targets(archive, "", "").values()), "")
    folder, _, last = book.rpartition("/")
    if last.endswith(".bin"):
        keys = xlsb_sheet_keys(b"".join(member_pieces(archive, book)))
    else:
        keys = {
            element.get("name", ""): next(
                (each for at, each in element.items() if at.endswith("}id")), ""
            )
            for element in parse_part(archive, book)
            if element.tag.endswith("}sheet")
        }
    targets = link_targets(archive, folder, last)
    return {name: targets[key] for name, key in keys.items()}


def link_targets(archive: ZipFile, folder: str, file: str) -> dict[str, str]:
    """The files to which keys such as rId1 of a file point; of no file, only the book."""
    links = f"{folder}/_rels/{file}.rels".removeprefix("/")
    found = {}
    for element in parse_part(archive, links):
        if folder or element.get("Type", "").endswith("/officeDocument"):
            target = element.get("Target", "")
            found[element.get("Id", "")] = (
                target[1:] if target.startswith("/") else f"{folder}/{target}".removeprefix("/")
            )
    return found


def parse_part(archive: ZipFile, path: str) -> Iterator[Any]:
    """The elements of a small part of a workbook; raises ExpatError and ZIP_ERRORS."""
    try:
        yield from ET.fromstring(b"".join(member_pieces(archive, path))).iter()
    except ET.ParseError as error:
        raise expat.ExpatError(f"{path}: {error}") from None
