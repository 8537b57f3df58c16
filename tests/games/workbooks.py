"""Small workbooks of every kind, with parts that can be spoilt."""

from __future__ import annotations

import base64
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import Any

ROWS: list[list[Any]] = [
    ["home", "away", "result"],
    ["Ann", "Bob", "1-0"],
    ["Bob", "Cid", "0-1"],
    ["Cid", "Ann", "1-0"],
]
SHEET = "xl/worksheets/sheet1.xml"
ROOT = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/officeDocument" Target="{}"/></Relationships>'
)
XLSX = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    'content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    "_rels/.rels": ROOT.format("xl/workbook.xml"),
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/'
    'main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
    '<sheet name="S &amp; T" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/'
    'package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
# written by xlwt: ROWS with numbers for results, a column more, and #N/A in C5; an empty sheet
XLS = zlib.decompress(
    base64.b64decode(
        "eNrtWE1oE0EU/mZ/0rSkaVpToRVKKFi19iJe9NDGVrQXLVUPigiamAVDY1LWiNaDVmuOguBJ8VLoxUvViz+ooDdB"
        "oaIHQRBae+xFQcFDm/XN29m00QgN1mJlvzBv3rx58+3bmTezm30z1Tg9fr91Bj+hBzqKTi0CS2yCSq3XiID6HUeq"
        "Xh2k4vhYU6gN0kIGTDypf10j11Cu9ww03DNekAQ+UTmGYQzkslZsFdHHMSSEjKFbGJR7Gm5TCaOF42pieZLlOpZ3"
        "2fcpy11sucaym3ynxVFMxQc6d6g8PqK1c1+YpMBDHvOBLdvQjJcyjy9dF66viV47ncj8mx1tRggToJXrt7KWnchM"
        "I0pLOIFvTgz46u3V5zHfvrp2AbJ/L7fXVLDf0AxgFM4JIROxQAn5WXe34aHhtJWxCgjhIp/BBvZZlj2PnWSBXHGy"
        "4FTutEVV4lxihJxs68zZTN4ErPN5O0E8vdksyb5ckuTudKpOnt+83yNl+72ed0GIZAoNrDfyXojQiT5/58vb/cnB"
        "+HG2jPIZ7z4JNsrQ4eCyHEGDw9xjwg0W6OQRW1leYdYNrLeyjJIn1R2DzUrZO8Y+V7m3g66znfEuvmmJvpn0wtyB"
        "R22F2fgW0if7Zy5EJ9/Hx9FOT6YUjZe/MXSJLnHrpsTjuFcLdWZ8ZNnyy/kR1CIqdkc97hqwgDpWG1m6LTk7otTS"
        "1Fy5LZ1auuISFbgEcxnKXzCXnLFnFJtgrgB7zOmSS7JoFVg09jEVi7teAcWiMcsr9gjDY9ErsOjsE1AsOrMYikUv"
        "3Zfr4bIYrJWzGGV3ZJRiMbUgtSRLp+jRmvBAktG5vIiVy0b8NhsXsdaykecMlebMhw8fPnz48OHjzyD4HRbqDdF9"
        "fw+oPxjyu84ClaL/meS/xUHk6Jenv6V7kKXaxkhV+bMepvC4xDLHeN8LJQ7T1W0MIclxDFWdv/QWLZbez7IHRlZu"
        "C1V7/WI1cf7l6/8Ae20FTQ=="
    )
)

# written by xlwt: dates of which the first stands in a merged cell, scores that became times of the
# formats h:mm and [h]:mm (3:1, 24:0 and 0:2)
XLS_TIMES = zlib.decompress(
    base64.b64decode(
        "eNrtWF1IVEEU/ubeu7q7+bPqamggImRl+hC9RGBXzfJJsYL+o9Z2QVF3YzPCHsoyH4Wgp6IXwYJerF76oQgtiB4C"
        "ox6CINCip56Cgh7U2znnzsq6GbhQQna/u3Nmzpk5Z87MnJk7e19PFU2P3quYQQZ2wMS8E0BOmkxRCqSYEKjecbiY"
        "yv2UHA//FAJ+WsgcHx7nv8rlNeT1noGBu9YkUeAjpaM4hfZEPFa1gmgWHyKKfWggqnCDJAUoF6+KhZ4UWiL0jrR8"
        "IrRRJCNCG6jttDqMKbu9dpuO4oNGtdQVgO0+EJ33ItmCUrzkKL5wRbltfWhKdkd6V31FpZWHMVAItMbisSTzhbiJ"
        "IHCIUN/WVt/SUmmtwS0OkCNdx7b39U0jTMwYvjtVwLfUsTBR5clXVq5A8h+L5bm/kftpTZeSBygtJQ/SgmfKrxoW"
        "MAjnhOzKYdIdsdxQ2jeLbRwyHEYgWTTSH6OsK9HHWeRsZICCJxk7faa33wSa4nGizYlOoju7o6znHkahRYdRvmzS"
        "PKJRFEq5SLZqiAYze/vrm7bODvu4SAblBeS+ptazk3BwkTVIuUBqrAVaKxqbhV4Sq+ukXCE0TLuC8pqOUl3YPSRt"
        "LkttDfWzVfDW3pBW3kjl4S97HlYOf7I3UXm8deZcePydPYpqmqQo6fMzhDpVp65fYzyyU7nSR9oHoeW/HG9+I6R9"
        "d/S7uBBzMteg+WC4HM+OWuAMPVcuZxJnalsqw9Z5IyiyYjx7bkh7JbYsra3Elo+t0FwqslOC3sky+k3YbM/IsPeU"
        "xu8e1K6+u26+BY6t8epyvwZZCwvHlswlPDPF0gvtmSm2crQtU2xZ2jNTPFsrru23P+txGO6VxijGfSk2pl1qgvDg"
        "wYMHDx48ePivoOSaCH3tglzRcvQVnr/rzFGa9z6TrFrsRYKefvqPtwtxypMYyCp+yuBTKVtqmTqp74WMA9R7Ej3o"
        "FD96so5f+tuk0sezbMXQn9tC2fY/n42ff7n/n3O3/CQ="
    )
)


def pack(parts: dict[str, str | bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of some files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def make_xlsx(
    rows: Sequence[Sequence[Any]] = ROWS,
    more: str = "",
    parts: dict[str, str | bytes] | None = None,
) -> bytes:
    """A workbook of one sheet; `more` is XML behind its rows, `parts` are further files.

    A cell that is bytes is XML: what stands within `<c r="..." `, from its attributes on.
    """
    found = []
    for at, cells in enumerate(rows, 1):
        line = []
        for place, cell in zip("ABCDEFGH", cells, strict=False):
            if isinstance(cell, bytes):
                line.append(f'<c r="{place}{at}" {cell.decode()}</c>')
            elif isinstance(cell, str):
                line.append(f'<c r="{place}{at}" t="inlineStr"><is><t>{cell}</t></is></c>')
            else:
                line.append(f'<c r="{place}{at}"><v>{cell}</v></c>')
        found.append(f'<row r="{at}">{"".join(line)}</row>')
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        f"{''.join(found)}{more}</sheetData></worksheet>"
    )
    return pack({**XLSX, SHEET: sheet, **(parts or {})})


def make_ods(rows: Sequence[Sequence[Any]] = ROWS, more: str = "") -> bytes:
    """As `make_xlsx`; a cell that is bytes is a whole element."""
    lines = []
    for cells in rows:
        line = [
            cell.decode()
            if isinstance(cell, bytes)
            else f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p>'
            "</table:table-cell>"
            for cell in cells
        ]
        lines.append(f"<table:table-row>{''.join(line)}</table:table-row>")
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "table")
    )
    content = (
        f'<office:document-content {spaces} xmlns:calcext="urn:x"><office:body>'
        f'<office:spreadsheet><table:table table:name="S">{"".join(lines)}{more}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    )
    return pack({
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content,
        "META-INF/manifest.xml": manifest,
    })  # fmt: skip


def record(kind: int, content: bytes = b"") -> bytes:
    """A record of xlsb (MS-XLSB 2.1.4)."""
    numbers = b"".join(
        bytes([*(part | 0x80 for part in parts[:-1]), parts[-1]])
        for parts in (_sevens(kind), _sevens(len(content)))
    )
    return numbers + content


def _sevens(number: int) -> list[int]:
    parts = [number & 0x7F]
    while number := number >> 7:
        parts.append(number & 0x7F)
    return parts


def wide(text: str) -> bytes:
    """A text of xlsb."""
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def make_xlsb(rows: Sequence[Sequence[Any]] = ROWS, more: bytes = b"") -> bytes:
    """As `make_xlsx`; a cell that is a whole number is the code of an error."""
    cells = []
    for at, row in enumerate(rows):
        cells.append(record(0, struct.pack("<II9x", at, 0)))
        for column, cell in enumerate(row):
            place = struct.pack("<II", column, 0)
            value = record(3, place + bytes([cell])) if isinstance(cell, int) else None
            cells.append(value or record(6, place + wide(cell)))
    corners = struct.pack("<4I", 0, len(rows) - 1, 0, len(rows[0]) - 1)
    sheet = [record(129), record(148, corners), record(145), *cells, more, record(146), record(130)]
    book = [record(131), record(143), record(156, struct.pack("<II", 0, 1) + wide("rId1")
            + wide("S")), record(144), record(132)]  # fmt: skip
    links = XLSX["xl/_rels/workbook.xml.rels"].replace("sheet1.xml", "sheet1.bin")
    return pack({
        "[Content_Types].xml": XLSX["[Content_Types].xml"], "xl/workbook.bin": b"".join(book),
        "_rels/.rels": ROOT.format("xl/workbook.bin"),
        "xl/_rels/workbook.bin.rels": links, "xl/worksheets/sheet1.bin": b"".join(sheet),
    })  # fmt: skip


MAKERS: dict[str, Callable[[], bytes]] = {
    "a.xlsx": make_xlsx, "a.ods": make_ods, "a.xlsb": make_xlsb, "a.xls": lambda: XLS,
}  # fmt: skip
