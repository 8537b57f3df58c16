"""Makes the spreadsheets of `tests/door/tables` from their true games: `python make_sheets.py`."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import xlsxwriter
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

TABLES = Path(__file__).parent / "tables"
MADE = datetime(2024, 11, 1, 12, 0, tzinfo=UTC)  # the same files on every day

Game = dict[str, Any]
Row = list[Any]


class Formula(NamedTuple):
    """A formula and the value that the spreadsheet saved for it."""

    text: str
    value: Any


class Sheet(NamedTuple):
    """The cells of a sheet; `merged` are ranges, `hidden` are columns."""

    name: str
    rows: list[Row]
    merged: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def load_games(name: str) -> list[Game]:
    """The true games of a table, with dates and points as values."""
    truth = json.loads((TABLES / f"{name}.truth.json").read_text(encoding="utf-8"))
    for game in truth["games"]:
        game["day"] = datetime.fromisoformat(game["date"]) if "date" in game else None
        game["pa"], game["pb"] = game.get("points", (game["score"], 1 - game["score"]))
    return truth["games"]  # type: ignore[no-any-return]


def write_xlsx(path: Path, sheets: list[Sheet]) -> None:
    """Write sheets with real dates, times, truths and formulas."""
    book = xlsxwriter.Workbook(str(path), {"in_memory": True})
    book.set_properties({"created": MADE})
    forms = {
        datetime: book.add_format({"num_format": "dd.mm.yyyy hh:mm"}),
        date: book.add_format({"num_format": "dd.mm.yyyy"}),
        time: book.add_format({"num_format": "hh:mm"}),
    }
    for name, rows, merged, hidden in sheets:
        page = book.add_worksheet(name)
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                if isinstance(cell, Formula):
                    page.write_formula(at, column, cell.text, None, cell.value)
                elif isinstance(cell, str):
                    page.write_string(at, column, cell)
                elif cell is not None:
                    page.write(at, column, cell, forms.get(type(cell)))
        for cells in merged:
            first = cells.split(":")[0]
            value = rows[int(first[1:]) - 1][ord(first[0]) - ord("A")]
            form = forms.get(type(value))
            page.merge_range(cells, value, form)
        for letter in hidden:
            page.set_column(f"{letter}:{letter}", None, None, {"hidden": True})
    book.close()


def write_ods(path: Path, sheets: list[Sheet]) -> None:
    """Write sheets with real dates as an OpenDocument file, its parts with one fixed time."""
    book = OpenDocumentSpreadsheet()
    for name, rows, *_ in sheets:
        page = Table(name=name)
        for row in rows:
            line = TableRow()
            for cell in row:
                line.addElement(_ods_cell(cell))
            page.addElement(line)
        book.spreadsheet.addElement(page)
    book.meta.childNodes.clear()
    written = io.BytesIO()
    book.write(written)
    with zipfile.ZipFile(written) as packed, zipfile.ZipFile(path, "w") as again:
        for part in packed.namelist():
            entry = zipfile.ZipInfo(part, MADE.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_STORED if part == "mimetype" else zipfile.ZIP_DEFLATED
            again.writestr(entry, packed.read(part))


def _ods_cell(cell: Any) -> Any:
    if cell is None:
        return TableCell()
    if isinstance(cell, datetime):
        return TableCell(valuetype="date", datevalue=cell.isoformat())
    if isinstance(cell, date):
        return TableCell(valuetype="date", datevalue=cell.isoformat())
    if isinstance(cell, int | float):
        return TableCell(valuetype="float", value=cell)
    text = TableCell(valuetype="string")
    text.addElement(P(text=cell))
    return text


# -- layouts --


def with_title(games: list[Game]) -> list[Sheet]:
    """A title over merged cells, an empty first column, a footer with a total."""
    rows: list[Row] = [
        [None, "Tischtennis-Vereinsmeisterschaft 2024"],
        [None, "Gruppe A, alle Spiele auf drei Gewinnsätze"],
        [],
        [None, "Datum", "Spieler 1", "Spieler 2", "Sätze", None],
        [None, None, None, None, "Sp. 1", "Sp. 2"],
    ]
    rows += [[None, g["day"].date(), g["a"], g["b"], g["pa"], g["pb"]] for g in games]
    sums = [sum(g["pa"] for g in games), sum(g["pb"] for g in games)]
    rows += [[], [None, "Summe", None, None, *sums], [None, "Stand: 30.6.2024"]]
    return [Sheet("Gruppe A", rows, ("B1:F1", "E4:F4"))]


def with_sheets(games: list[Game]) -> list[Sheet]:
    """Notes and a league table stand on other sheets than the results."""
    rows: list[Row] = [["Datum", "Heim", "Gast", "Tore Heim", "Tore Gast"]]
    rows += [[g["day"].date(), g["a"], g["b"], g["pa"], g["pb"]] for g in games]
    clubs = sorted({g["a"] for g in games})
    table: list[Row] = [["Platz", "Verein", "Spiele", "Punkte"]]
    table += [[at + 1, club, 6, 18 - 2 * at] for at, club in enumerate(clubs)]
    notes: list[Row] = [["Kreisklasse B"], ["Ansprechpartner: Staffelleitung"], []]
    return [Sheet("Info", notes), Sheet("Ergebnisse", rows), Sheet("Tabelle", table)]


def by_season(games: list[Game]) -> list[Sheet]:
    """One sheet a season; the truth is the season 2023."""
    head: Row = ["Date", "White", "Black", "Result"]
    words = {1: "1-0", 0.5: "½-½", 0: "0-1"}
    rows = [[g["day"].date(), g["a"], g["b"], words[g["score"]]] for g in games]
    later = [[g["day"].date().replace(year=2024), g["b"], g["a"], "1-0"] for g in games[:8]]
    return [Sheet("2023", [head, *rows]), Sheet("2024", [head, *later])]


def with_formulas(games: list[Game]) -> list[Sheet]:
    """The winner is a formula; a running number too."""
    rows: list[Row] = [["No", "Date", "Player A", "Score A", "Player B", "Score B", "Winner"]]
    for at, g in enumerate(games, 2):
        winner = {1: g["a"], 0: g["b"], 0.5: "draw"}[g["score"]]
        text = f'=IF(D{at}>F{at},C{at},IF(D{at}<F{at},E{at},"draw"))'
        rows.append([
            Formula("=ROW()-1", at - 1), g["day"].date(), g["a"], g["pa"], g["b"], g["pb"],
            Formula(text, winner),
        ])  # fmt: skip
    return [Sheet("Games", rows)]


def as_texts(games: list[Game]) -> list[Sheet]:
    """Numbers and dates are texts; a hidden column holds an older entry of the score."""
    rows: list[Row] = [["Date", "Home", "Away", "Old score", "Home goals", "Away goals"]]
    rows += [
        [f"{g['day']:%d/%m/%Y}", g["a"], g["b"], "0-0", f"{g['pa']}", f" {g['pb']}"] for g in games
    ]
    return [Sheet("Sheet1", rows, hidden=("D",))]


def as_times(games: list[Game]) -> list[Sheet]:
    """The spreadsheet took results such as 3:1 for times of day."""
    rows: list[Row] = [["Datum", "Spieler A", "Spieler B", "Ergebnis"]]
    rows += [[g["day"].date(), g["a"], g["b"], time(g["pa"], g["pb"])] for g in games]
    return [Sheet("Tabelle1", rows)]


def with_halves(games: list[Game]) -> list[Sheet]:
    """Scores 1, 0.5 and 0 are numbers; round and board stand before the players."""
    rows: list[Row] = [["Vereinsmeisterschaft"], ["Runde", "Brett", "Weiß", "Schwarz", "Ergebnis"]]
    rows += [[g["round"], at % 3 + 1, g["a"], g["b"], g["score"]] for at, g in enumerate(games)]
    return [Sheet("Paarungen", rows)]


def with_merged_dates(games: list[Game]) -> list[Sheet]:
    """The date of an evening is one merged cell beside its games."""
    rows: list[Row] = [["Abend", "Spieler 1", "Spieler 2", "Legs 1", "Legs 2"]]
    merged = []
    for day, group in groupby(games, key=lambda g: g["day"].date()):
        evening = [[None, g["a"], g["b"], g["pa"], g["pb"]] for g in group]
        evening[0][0] = day
        if len(evening) > 1:
            merged.append(f"A{len(rows) + 1}:A{len(rows) + len(evening)}")
        rows += evening
    return [Sheet("Liga", rows, tuple(merged))]


def with_standings_beside(games: list[Game]) -> list[Sheet]:
    """A league table stands to the right of the results, after an empty column."""
    head = ["Date", "Home", "Away", "HG", "AG", None, "Pos", "Club", "Pld", "Pts"]
    rows: list[Row] = [["Results", *[None] * 5, "Table"], head]
    clubs = sorted({g["a"] for g in games})
    for at, g in enumerate(games):
        row: Row = [g["day"].date(), g["a"], g["b"], g["pa"], g["pb"], None]
        if at < len(clubs):
            row += [at + 1, clubs[at], 6, 15 - 3 * at]
        rows.append(row)
    return [Sheet("Season", rows)]


def with_errors(games: list[Game]) -> list[Sheet]:
    """Games to come hold #N/A; the kick-off is a real time of day beside the day."""
    rows: list[Row] = [["Fecha", "Hora", "Local", "Visitante", "Goles L", "Goles V"]]
    rows += [[g["day"].date(), g["day"].time(), g["a"], g["b"], g["pa"], g["pb"]] for g in games]
    for pair in (("Lugo", "Soria"), ("Ávila", "Teruel")):
        missing = Formula("=NA()", "#N/A")
        rows.append([date(2024, 12, 14), time(17, 0), *pair, missing, missing])
    return [Sheet("Partidos", rows)]


def with_truths(games: list[Game]) -> list[Sheet]:
    """Whether the first player won is TRUE or FALSE."""
    rows: list[Row] = [["Played on", "Player", "Opponent", "Won?"]]
    rows += [[g["day"], g["a"], g["b"], g["score"] == 1] for g in games]
    return [Sheet("Log", rows)]


def with_blocks(games: list[Game]) -> list[Sheet]:
    """Each round is a block below its own title, the headings said again."""
    rows: list[Row] = []
    for label, group in groupby(games, key=lambda g: g["round"]):
        rows += [[f"Ronde {label}"], ["Wit", "Zwart", "Uitslag"]]
        rows += [[g["a"], g["b"], {1: "1-0", 0.5: "½-½", 0: "0-1"}[g["score"]]] for g in group]
        rows.append([])
    return [Sheet("Blad1", rows)]


def as_matrix(games: list[Game]) -> list[Sheet]:
    """A matrix of results: home teams down, away teams across, an empty diagonal."""
    clubs = sorted({g["a"] for g in games})
    found = {(g["a"], g["b"]): f"{g['pa']}-{g['pb']}" for g in games}
    rows: list[Row] = [["Home \\ Away", *clubs]]
    rows += [[home, *(found.get((home, away)) for away in clubs)] for home in clubs]
    return [Sheet("Matrix", rows)]


def plain(*head: str) -> Callable[[list[Game]], list[Sheet]]:
    """Date, players and points below these headings."""

    def lay_out(games: list[Game]) -> list[Sheet]:
        rows: list[Row] = [list(head)]
        rows += [[g["day"].date(), g["a"], g["b"], g["pa"], g["pb"]] for g in games]
        return [Sheet("1", rows)]

    return lay_out


LAYOUTS: dict[str, Callable[[list[Game]], list[Sheet]]] = {
    "xlsx_title_and_total.xlsx": with_title,
    "xlsx_results_among_sheets.xlsx": with_sheets,
    "xlsx_sheet_named.xlsx": with_sheets,
    "xlsx_sheet_a_season.xlsx": by_season,
    "xlsx_formulas.xlsx": with_formulas,
    "xlsx_texts_hidden_column.xlsx": as_texts,
    "xlsx_results_as_times.xlsx": as_times,
    "xlsx_halves.xlsx": with_halves,
    "xlsx_merged_dates.xlsx": with_merged_dates,
    "xlsx_standings_beside.xlsx": with_standings_beside,
    "xlsx_missing_values.xlsx": with_errors,
    "xlsx_truths.xlsx": with_truths,
    "xlsx_blocks_by_round.xlsx": with_blocks,
    "xlsx_matrix.xlsx": as_matrix,
    "xlsx_portuguese.xlsx": plain("Data", "Casa", "Fora", "GC", "GF"),
    "ods_title_and_total.ods": with_title,
    "ods_halves.ods": with_halves,
    "ods_polish.ods": plain("Data", "Gospodarze", "Goście", "Bramki gosp.", "Bramki gości"),
    "ods_merged_dates.ods": with_merged_dates,
}


def make_all() -> Iterator[Path]:
    """Write every spreadsheet."""
    for file, lay_out in LAYOUTS.items():
        path = TABLES / file
        write = write_ods if path.suffix == ".ods" else write_xlsx
        write(path, lay_out(load_games(path.stem)))
        yield path


if __name__ == "__main__":
    for _ in make_all():
        pass
