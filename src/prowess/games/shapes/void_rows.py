"""Rows that do not count, as a column of theirs says: deleted in an app, cancelled, not valid.

`is_deleted` is true, `deleted_at` has a date, `valid` is no: such rows are left out and counted.
Columns such as `rated` may mean as much; a note asks about them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from prowess.games.columns import Chunk, InputTable
from prowess.games.errors import BadData, NoGame, Suspicion, quote
from prowess.games.roles.evidence import NO_WORDS, ROWS, YES_WORDS
from prowess.games.values import fold_text, is_missing
from prowess.games.vocabulary import read_heading

if TYPE_CHECKING:
    from prowess.games.roles.roles import LayoutFinder

_WORDS = {  # English, German, French, Spanish, Italian, Portuguese, Dutch, Polish
    "void": (
        "deleted removed void voided annulled canceled cancelled invalid invalidated discarded "
        "excluded ignored abandoned geloscht storniert ungultig annulliert abgesagt entfernt "
        "gestrichen supprime supprimee annule annulee invalide efface effacee borrado borrada "
        "eliminado eliminada anulado anulada cancelado cancelada descartado descartada annullato "
        "annullata cancellato cancellata eliminato eliminata apagado apagada excluido excluida "
        "verwijderd geannuleerd ongeldig vervallen usuniety usunieta usunieto anulowany anulowana "
        "anulowano niewazny niewazna"
    ),
    "counted": (
        "valid counted counts gultig zahlt gewertet valide comptabilise comptabilisee valido "
        "valida computable geldig telt wazny wazna liczony"
    ),
    "played": (  # of a game; a race that is not finished is one with DNF
        "played finished completed gespielt beendet joue jouee termine terminee jugado jugada "
        "terminado terminada giocata giocato terminata disputado disputada gespeeld rozegrany"
    ),
    "open": (  # of games that may count or not, where it says yes
        "unrated unranked casual friendly exhibition test practice training provisional disputed "
        "pending hidden live ongoing running laufend archived freundschaftsspiel testspiel amical "
        "amistoso amichevole"
    ),
    "open if not": "rated ranked confirmed approved verified bestatigt",
    "beside": "is was has been game match row entry record result spiel partie partita partido the",
    "when or who": "at on by date time reason utc am um von le par el por da il door op",
}
WORDS = {kind: frozenset(words.split()) for kind, words in _WORDS.items()}
KINDS = {word: kind for kind in ("void", "counted", "played", "open", "open if not")
         for word in WORDS[kind]}  # fmt: skip


def leave_out_void(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table without the rows that do not count, None where no column says so."""
    options = finder.options
    asked = options.named_columns()
    tests: dict[str, Callable[[Any], bool]] = {}
    reasons: dict[str, str] = {}
    notes: list[str] = []
    rows: Mapping[str, Sequence[Any]] | None = None
    for name in table.names:
        words = {*read_heading(name).words}
        told = words & KINDS.keys()
        if len(told) != 1 or name in asked:
            continue
        if not words <= told | WORDS["beside"] | WORDS["when or who"]:
            continue
        rows = table.sample(ROWS) if rows is None else rows
        word, cells = told.pop(), rows[name]
        kind = KINDS[word]
        test = _find_test(word, words, cells)
        if test is None or (kind == "played" and not _is_of_games(finder)):
            continue
        if kind.startswith("open"):
            if {test(cell) for cell in cells} == {True, False}:
                notes.append(_ask(name, cells, test))
        else:
            tests[name] = test
            reasons[name] = "not played" if kind == "played" else "void"
    if not tests:
        return replace(table, notes=(*table.notes, *notes)) if notes else None

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in table.chunks(list(dict.fromkeys([*wanted, *tests]))):
            absent = dict(chunk.absent)
            for name, is_void in tests.items():
                cell = chunk.columns[name].cell
                for row in range(chunk.count):
                    if row not in absent and row not in chunk.refused and is_void(cell(row)):
                        what = f"column {quote(name)} is {quote(cell(row))}"
                        absent[row] = NoGame(what, reasons[name])
            yield replace(chunk, absent=absent)

    return replace(
        table, chunks=chunks, telling=(*table.telling, *tests), notes=(*table.notes, *notes)
    )


def _is_of_games(finder: LayoutFinder) -> bool:
    try:
        return finder.kind() == "games"
    except BadData:
        return False  # said where the table is read


def _find_test(word: str, words: set[str], cells: Sequence[Any]) -> Callable[[Any], bool] | None:
    """What tells of a cell whether its row does not count; None where the cells do not tell it."""
    filled = [fold_text(str(cell)).strip() for cell in cells if not is_missing(cell)]
    negated = KINDS[word] in {"counted", "played", "open if not"}
    if all(text in YES_WORDS | NO_WORDS | {word} for text in filled):
        if negated:
            return lambda cell: not is_missing(cell) and _plain(cell) in NO_WORDS
        return lambda cell: not is_missing(cell) and _plain(cell) in YES_WORDS | {word}
    if KINDS[word] == "void" and (words & WORDS["when or who"] or len(filled) < len(cells)):
        return lambda cell: not is_missing(cell) and _plain(cell) not in NO_WORDS
    return None


def _plain(cell: Any) -> str:
    return fold_text(str(cell)).strip()


def _ask(name: str, cells: Sequence[Any], is_void: Callable[[Any], bool]) -> Suspicion:
    """The note on rows that may not count, though nothing says that they do not."""
    first = next(cell for cell in cells if is_void(cell))
    value = str(first).strip()
    return Suspicion(
        f"rows with {value} in column {quote(name)} count as games: "
        f'exclude={{"{name}": "{value}"}} (--exclude "{name}={value}") leaves them out',
        f"rows with {name} = {value} count",
    )
