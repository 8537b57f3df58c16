"""Rows of a table as games between two sides: their scores, points, margins, dates and members.

What is gathered of them becomes a table of games, all at once or piece by piece.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.games.assembly.byes import (
    TO_BE_NAMED,
    GamesToCome,
    ask_about_nobody,
    award_bye,
    find_nobody,
    find_played,
    find_walkovers,
    finder_of_byes,
    weigh_place,
    with_byes,
)
from prowess.games.assembly.gathered import (
    MOST_VALUES,
    GatheredRows,
    category_notes,
    is_category,
    labelled_columns,
    parse_forecasts,
    pop_forecasts,
    rows_not_utf8,
    settle_forecasts,
)
from prowess.games.assembly.lineups import (
    GrowingLineups,
    Lineup,
    Members,
    Shares,
    read_shares,
    winning_sides,
)
from prowess.games.cells.outcome_words import (
    DRAWN,
    has_no_winner,
    is_moved,
    reason_not_played,
    reason_of_line,
    tells_no_event,
)
from prowess.games.cells.scorelines import note_points_first, parse_retired
from prowess.games.cells.validation import CellParsers, RowError, RowValidation
from prowess.games.columns import (
    CellParser,
    Chunk,
    Growing,
    InputColumn,
    InputTable,
    Mask,
    ParsedColumn,
    PlainNames,
    Values,
    as_name,
    as_text,
    is_ascending,
    names_for,
)
from prowess.games.dates import format_day, is_date_like, is_year
from prowess.games.errors import (
    IN_MEMORY,
    BadData,
    FallBackToSlowReader,
    FavouredSide,
    InvalidValue,
    NoGame,
    Suspicion,
    quote,
)
from prowess.games.games import UNPLAYED, Games
from prowess.games.layout import Layout, StateKind
from prowess.games.names import EMPTY_NAMES, Roster, byes_in
from prowess.games.numbering import GrowingGroups, PlayerNumbers, normalize_names
from prowess.games.reading import NO_DAY, UnplayedGame, format_count
from prowess.games.role_members import RoleColumn, with_role_members
from prowess.games.roles.evidence import YES_WORDS, is_date
from prowess.games.roles.results import STATES_BY_KIND, explains_missing, is_drawn
from prowess.games.team_names import split_notes
from prowess.games.values import fold_text, is_blank, is_missing, plain_form
from prowess.games.vocabulary import pairs_for, words_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Sides = Sequence[Sequence[Lineup]]

# What stands beside the results: states of games, shoot-outs, second results, reasons for none.


def apply_beside(rows: RowValidation, layout: Layout, score: Floats) -> Floats:
    """The scores with what stands beside them; rows that were no games are noted as such.

    A walkover with a winner counts where the caller says so. A second result that contradicts the
    points is refused.
    """
    counted = np.abs(score - 0.5) == 0.5
    counted &= rows.parsers.options.walkovers
    for name, kind in layout.states:
        played = _have_results(rows, layout, score) if kind == "status" else None
        _apply_states(rows, name, kind, counted, played)
    for name in layout.kicks:
        cells = [fold_text(str(rows.columns[name].cell(row))) for row in range(rows.chunk.count)]
        kicks = np.array([cell in YES_WORDS for cell in cells], np.bool_)
        if (kicks & (score != 0.5)).any():
            continue  # kicks during the game
        rows.refuse_where(kicks & (score == 0.5), name, partial(_ask_who_won, name, rows))
    if layout.marks:
        told = rows.parse(layout.marks, "result")
        both = ~np.isnan(told) & ~np.isnan(score)
        rows.refuse_where(
            both & (np.abs(told - score) > 0.0),
            layout.marks,
            lambda row: InvalidValue.of(
                "marks_contradict", mark=rows.columns[str(layout.marks)].cell(row)
            ),
        )
    return score


def _have_results(rows: RowValidation, layout: Layout, score: Floats) -> Mask:
    """The rows with a result, which a 0-0 need not be where games have points."""
    told = ~np.isnan(score)
    names = [name for name in (layout.points_a, layout.points_b) if name] or [layout.result]
    for row in np.flatnonzero(told & (score == 0.5)).tolist():
        texts = [str(rows.columns[name].cell(row)) for name in names if name]
        told[row] = not texts or any(text.strip("0 .,:-–") for text in texts)
    return told


def _apply_states(
    rows: RowValidation, name: str, kind: StateKind, counted: Mask, played: Mask | None
) -> None:
    """Take note of rows that a column of states says were not played, of walkovers but those that
    are `counted`.

    A game that was moved to another day, by a remark, counts where it has been `played`, which is
    said. Of states, a word that is not known is refused, unless the caller keeps rows that have it.
    """
    meaning = STATES_BY_KIND[kind]
    cells = [rows.columns[name].cell(row) for row in range(rows.chunk.count)]
    kept = rows.parsers.layout.where.get(name, frozenset())
    texts = {str(cell).strip() for cell in cells if not is_blank(cell)}
    known = {text: meaning(text) for text in texts}
    finished = sorted(text for text in texts if known[text] == "finished")
    moved = ""
    for row, cell in enumerate(cells):
        text = "" if is_blank(cell) else str(cell).strip()
        state = known.get(text, "finished")
        if played is not None and played[row] and is_moved(text):
            moved = text
            continue
        if state is None and kind == "state" and text not in kept:
            rows.refuse_cells(name, {row: _ask_state(name, text, finished)})
        elif state == "walkover" and counted[row]:
            rows.walkovers.add(row)
        elif state and state != "finished":
            what = f"{quote(cell)}: the game was not played"
            rows.refuse_cells(name, {row: NoGame(what, state)})
    if moved:
        note = f"games {quote(moved)} that have a result were played later and count"
        if note not in rows.parsers.notes:
            rows.parsers.notes.append(note)


def _ask_state(name: str, word: str, finished: Sequence[str]) -> InvalidValue:
    """The question what a word in a column of states says."""
    keep = [*finished, word]
    shown = ",".join(keep)
    return InvalidValue.of(
        "state_ambiguous",
        word=word,
        name=name,
        option=json.dumps(keep, ensure_ascii=False),
        shown=shown,
    )


def _ask_who_won(name: str, rows: RowValidation, row: int) -> InvalidValue:
    cell = str(rows.columns[name].cell(row)).strip()
    return InvalidValue.of("shoot_out_open", name=name, text=cell)


def explain_missing(
    rows: RowValidation,
    layout: Layout,
    values: NDArray[Any],
    wrong: Mapping[int, InvalidValue],
) -> Mapping[int, InvalidValue]:
    """Give drawn games without a winner their score, and take note of what is no game; returns
    what stays wrong with the winners.
    """
    assert layout.reasons
    winner, reasons = rows.columns[layout.result], rows.columns[layout.reasons]
    kept, none = {}, {}
    for row, refusal in wrong.items():
        cell = reasons.cell(row)
        if not has_no_winner(winner.cell(row)) or not explains_missing(cell):
            kept[row] = refusal
        elif is_drawn(cell):
            values[row] = 0.5
        else:
            why = reason_not_played(str(cell)) or "not played"
            none[row] = NoGame(f"{quote(cell)}: the game was not played", why)
    rows.refuse_cells(layout.reasons, none)
    return kept


# Who won, where a column names the winner, and what a column of draws says of it.


MOST_ROWS_TOLD = 200  # that tell whether results are names
NUMBERED = frozenset({"0", "1", "2"})  # may be players, or say which side won


def scores_of_winners(
    rows: RowValidation, layout: Layout, sides: Sequence[Sequence[Lineup]]
) -> Floats:
    """The score of the first side; `sides` are the members of both, where a side has several."""
    winner = rows.columns[layout.result]
    if sides:
        values, wrong = winning_sides(winner, sides[0], sides[1], rows.parsers["winner", ""])
        if wrong and rows.decide("winner", "", layout.result, wrong):
            values, wrong = winning_sides(winner, sides[0], sides[1], rows.parsers["winner", ""])
    else:
        a, b = rows.columns[layout.a], rows.columns[layout.b]
        given = winner, a, b
        values, wrong = winners(*given, rows.parsers["winner", ""], rows.parsers.outcomes)
        odd = wrong or (rows.parsers.closed and rows.parsers.has_new_words("winner", ""))
        if odd and rows.decide("winner", "", layout.result, wrong):
            values, wrong = winners(*given, rows.parsers["winner", ""], rows.parsers.outcomes)
    if rows.parsers.closed and rows.parsers.outcomes.winner_names.overturned:
        raise rows.error_of_change(layout.result, 0)
    if layout.names_loser:
        values = 1.0 - values
    if layout.draw:
        wrong = _settle_draws(rows, layout, values, wrong)
    elif layout.reasons:
        wrong = explain_missing(rows, layout, values, wrong)
    rows.refuse_cells(layout.result, wrong)
    return values


def as_winners(rows: RowValidation, layout: Layout) -> Layout:
    """The layout with a column of results as one of winners, where each cell names one of the
    row's own players or says that the game was drawn.

    Raises BadData where the cells may be names as well as words for the sides.
    """
    outcomes = rows.parsers.outcomes
    if layout.form != "result" or layout.sides or layout.points_a or outcomes.own:
        return layout
    named: dict[int, bool] = {}  # rows whose cell is a name, and whether it may say otherwise
    only_words = True
    columns = [rows.columns[name] for name in (layout.result, layout.a, layout.b)]
    for row in range(min(rows.chunk.count, MOST_ROWS_TOLD)):
        cell, first, second = (as_name(column.cell(row)).casefold() for column in columns)
        if not cell or (cell not in {first, second} and DRAWN.get(plain_form(cell))):
            continue
        if cell not in {first, second}:
            return layout
        word = outcomes.results.get(plain_form(cell))
        word = 2.0 if word is None and cell in NUMBERED else word
        only_words &= word is not None
        named[row] = word is not None and word != float(cell == first)
    if not named:
        return layout
    if only_words:
        if "result" in rows.parsers.options.roles:
            return layout
        row = next((row for row, doubtful in named.items() if doubtful), -1)
        if row >= 0:
            raise rows.bad(
                rows.chunk.line(row),
                RowError(
                    layout.result,
                    InvalidValue.of(
                        "player_or_side", text=columns[0].cell(row), result=layout.result
                    ),
                ),
            )
    return replace(layout, form="winner")


def _settle_draws(
    rows: RowValidation,
    layout: Layout,
    values: Floats,
    wrong: Mapping[int, InvalidValue],
) -> Mapping[int, InvalidValue]:
    """Give drawn games without a winner their score; returns what stays wrong with the winners.

    A row whose winner and whose column of draws contradict one another is refused.
    """
    assert layout.draw
    drawn = rows.parse(layout.draw, "draw")
    winner = rows.columns[layout.result]
    without = [row for row in wrong if drawn[row] == 1.0 and is_missing(winner.cell(row))]
    values[without] = 0.5
    rows.refuse_where(
        ((drawn == 1.0) & (np.abs(values - 0.5) == 0.5)) | ((drawn == 0.0) & (values == 0.5)),
        layout.draw,
        lambda row: InvalidValue.of(
            "draw_contradicts",
            told=rows.columns[str(layout.draw)].cell(row),
            winner=winner.cell(row),
        ),
    )
    return {row: refusal for row, refusal in wrong.items() if row not in set(without)}


def winners(
    winner: InputColumn, a: InputColumn, b: InputColumn, lookup: CellParser, outcomes: Any
) -> ParsedColumn:
    """The score of the first side where a column names the winner, by name or by side; a name
    counts in any case and with any blanks, where that leaves no doubt.
    """
    scores, wrong = _winners_as_written(winner, a, b, lookup, outcomes)
    doubtful = {}
    for row, refusal in wrong.items():
        name, first, second = (as_name(each.cell(row)).casefold() for each in (winner, a, b))
        if (name == first) is (name == second) or plain_form(name) in outcomes.winners:
            doubtful[row] = refusal
        else:
            scores[row] = float(name == first)
    return ParsedColumn(scores, doubtful)


def _winners_as_written(
    winner: InputColumn, a: InputColumn, b: InputColumn, lookup: CellParser, outcomes: Any
) -> ParsedColumn:
    if not isinstance(winner, Values):
        return winner.winners(a, b, lookup, outcomes)  # type: ignore[attr-defined, no-any-return]
    assert isinstance(a, Values)
    assert isinstance(b, Values)
    scores = np.empty(len(winner))
    wrong: dict[int, InvalidValue] = {}
    doubtful: dict[int, InvalidValue] = {}  # names that are words as well
    by_word = 0
    cells = zip(winner.names, winner.values, a.names, b.names, strict=True)
    for row, (name, cell, first, second) in enumerate(cells):
        by_name = None if not name else 1.0 if name == first else 0.0 if name == second else None
        if by_name is None:
            word = cell if isinstance(cell, str | float) and not is_missing(cell) else name or None
            scores[row] = lookup[word]
            by_word += 1
            if scores[row] != scores[row]:
                wrong[row] = lookup.refused[word]
            continue
        scores[row] = by_name
        if outcomes.winners.get(plain_form(name), by_name) != by_name:
            doubtful[row] = InvalidValue.of("name_is_a_word", name=name)
    known = {plain_form(name) for name in winner.names} <= outcomes.winners.keys()
    outcomes.winner_names.note_winners(
        words=bool(by_word), names=not known, doubtful=bool(doubtful)
    )
    if not outcomes.winner_names.prevail:
        wrong |= doubtful
    return ParsedColumn(scores, wrong)


# The numbers of games, with what is wrong noted.


HEAVY = 20.0  # from this weight on, of all rows, it may be one in kilograms
# numbers for a score that is not known
NUMBERS_FOR_UNKNOWN = (-1.0, -9.0, -99.0, -999.0, 999.0, 9999.0)
BARE = re.compile(r"[0-9]+\s?[-–:]\s?[0-9]+")  # nothing says how a level game was decided


def columns_of_games(rows: RowValidation, layout: Layout, sides: Sides) -> dict[str, Floats]:
    """The numbers of the games, with what is wrong noted in `rows`."""
    columns: dict[str, Floats] = {}
    if not sides:
        a, b = rows.columns[layout.a], rows.columns[layout.b]
        for name in (layout.a, layout.b):
            if wrong := rows.columns[name].name_errors():
                rows.refuse(name, wrong)
        if (same := a.equals(b)).any():
            rows.refuse_where(
                same, layout.b, lambda row: InvalidValue.of("self_play", name=as_name(a.cell(row)))
            )
        if rows.faults:
            _excuse_events(rows, layout)
    if layout.points_a and layout.points_b:
        columns |= _points(rows, layout, layout.points_a, layout.points_b)
    columns["score"] = _score(rows, layout, columns, sides)
    if layout.states or layout.kicks or layout.marks:
        columns["score"] = apply_beside(rows, layout, columns["score"])
    if layout.line:
        columns |= _points_of_line(rows, layout, layout.line, columns["score"])
    if layout.time:
        columns["time"] = rows.parse(layout.time, "time")
        if layout.clock and not np.any(np.nan_to_num(columns["time"]) % 1.0):
            columns["time"] = columns["time"] + times_of_day(rows, layout.clock)
    if layout.side:
        columns["side"] = rows.parse(layout.side, "side")
    elif layout.sided:
        columns["side"] = np.ones(rows.chunk.count)
        if layout.neutral:
            columns["side"] -= rows.parse(layout.neutral, "neutral")
    if layout.weight:
        columns["weight"] = rows.parse(layout.weight, "above 0")
        if "weight" not in rows.parsers.options.roles and not layout.counted:
            rows.refuse_where(
                np.full(
                    rows.chunk.count, bool(np.nanmin(columns["weight"], initial=np.inf) >= HEAVY)
                ),
                layout.weight,
                lambda _: InvalidValue.of("weights_of_players", weight=layout.weight),
            )
    if layout.length:
        columns["length"] = rows.parse(layout.length, "above 0")
    if layout.margin or "points_a" in columns:
        columns["margin"] = _margin(rows, layout, columns)
    return columns


def _excuse_events(rows: RowValidation, layout: Layout) -> None:
    """Take rows for no games that have no result, and in place of two players a remark such as
    `Not held`, alone or twice, or nothing.
    """
    a, b = rows.columns[layout.a], rows.columns[layout.b]
    told = [rows.columns[name] for name in
            (layout.result, layout.points_a, layout.points_b, layout.line) if name]  # fmt: skip
    faulty = {fault.row for fault in rows.faults.values()}
    players: set[str] | None = None
    for row in sorted(row for row in faulty if row is not None):
        texts = {as_text(column.cell(row)) for column in (a, b)} - {""}
        if len(texts) > 1 or not all(is_missing(column.cell(row)) for column in told):
            continue
        if players is None:
            whole = (each for each in range(rows.chunk.count) if each not in faulty)
            players = {as_text(column.cell(each)) for each in whole for column in (a, b)}
        text = next(iter(texts), "")
        if not text or (_tells_nothing(text) and text not in players):
            what = f"{quote(text)}: there was no game" if text else "there are no players"
            rows.refuse_cells(layout.a, {row: NoGame(what, "not played")})


CALLED_OFF = words_for("row_void")


def list_unplayed(
    rows: RowValidation, layout: Layout, columns: Mapping[str, NDArray[Any]]
) -> Iterator[UnplayedGame]:
    """The rows of a day that were not played, and whose players are known."""
    sides = columns.get("side")
    for fault in rows.faults.values():
        row, refusal = fault.row, fault.refusal
        if row is None or not isinstance(refusal, NoGame) or refusal.reason != "not played":
            continue
        if plain_form(as_text(fault.cell)) in CALLED_OFF:
            continue
        a, b = (as_name(rows.columns[name].cell(row)) for name in (layout.a, layout.b))
        time, line, written = float(columns["time"][row]), None, ""
        if not isfinite(time):
            time, line = NO_DAY, rows.chunk.line(row)
            written = as_text(rows.columns[str(layout.time)].cell(row))
        known = not any(_tells_nothing(one) or fold_text(one) in TO_BE_NAMED for one in (a, b))
        if known and a != b and weigh_place(a) + weigh_place(b) < 2:
            lead = 0.0 if sides is None else float(sides[row])
            yield UnplayedGame(a, b, time, lead, line, written)


def _tells_nothing(text: str) -> bool:
    """Whether a text in place of a player says that there was no game."""
    return text in EMPTY_NAMES or is_blank(text) or tells_no_event(text)


def _points(rows: RowValidation, layout: Layout, a: str, b: str) -> dict[str, Floats]:
    """The points of both sides; where they alone tell the result, rows without were not played."""
    if layout.form != "points":
        return {"points_a": rows.parse(a, "number"), "points_b": rows.parse(b, "number")}
    found = {"points_a": rows.parse(a, "points of a side")}
    found["points_b"] = rows.parse(b, "points of a side")
    one = np.isnan(found["points_a"]) != np.isnan(found["points_b"])
    for row in np.flatnonzero(one).tolist():
        for name, other in ((a, b), (b, a)):
            if is_missing(rows.columns[name].cell(row)):
                rows.restore_fault(
                    row, name, InvalidValue.of("score_missing", other=rows.columns[other].cell(row))
                )
    for row in _stand_ins(found["points_a"], found["points_b"]):
        what = f"{quote(rows.columns[a].cell(row))} stands for no score"
        rows.refuse_cells(a, {row: NoGame(what, "not played")})
    return found


def _stand_ins(a: Floats, b: Floats) -> list[int]:
    """The rows in which both points are a number for none: -1, or 999 among small ones."""
    found: list[int] = []
    for number in NUMBERS_FOR_UNKNOWN:
        none = (a == number) & (b == number)
        if not none.any():
            continue
        others = np.concatenate((a[~none], b[~none]))
        low, high = np.nanmin(others, initial=np.inf), np.nanmax(others, initial=0.0)
        if low >= 0.0 and (number < 0.0 or 3.0 * high < number):
            found += np.flatnonzero(none).tolist()
    return found


def _points_of_line(
    rows: RowValidation, layout: Layout, line: str, score: Floats
) -> dict[str, Floats]:
    """The points of scorelines beside a winner: none where some cannot be read.

    They stand with the first side first, or with the winner or the loser first, or in the order of
    the columns: in the order that the fewest rows contradict, and these are refused.
    """
    parsed = [
        rows.columns[line].parse(rows.parsers[f"{side} points", line])
        for side in ("first", "second")
    ]
    without = {row: as_text(rows.columns[line].cell(row)) for row in parsed[0].wrong}
    given_up: dict[int, tuple[float, float]] = {}  # the sets won before a match ended
    for row, text in without.items():
        reason = reason_of_line(text)
        if reason == "walkover" and rows.parsers.options.walkovers:
            given_up[row] = (0.0, 0.0)
        elif reason:
            what = f"{quote(text)}: the game was not played to its end"
            rows.refuse_cells(line, {row: NoGame(what, reason)})
        elif (sets := parse_retired(text)) is not None:
            given_up[row] = sets
    a, b = (one.values for one in parsed)
    read = ~np.isnan(a) & ~np.isnan(b) & ~np.isnan(score)
    ahead, won = np.where(read, np.sign(a - b), 0.0), np.where(read, np.sign(score - 0.5), 0.0)
    level = read & (won == 0.0) & (ahead != 0.0)
    if not layout.has_kicks:
        level |= _find_bare_levels(rows, line, read & (ahead == 0.0), won)
    wrong = [
        level | (ahead * won < 0.0),
        level | ((ahead < 0.0) & (won != 0.0)),
        level | ((ahead > 0.0) & (won != 0.0)),
        *([level | (ahead * won > 0.0)] if layout.turned else []),
    ]
    order = int(np.argmin([int(each.sum()) for each in wrong]))
    if order == 1:
        rows.parsers.notes.append(f"column {quote(line)} has the points of the winner first")
        a, b = np.where(score < 0.5, b, a), np.where(score < 0.5, a, b)
    elif order == 2:
        rows.parsers.notes.append(f"column {quote(line)} has the points of the loser first")
        a, b = np.where(score > 0.5, b, a), np.where(score > 0.5, a, b)
    elif order == 3:
        rows.parsers.notes.append(f"column {quote(line)} has the points of {quote(layout.b)} first")
        a, b = b, a
    told = rows.columns[layout.draw or layout.result] if layout.draw or layout.result else None
    for row in np.flatnonzero(wrong[order]).tolist():
        there = told is not None and not is_missing(told.cell(row))
        winner = quote(told.cell(row)) if told and there else "the winner"
        points = rows.columns[line].cell(row)
        refusal = InvalidValue.of("points_contradict.winner", points=points, winner=winner)
        rows.refuse_cells(line, {row: refusal})
    for row, sets in given_up.items():  # a win by no sets, where the other side led
        ahead = (sets[0] - sets[1]) * (score[row] - 0.5) >= 0.0
        a[row], b[row] = sets if ahead else (min(sets), min(sets))
    faulty = {rows.chunk.line(row) for row in np.flatnonzero(np.isnan(a) | np.isnan(b)).tolist()}
    if unread := faulty - rows.faults.keys():
        row = next(row for row in range(rows.chunk.count) if rows.chunk.line(row) in unread)
        shown = quote(as_text(rows.columns[line].cell(row)))
        rows.parsers.notes.append(
            f"column {quote(line)} tells no points: {shown} ({rows.unit} {min(unread)}) is none"
        )
        return {}
    return {"points_a": a, "points_b": b}


def _find_bare_levels(rows: RowValidation, line: str, level: Mask, won: Floats) -> Any:
    """The rows with a bare 1-1 and a winner, in a table in which other such rows are drawn and
    nothing speaks of a shoot-out.
    """
    if not np.any(level & (won == 0.0)):
        return np.zeros(len(level), np.bool_)
    cell = rows.columns[line].cell
    bare = np.zeros(len(level), np.bool_)
    for row in np.flatnonzero(level & (won != 0.0)).tolist():
        bare[row] = BARE.fullmatch(str(cell(row)).strip()) is not None
    return bare


def times_of_day(rows: RowValidation, clock: str) -> Floats:
    """The shares of the days that had passed, 0 where a cell is empty or no time of the day."""
    values, wrong = rows.columns[clock].parse(rows.parsers["clock", clock])
    if any(not is_missing(rows.columns[clock].cell(row)) for row in wrong):
        rows.parsers.no_clock = True
        return np.zeros(rows.chunk.count)
    return np.nan_to_num(values)


def _score(
    rows: RowValidation,
    layout: Layout,
    columns: dict[str, Floats],
    sides: Sides,
) -> Floats:
    """The score of the first side."""
    if layout.form == "winner and loser":
        won = np.ones(rows.chunk.count)
        if layout.draw:
            won[rows.parse(layout.draw, "draw") == 1.0] = 0.5
        if layout.level_draws:
            won[columns["points_a"] == columns["points_b"]] = 0.5
        return won
    if layout.form == "winner":
        return scores_of_winners(rows, layout, sides)
    if layout.form == "to come":
        open_row = NoGame("the table has no results", "not played")
        rows.refuse_where(np.ones(rows.chunk.count, bool), layout.b, lambda _: open_row)
        return np.full(rows.chunk.count, np.nan)
    if layout.form == "result":
        score = rows.parse(layout.result, "own result" if layout.flagged else "result")
        if rows.parsers.outcomes.scored:
            ask_about_clocks(rows, layout.result)
            refuse_other_order(rows, layout.result)
        return 1.0 - score if layout.names_loser else score
    a, b = columns["points_a"], columns["points_b"]
    if not layout.share:
        return np.asarray(0.5 * ((a > b) + 1.0 - (a < b)), np.float64)
    for name, values in ((layout.points_a, a), (layout.points_b, b)):
        rows.refuse_where(
            values < 0.0,
            name,
            lambda _: InvalidValue.of("negative_points"),
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = a + b
        halves = np.isinf(total)  # only of numbers near the largest there are
        total = np.where(halves, a / 2.0 + b / 2.0, total)
        share: Floats = np.where(halves, a / 2.0, a)
    return np.divide(share, total, out=np.full_like(a, 0.5), where=total > 0.0)


def _margin(rows: RowValidation, layout: Layout, columns: dict[str, Floats]) -> Floats:
    """By how much the first side won."""
    score = columns["score"]
    if layout.margin:
        name: str | None = layout.margin
        margin = rows.parse(layout.margin, "number")
        if layout.form in {"winner", "winner and loser"}:  # tables of winners write no signs
            margin = np.where((score < 0.5) & (margin > 0.0), -margin, margin)
    else:
        name = layout.points_a
        with np.errstate(over="ignore", invalid="ignore"):
            margin = columns["points_a"] - columns["points_b"]
        rows.refuse_where(
            np.isinf(margin),
            name,
            lambda _: InvalidValue.of("points_too_large"),
        )
        if layout.share:
            return margin
    if layout.draw:
        rows.refuse_where(
            (score == 0.5) & (np.abs(margin) > 0.0),
            layout.draw,
            lambda row: InvalidValue.of("draw_with_margin", margin=abs(margin[row])),
        )
    of_points = layout.form == "result" and not (layout.margin or layout.line)
    level_is_drawn = bool(np.any(score == 0.5)) or plain_form(layout.result) == "ftr"
    rows.refuse_where(
        ((score > 0.5) & (margin < 0.0))
        | ((score < 0.5) & (margin > 0.0))
        | ((score == 0.5) & (margin != 0.0) & of_points)
        | ((score != 0.5) & (margin == 0.0) & of_points & level_is_drawn),
        name,
        lambda row: InvalidValue.of(
            "margin_contradicts" if layout.margin else "margin_contradicts.points",
            margin=margin[row],
            score=score[row],
        ),
    )
    return margin


# A column of results such as 2-1: the points of both sides, and times of the day among them.


KICK_OFF = re.compile(r"(?:1[0-9]|2[0-3]):[0-5][05]")  # a score, or a time of the day
LARGEST, FEWEST_CLOCKS = 9, 3  # number of other scores; clocks where there is nothing else


@dataclass
class Scorelines:
    """The points of both sides that are being gathered from a column of results.

    1-0 and 0-1 alone are results as of chess, and 0-0 beside them may be a draw as well as a game
    without points; a column with a scoreline that no game of chess has (2-1, 1-1) counts points.
    """

    first: Growing = field(default_factory=Growing)  # points of the first side
    second: Growing = field(default_factory=Growing)
    mixed: bool = False  # whether the column holds other results as well
    scored: bool = False  # whether it holds a scoreline that no game of chess has
    nil: BadData | None = None  # the first 0-0
    odd: Callable[[], str] | None = None  # what says which was the first other result
    said: bool = False  # whether it is said that points are not used

    def add(self, chunk: Chunk, column: str, parsers: CellParsers, place: Any) -> None:
        """Take the points of further rows; `place` says of a line where it stands."""
        outcomes, cells = parsers.outcomes, chunk.columns[column]
        self.scored |= outcomes.scored
        self.mixed |= outcomes.mixed or parsers["result", column].numbers_met
        if outcomes.nil and self.nil is None:
            a, b = _parse_points(cells, parsers, column)
            nils = np.flatnonzero((a == 0.0) & (b == 0.0))
            if len(nils):
                self.nil = place(chunk.line(int(nils[0])))
        if not self.mixed:
            a, b = _parse_points(cells, parsers, column)
            self.first.append(a)
            self.second.append(b)
            return
        self.first, self.second = Growing(), Growing()
        self.odd = self.odd or partial(_find_result_without_points, cells, parsers, column)
        if self.scored and not self.said:
            self.said = True
            parsers.notes.append(f"the points in column {quote(column)} are not used: {self.odd()}")

    def take(self) -> dict[str, Floats]:
        """The points of both sides, where the column tells them, which are given up; raises BadData
        for a 0-0 that may be a draw as well as a game without points.
        """
        if self.nil is not None and not self.scored:
            raise self.nil
        points = {"points_a": self.first, "points_b": self.second}
        self.first, self.second = Growing(), Growing()
        if self.mixed or not self.scored:
            return {}
        return {name: held.whole() for name, held in points.items()}


def _parse_points(cells: InputColumn, parsers: CellParsers, column: str) -> tuple[Floats, Floats]:
    """The points of both sides in a column of scorelines."""
    return (
        cells.parse(parsers["first points", column]).values,
        cells.parse(parsers["second points", column]).values,
    )


def _find_result_without_points(cells: InputColumn, parsers: CellParsers, column: str) -> str:
    """What says that a cell is a result and no scoreline, by the first such cell."""
    wrong = cells.parse(parsers["first points", column]).wrong
    odd = (row for row, why in sorted(wrong.items()) if not isinstance(why, NoGame))
    row = next(odd, -1)
    fit = " that fit its score" if parsers.outcomes.own else ""
    return "some rows" if row < 0 else f"{quote(cells.cell(row))} has none{fit}"


def ask_about_clocks(rows: RowValidation, name: str) -> None:
    """Refuse results such as 15:30 that may be times: among small scores, or among no others."""
    texts = {text.strip() for text in rows.parsers["result", name] if isinstance(text, str)}
    clocks = {text for text in texts if KICK_OFF.fullmatch(text)} - rows.parsers.outcomes.own.keys()
    numbers = [int(number) for text in texts - clocks for number in re.findall(r"\d+", text)]
    if not clocks or (max(numbers) > LARGEST if numbers else len(clocks) < FEWEST_CLOCKS):
        return
    python = ", ".join(f'"{text}": None' for text in sorted(clocks))
    refusal = InvalidValue.of("score_or_clock", clock=min(clocks), python=python)
    cell = rows.columns[name].cell
    rows.refuse_cells(name, {
        row: refusal for row in range(rows.chunk.count) if str(cell(row)).strip() in clocks
    })  # fmt: skip


def refuse_other_order(rows: RowValidation, name: str) -> None:
    """Refuse results such as `L 3-1` in a column that has `L 1-3` more often, and the reverse; a
    note says whose points stand first. The first rows with such results decide for those behind.
    """
    outcomes, cell = rows.parsers.outcomes, rows.columns[name].cell
    if not outcomes.points_first:
        return
    texts = (str(cell(row)).strip(" \t") for row in range(rows.chunk.count))
    orders = [outcomes.points_first.get(text) for text in texts]
    if not outcomes.order:
        counts = Counter(order for order in orders if order)
        outcomes.order = min(counts, key=lambda order: (-counts[order], order))
        rows.parsers.notes.append(note_points_first(name, outcomes.order))
    rows.refuse_cells(name, {
        row: InvalidValue.of("points_contradict.word", text=cell(row), order=outcomes.order)
        for row, order in enumerate(orders) if order and order != outcomes.order
    })  # fmt: skip


# Rows that are games between two sides, chunk by chunk.


FIRST_ROWS = 1_000  # whose places are known when all games are
DATES_TRIED = 20  # cells that tell whether a column holds dates


@dataclass(eq=False)
class GameRows(GatheredRows):
    """Rows that are games between two sides."""

    members: GrowingLineups | None = None  # where sides may have several
    scorelines: Scorelines = field(default_factory=Scorelines)
    dated: bool | None = None  # whether a column that may hold dates does, once known
    first_date: Any = None  # the first cell of one that does not
    place: Callable[[int], str] | None = None  # of a game of the first rows: `line 2`
    no_clock: bool = False  # whether times of the day are not read
    piecewise: bool = False  # whether games are taken before all rows are read
    strays: bool = False  # whether names were numbered of which no row is kept
    level: int = 0  # games of a winner with as many points as the loser

    def take_chunk(self, chunk: Chunk, parsers: CellParsers, table: InputTable) -> Chunk:
        """Validate and add some rows; those that are kept."""
        kept, plain = chunk, self._read_plain(chunk, parsers) if self.count else None
        if plain is not None:
            self.append(plain, table)
        else:
            try:
                kept = self._read_chunk(chunk, parsers, table)
            except FallBackToSlowReader:
                if not self.piecewise:
                    raise
                held = hold_values(chunk)  # of a stream, by the slow reader
                if table.once:
                    refuse_lines_between(held, table)
                kept = self._read_chunk(held, parsers, table)
        parsers.closed = self.piecewise
        self.no_clock |= parsers.no_clock
        return kept

    def _read_chunk(self, chunk: Chunk, parsers: CellParsers, table: InputTable) -> Chunk:
        """Validate and add some rows; those that are kept."""
        rows, layout = RowValidation(chunk, parsers, table.file, table.unit), parsers.found
        if layout.guessed_facts or self.layout.guessed_facts:
            layout = self._keep_guessed_facts(layout, rows)
        if (by_name := as_winners(rows, layout)) is not layout:
            layout, self.layout = by_name, replace(self.layout, form="winner")
        layout, sides = self.read_members(rows, layout, bool(self.members))
        shares: Sequence[Sequence[Shares]] = []
        if layout.shares:
            shares = read_shares(rows, layout.sides, layout.shares, sides, self.cells)
        dated = self._with_dates(layout, rows) if layout.maybe_time else layout
        columns: dict[str, NDArray[Any]] = dict(columns_of_games(rows, dated, sides))
        if layout.forecasts:
            columns |= parse_forecasts(rows, layout)
        if self.options.walkovers:
            columns[UNPLAYED] = find_walkovers(rows, layout)
        labelled = labelled_columns(layout) if self.layout.has_labels else []
        if labelled:
            self.labels.refuse(rows, labelled)
        if self.options.byes and rows.faults:
            is_bye = finder_of_byes(rows, layout, sides, self.cells, self.options.nobody)
            award = None
            if self.options.bye_wins and not sides:
                award = partial(award_bye, rows, layout, columns)
            byes = rows.forgive(is_bye, award)
            self.report.note_byes(len(byes), f"{rows.unit} {min(byes, default=0)}")
        if rows.faults and not sides and "time" in columns:
            self.report.note_unplayed(list_unplayed(rows, layout, columns))
        kept, keep = rows.chunk, None
        if rows.faults or rows.excused or rows.absent:
            keep = self._keep_valid(rows, layout, bool(sides))
            kept = kept.select(keep)
            columns = {name: values[keep] for name, values in columns.items()}
        if not self.count:
            self.place = partial(_say_place, table.unit, kept.line, min(kept.count, FIRST_ROWS))
        if layout.level_draws or layout.outcome:
            self.level += int((columns["score"] == 0.5).sum())
        if sides:
            self.members = self.members or GrowingLineups()
            assert isinstance(self.names, PlainNames)
            self.members.add(sides, shares, keep, self.names)
        else:
            players = kept.columns[layout.a], kept.columns[layout.b]
            self.names = names_for(self.names, *players)
            columns["a"], columns["b"] = self.names.ids(*players)
        if labelled:
            columns.update(self.labels.ids(kept, labelled))
        facts = [name for name, _ in layout.facts if name not in layout.text_facts]
        if facts or layout.forecasts:
            empty = [self.labels.empty(f"fact {name}", columns[f"fact {name}"]) for name in facts]
            some = None if layout.forecasts else np.logical_or.reduce(empty)
            columns.update(self.lines.columns(kept, table, some))
        if layout.form == "result" and not (layout.points_a or layout.line):
            self.scorelines.add(kept, layout.result, parsers, partial(_refuse_nil, rows, layout))
        self.append(columns, table)
        parsers.found = layout
        return kept

    def _read_plain(self, chunk: Chunk, parsers: CellParsers) -> dict[str, NDArray[Any]] | None:
        """The columns of rows that are games as they stand; None where rows need a look, or the
        first ones have not decided yet what the columns hold.
        """
        layout = parsers.found
        if not is_plain(layout) or not is_plain(self.layout) or self.members:
            return None
        if chunk.refused or chunk.absent or not self.scorelines.mixed:
            return None
        if parsers.coded or parsers.merged.above or self.options.outcomes:
            return None
        if self.options.walkovers:
            return None
        if layout.maybe_time and not self.dated:
            return None
        from prowess.games.cells.arrow_columns import number_plain_names, read_plain_scores

        columns: dict[str, NDArray[Any]] | None = read_plain_scores(chunk.columns, layout, parsers)
        if columns is None:
            return None
        ids = number_plain_names(self.names, chunk.columns[layout.a], chunk.columns[layout.b])
        if ids is None:
            return None
        columns["a"], columns["b"] = ids
        if (ids[0] == ids[1]).any():
            self.strays = True
            return None
        if layout.sided:
            columns["side"] = np.ones(chunk.count)
        parsers["result", layout.result].numbers_met = True
        return columns

    def _keep_guessed_facts(self, layout: Layout, rows: RowValidation) -> Layout:
        """The layout with those guessed facts that all files have as texts of few values."""
        columns = dict(layout.facts)
        keep = [
            name
            for name in layout.guessed_facts & self.layout.guessed_facts
            if (not self.count or self.labels.count(f"fact {name}") <= MOST_VALUES)
            and not rows_not_utf8(rows.columns[columns[name]])
        ]
        for name in self.layout.guessed_facts.difference(keep):
            self.labels.drop(f"fact {name}", self.columns)
        self.layout = self.layout.with_guessed_facts(keep)
        return layout.with_guessed_facts(keep)

    def _keep_valid(self, rows: RowValidation, layout: Layout, sides: bool) -> Mask:
        """The rows that stay; raises BadData for the others, or reports them."""
        if rows.faults and not sides:
            _refuse_two_spellings(rows, layout)
        try:
            return rows.valid_rows(self.report, self.skip_bad)
        except BadData:
            if not sides:
                self._look_for_two_spellings(rows, layout)
            raise

    def _with_dates(self, layout: Layout, rows: RowValidation) -> Layout:
        """The layout, without a column of dates whose first cell is none, nor most others."""
        if self.dated is None and rows.chunk.count:
            self.first_date = rows.columns[str(layout.time)].cell(0)
            form = self.options.date_format
            column = rows.columns[str(layout.time)]
            cells = [self.first_date, *map(column.cell, range(min(rows.chunk.count, DATES_TRIED)))]
            dates = [
                is_year(cell) if layout.years and form is None
                else is_date_like(cell, form) or is_date(cell)
                for cell in cells
            ]  # fmt: skip
            self.dated = dates[0] or 2 * sum(dates) > len(dates)
        return layout if self.dated else replace(layout, time=None)

    def _look_for_two_spellings(self, rows: RowValidation, layout: Layout) -> None:
        """Raise FallBackToSlowReader where, before the first error, a player meets another
        spelling of their own name, which the fast reader finds only at the end.
        """
        a, b = rows.columns[layout.a], rows.columns[layout.b]
        if isinstance(a, Values):
            return
        first = min(rows.faults)
        for row in range(rows.chunk.count):
            if rows.chunk.line(row) >= first:
                break
            if as_name(a.cell(row)) == as_name(b.cell(row)):
                raise FallBackToSlowReader
        if self.count and not self.piecewise:
            _, (one, other) = normalize_names(
                self.names.roster(), self.columns["a"].whole(), self.columns["b"].whole()
            )
            if (one == other).any():
                raise FallBackToSlowReader

    def games(self) -> Games:
        """All games, in order of time; what was gathered is given up."""
        return GameSettler(self).take()


def _refuse_nil(rows: RowValidation, layout: Layout, line: int) -> BadData:
    """The error of a 0-0 that may be no result, in the column of results."""
    return rows.bad(line, RowError(layout.result, InvalidValue.of("nil_nil")))


def _say_place(unit: str, line: Callable[[int], int], count: int, row: int) -> str:
    """Where a row stands that is one of the first `count`: `line 2`; empty for another."""
    return f"{unit} {line(row)}" if row < count else ""


def hold_values(chunk: Chunk) -> Chunk:
    """The chunk with Python values in place of bytes, as the slow reader has it."""
    rows = range(chunk.count)
    columns = {
        name: Values([column.cell(row) for row in rows]) for name, column in chunk.columns.items()
    }
    return replace(chunk, columns=columns)


def refuse_lines_between(chunk: Chunk, table: InputTable) -> None:
    """Raise BadData for a line with one cell at most, such as a heading of the games below it."""
    cells = [column.cell for column in chunk.columns.values()]
    for row in range(chunk.count if len(cells) > 2 else 0):
        if sum(cell(row) != "" for cell in cells) <= 1:
            raise BadData.of("lines_between", file=table.file, line=chunk.line(row))


def is_plain(layout: Layout) -> bool:
    """Whether rows are two players, a result and perhaps a time, and nothing else."""
    kept = {
        name: getattr(layout, name)
        for name in ("a", "b", "result", "time", "maybe_time", "other_dates", "dates_by_cells",
                     "said", "family", "turned", "sided")
    }  # fmt: skip
    return not layout.years and layout == Layout("games", **kept)


def _refuse_two_spellings(rows: RowValidation, layout: Layout) -> None:
    """Put first what is wrong first with a faulty row: that both players are one, in two spellings.

    The fast reader compares names as they are written.
    """
    a, b = rows.columns[layout.a], rows.columns[layout.b]
    for line, fault in rows.faults.items():
        if (row := fault.row) is None or fault.column in {layout.a, layout.b}:
            continue
        name = as_name(a.cell(row))
        if name and name == as_name(b.cell(row)):
            rows.faults[line] = RowError(layout.b, InvalidValue.of("self_play", name=name), row)


# Gathered rows become games: all at once, or piece by piece as they are read.
#
# What only all rows of a table tell, such as whether a further column holds numbers, is decided by
# the first piece that is taken. A later piece that says otherwise is refused.


COLUMNS_OF_PIECE = "the columns of the games"


@dataclass(eq=False)
class GameSettler:
    """Makes games of gathered rows; `whole` says that they are all rows of the table."""

    rows: GameRows
    whole: bool = True
    players: PlayerNumbers = field(default_factory=PlayerNumbers)
    rounds: GrowingGroups = field(default_factory=GrowingGroups)
    to_come: GamesToCome = field(default_factory=GamesToCome)
    byes: list[int] = field(default_factory=list)  # numbers of names that are words for a bye
    names_of_byes: set[str] = field(default_factory=set)  # of those whose games are kept
    decided: dict[str, object] = field(default_factory=dict)  # by what the first piece says
    taken: int = 0  # games so far
    places: NDArray[np.int64] | None = None  # of the games in the last piece; None: as gathered

    def take(self, place: Callable[[int], Mapping[str, Any]] | None = None) -> Games:
        """What was gathered since the last time, as games; raises BadData.

        A whole table is put in order of time, the games of a piece stay as they stand. The
        `players` of a piece are the names that are new in it, and `place` says where a row of it
        stands.
        """
        rows, known = self.rows, self.players.seen
        columns: dict[str, Any] = {}
        for name in list(rows.columns):
            columns[name] = rows.columns.pop(name).whole()
        fresh = self.players.look_at_names(rows.names)
        whole = fresh
        if self.whole:
            if rows.names.are_plain:
                whole = rows.names.roster()
            rows.names = PlainNames()  # gives up what is no longer needed
        if rows.layout.has_labels:
            rows.labels.settle(columns)
        lineups = rows.members.take() if rows.members else None
        if lineups is not None:
            columns["row"] = np.arange(len(columns["score"]), dtype=np.int64)
        elif (spelt := self.players.spelt) is not None:
            columns["a"], columns["b"] = spelt[columns["a"]], spelt[columns["b"]]
            if (columns["a"] == columns["b"]).any():
                raise FallBackToSlowReader  # two spellings of one name in one game
        if rows.scorelines.nil or not rows.scorelines.mixed:
            columns |= rows.scorelines.take()
        if "points_a" in columns and "margin" not in columns:
            columns["margin"] = columns["points_a"] - columns["points_b"]
        self.places = None
        assumed: list[str] = []
        if rows.layout.facts or rows.layout.forecasts:
            faults, assumed = settle_forecasts(columns, rows.layout)
            faults |= rows.facts.settle(rows.labels, columns, rows.layout)
            keep = rows.lines.refuse_rows(faults, columns, rows.report, rows.skip_bad)
            for name in ("line", "file"):
                columns.pop(name, None)
            if keep is not None:
                self._keep(columns, keep, known)
        if rows.options.byes:
            assumed = [*assumed, *self._leave_out_byes(columns, lineups, fresh, known, place)]
        if rows.strays:
            self.players.count_games(known)
        if (by_game := self.players.by_game) is not None:
            if lineups is None:
                columns["a"], columns["b"] = by_game.number_pairs(columns["a"], columns["b"])
            else:
                lineups.renumber(columns["row"], by_game)
            whole = (
                Roster(whole[at] for at in by_game.known_keys().tolist()) if self.whole else whole
            )
        groups = [columns.pop(f"round {at}") for at in range(len(rows.layout.round))]
        if groups:
            columns["round"] = self.rounds.number(groups).astype(np.int32)
        self.taken += len(columns["score"])
        if self.whole:
            return self._finish(columns, lineups, whole, assumed)
        return self._make_piece(columns, lineups, fresh)

    def _keep(self, columns: dict[str, Any], keep: Mask, known: int) -> None:
        """Keep some games only; players are then numbered by those, after the `known` ones."""
        for name, values in columns.items():
            columns[name] = values[keep]
        self.places = np.flatnonzero(keep) if self.places is None else self.places[keep]
        self.players.count_games(known)

    def _leave_out_byes(
        self, columns: dict[str, Any], lineups: Members | None, fresh: Roster, known: int,
        place: Callable[[int], Mapping[str, Any]] | None,
    ) -> list[Suspicion]:  # fmt: skip
        """Leave out games against nobody, and those of places to come; notes on them."""
        rows, said = self.rows, list[Suspicion]()
        self.byes += (byes_in(fresh) + known).tolist()
        if lineups is not None:
            self.byes += [known + fresh.index(name) for name in rows.cells.byes if name in fresh]
        if lineups is None and rows.options.nobody:
            names = (rows.layout.a, rows.layout.b)
            if place is not None:
                ask_about_nobody(fresh, known, columns, names, place)
            else:
                nobody, said = find_nobody(fresh, columns, names, rows.file)
                self.byes += nobody
        if self.byes and lineups is None:
            name_of = fresh.__getitem__ if self.whole else rows.names.name
            played = find_played(self.byes, name_of, columns)
            if not self.whole:
                for who in self.byes:
                    if ((columns["a"] == who) | (columns["b"] == who)).any():
                        self._decide(f"whether {quote(name_of(who))} is a bye", who not in played)
            self.byes = [who for who in self.byes if who not in played]
        if self.byes:
            some = np.array(sorted({*self.byes}))
            keep = ~players_among(some, columns, self.players.seen, lineups)
            if rows.options.bye_wins and lineups is None:
                if not self.whole:
                    raise BadData.of("byes_in_stream")
                self.names_of_byes = {name_of(who) for who in self.byes}
                byes = [np.isin(columns[side], some) for side in ("a", "b")]
                keep = ~(byes[0] & byes[1])
            if not keep.all():
                example = self._describe_place(int(np.argmin(keep)), place)
                rows.report.note_byes(len(keep) - int(keep.sum()), example)
                self._keep(columns, keep, known)
        if lineups is None:
            name_of = fresh.__getitem__ if self.whole else rows.names.name
            to_come = self.to_come.find(fresh, self.players.seen, name_of, columns)
            if to_come is not None:
                rows.report.absent["not played"] += int(to_come.sum())
                self._keep(columns, ~to_come, known)
        return said

    def _describe_place(self, row: int, place: Callable[[int], Mapping[str, Any]] | None) -> str:
        """Where a game stands in its source: `line 7`; empty where that is not known."""
        at = row if self.places is None else int(self.places[row])
        if place is not None:
            return next((f"{unit} {line}" for unit, line in place(at).items()
                         if unit in {"line", "row"}), "")  # fmt: skip
        return self.rows.place(at) if self.rows.place else ""

    def _finish(
        self, columns: dict[str, Any], lineups: Members | None, players: Roster, assumed: list[str]
    ) -> Games:
        """The games of a whole table, in order of time."""
        rows = self.rows
        time = columns.get("time")
        if time is not None and (far := note_far_dates(time)):
            assumed = [*assumed, far]
        if "points_a" in columns:
            points = columns["points_a"], columns["points_b"]
            found = note_nil_end(*points), _note_negative(*points, rows.layout)
            assumed = [*assumed, *filter(None, found)]
        open_side = "side" not in columns and lineups is None
        if open_side and (plain_form(rows.layout.a), plain_form(rows.layout.b)) in ANSWER_PAIRS:
            favoured = note_favoured(columns["a"], columns["b"], columns["score"], rows.layout)
            assumed = [*assumed, *([favoured] if favoured else [])]
        if time is not None and not is_ascending(time):
            newest = note_newest_first(columns) if rows.options.order is None else None
            assumed = [*assumed, *([newest] if newest else [])]
            del time
            order_by_time(columns)
        rows.rows = self.taken
        if lineups is not None:
            columns.update(lineups.columns(columns.pop("row")))
        facts, words = self._facts(columns) if rows.layout.facts else ({}, {})
        layout = rows.layout
        if layout.forecasts:
            facts |= pop_forecasts(columns, layout)
        if UNPLAYED in columns:
            facts.setdefault(UNPLAYED, columns.pop(UNPLAYED))
        notes = [*self.notes(lambda: players), *assumed]
        rows.layout = self.used_layout()
        keys = [*(f"per {role}" for role, _ in layout.per)]
        keys += [key for role, _ in layout.along for key in rows.labels.keys[f"with {role}"]]
        of_roles = {key: columns.pop(key) for key in keys}
        table = Games(players=players, notes=tuple(notes), facts=facts, labels=words, **columns)
        table = self._add_roles(table, of_roles) if of_roles or rows.options.family else table
        return with_byes(table, self.names_of_byes) if self.names_of_byes else table

    def _facts(self, columns: dict[str, Any]) -> tuple[dict[str, Floats], dict[str, list[str]]]:
        """The facts and their words, without guessed ones that tell no kinds of games apart."""
        facts, words = self.rows.facts.columns(columns)
        for name in self.rows.layout.guessed_facts.difference(self._categories()):
            del facts[name], words[name]
        return facts, words

    def _categories(self) -> list[str]:
        """The guessed facts that tell kinds of games apart, in all games so far."""
        labels, guessed = self.rows.facts.labels, self.rows.layout.guessed_facts
        return [name for name in guessed if is_category(len(labels[name]), self.taken)]

    def used_layout(self) -> Layout:
        """The layout without columns that headings suggest, and that the cells show to be others:
        guessed facts, and dates.
        """
        layout = self.rows.layout
        if layout.guessed_facts:
            layout = layout.with_guessed_facts(self._categories())
        unused = layout.maybe_time and not self.rows.dated
        return replace(layout, time=None) if unused else layout

    def notes(self, roster: Callable[[], Roster]) -> Iterator[str]:
        """Notes on what was guessed and left out, of facts and of names that were to be split.

        The `roster` of all players is asked for where it is looked into.
        """
        rows, layout = self.rows, self.rows.layout
        yield from rows.decisions
        words = rows.options.outcomes
        if unmet := [word for word in words if word.strip().casefold() not in rows.met]:
            yield f"no result is {' or '.join(map(quote, unmet))}, which outcomes= explains"
        if layout.maybe_time and not rows.dated:
            yield (
                f"column {quote(layout.time)} is not used, as its first cell is no date: "
                f"{quote(rows.first_date)}"
            )
        elif layout.dates_by_cells:
            yield f"the dates are those of column {quote(layout.time)}, as its cells tell"
        elif layout.time and layout.years and rows.options.date_format is None:
            yield (
                f"the dates are the years of column {quote(layout.time)}; "
                "games of one year are taken in the order of the rows"
            )
        if layout.clock and rows.no_clock:
            yield (
                f"column {quote(layout.clock)} is not used: games of one day are taken in the "
                "order of the file"
            )
        if layout.turned and layout.form == "result":
            yield (
                f"column {quote(layout.b)} stands before {quote(layout.a)}: results are read as "
                f"those of {quote(layout.a)} first"
            )
        if rows.level:
            by_column = (
                f"that column {quote(layout.draw)} calls a draw, or" if layout.outcome else ""
            )
            yield (
                f"{format_count(rows.level, 'game')} {by_column + ' ' if by_column else ''}"
                "with equal points of winner and loser: a draw "
                '(draw="none", --draw none, makes each a win)'
            )
        if rows.layout.facts:
            yield from rows.facts.notes()
            yield from category_notes(self.used_layout(), rows.facts.labels)
        if rows.options.splits_teams:
            yield from split_notes(rows.cells.joined, roster())

    def _add_roles(self, table: Games, columns: dict[str, Any]) -> Games:
        """The table with its members by role, which `columns` give for each game."""
        rows, sides = self.rows, np.arange(2 * len(table), dtype=np.int64)
        texts, keys = rows.labels.texts, rows.labels.keys
        per = [
            RoleColumn(role, texts[f"per {role}"], columns[f"per {role}"][table.contest_of_member])
            for role, _ in rows.layout.per
        ]
        along = []
        for role, _ in rows.layout.along:
            ids = np.stack([columns[key] for key in keys[f"with {role}"]], axis=1).ravel()
            along.append(RoleColumn(role, texts[f"with {role}"], ids, sides))
        return with_role_members(table, per, along, rows.options.family)

    # -- pieces --

    def _make_piece(self, columns: dict[str, Any], lineups: Members | None, fresh: Roster) -> Games:
        """Some games of a table, whose first piece decided what their columns are."""
        rows = self.rows
        if lineups is not None:
            columns |= lineups.columns(columns.pop("row"))
        facts, words = rows.facts.columns(columns) if rows.layout.facts else ({}, {})
        if UNPLAYED in columns:
            facts.setdefault(UNPLAYED, columns.pop(UNPLAYED))
        categories = self._categories()
        for name in rows.layout.guessed_facts:
            used = name in categories
            option = f'{name}="{name}" or {name}="none" (--{name})'
            self._decide(f"whether {name} tells kinds of games apart", used, f"say {option}")
            if not used:
                del facts[name], words[name]
        for name, _ in rows.layout.facts:
            kind = "numbers" if rows.facts.numbers[name] is not None else "words"
            self._decide(f"whether {quote(name)} holds numbers", kind)
        self._decide(COLUMNS_OF_PIECE, sorted(columns))
        return Games(players=fresh, facts=facts, labels=words, **columns)

    @property
    def has_teams(self) -> bool:
        """Whether the games of the pieces are between sides of several members."""
        columns = self.decided[COLUMNS_OF_PIECE]
        return isinstance(columns, list) and "ends" in columns

    def _decide(self, what: str, found: object, remedy: str = IN_MEMORY) -> None:
        """Refuse what the first piece said otherwise."""
        if self.decided.setdefault(what, found) != found:
            raise BadData.of("rows_change_reading", what=what, remedy=remedy)


def _note_negative(a: Floats, b: Floats, layout: Layout) -> Suspicion | None:
    """The note on few games with negative points among others: they may be disqualifications."""
    below = (a < 0.0) | (b < 0.0)
    count = int(below.sum())
    if not 0 < 2 * count <= len(below):
        return None
    games = "1 game has" if count == 1 else f"{count:,} games have"
    remedy = ""
    if layout.points_a and layout.points_b:
        names = (layout.points_a, layout.points_b)
        python = ", ".join(f'"{name}": "-1"' for name in names)
        shell = " ".join(f"--exclude {shlex.quote(f'{name}=-1')}" for name in names)
        remedy = (
            f": if -1 is a disqualification, leave them out with exclude={{{python}}} ({shell})"
        )
    return Suspicion(
        f"{games} negative points beside games without{remedy}", f"{games} negative points"
    )


# Columns of gathered games: which games stay, and their order in time.


FEWEST_DATES = 3  # different ones, of which one may lie far from the others
FAR_DAYS = 5.0 * 365.25  # days
MANY_ROWS = 1_000_000  # rows of a table in which newest games first are not sought
KEYS_A_DAY = (1.0, 86_400.0)  # keys a day: whole days, whole seconds
TIMES_TRIED = 1 << 16  # times that tell whether all may be such
ANSWER_PAIRS = pairs_for("pair_of_answers")
FEWEST_BOTH_WAYS, FAVOURED = 200, 3.0  # votes; deviations from which one answer is favoured
FEWEST_NIL, SHARE_NIL = 3, 0.2  # games 0:0 in a row at one end, and their share of the others


def players_among(
    some: NDArray[np.int64], columns: dict[str, Any], players: int, lineups: Members | None
) -> Mask:
    """The games in which one of some of so many players stands."""
    among = np.zeros(players, np.bool_)
    among[some] = True
    found: Mask = (
        among[columns["a"]] | among[columns["b"]]
        if lineups is None
        else lineups.having(among)[columns["row"]]
    )
    return found


def note_newest_first(columns: dict[str, NDArray[Any]]) -> Suspicion | None:
    """The note on a table whose times fall from row to row, and in which a player has several
    games of one time: it is open which of these was the first.
    """
    time = columns["time"]
    if "a" not in columns or not is_ascending(-time) or len(time) > MANY_ROWS:
        return None
    players = np.concatenate((columns["a"], columns["b"])).astype(np.int64)
    same = np.concatenate((time, time))
    order = np.lexsort((same, players))
    twice = (players[order][1:] == players[order][:-1]) & (same[order][1:] == same[order][:-1])
    if not twice.any():
        return None
    return Suspicion(
        "the newest games stand first, and a player has several of one time, which are taken in "
        'the order of the file: say order="reversed" (--row-order reversed) or order="file"',
        'newest first: games of one time as in the file (order="reversed", --row-order reversed?)',
    )


def note_far_dates(time: Floats) -> Suspicion | None:
    """The note on a first or last date that lies years from all others: a slip, or no date."""
    days = np.sort(time)
    days = days[np.diff(days, prepend=-np.inf) > 0.0]  # np.unique imports masked arrays
    if len(days) < FEWEST_DATES:
        return None
    for at, gap, span in (
        (0, days[1] - days[0], days[-1] - days[1]), (-1, days[-1] - days[-2], days[-2] - days[0]),
    ):  # fmt: skip
        if gap > max(FAR_DAYS, 2.0 * span):
            day = format_day(float(days[at]))
            return Suspicion(
                f"the date {day} lies {gap / 365.25:.0f} years from all others", f"the date {day}"
            )
    return None


def note_nil_end(a: Floats, b: Floats) -> Suspicion | None:
    """The note on games at the end, or the beginning, that are all 0:0, as fixtures are."""
    nil = (a == 0.0) & (b == 0.0)
    for rows in (nil, nil[::-1]):
        decided = np.flatnonzero(~rows)
        count = int(decided[0]) if len(decided) else 0
        others = rows[count:]
        if count >= FEWEST_NIL and len(others) > count and others.mean() < SHARE_NIL:
            return Suspicion(
                f"{count:,} games in a row are 0:0, as if they were not played yet: clear the "
                "scores of those that were not",
                f"{count:,} games in a row are 0:0",
            )
    return None


def note_favoured(
    a: NDArray[np.uint32], b: NDArray[np.uint32], score: Floats, layout: Layout
) -> FavouredSide | None:
    """The note on votes about two answers, of which the one that stands first is favoured or not.

    Of each pair that stood both ways the shares of the first are averaged, pairs are weighted as
    by Mantel and Haenszel, and the deviation is that of the votes within pairs.
    """
    low = np.minimum(a, b).astype(np.int64)
    _, pair = np.unique(low * 2**32 + np.maximum(a, b), return_inverse=True)
    first = a == low
    own = np.where(first, score, 1.0 - score)
    ahead, behind = np.bincount(pair, first), np.bincount(pair, ~first)
    both = (ahead > 0) & (behind > 0)
    mean = np.bincount(pair, own) / (ahead + behind)
    square = np.bincount(pair, (own - mean[pair]) ** 2)[both]
    ahead_of, behind_of = (np.bincount(pair, own * at)[both] for at in (first, ~first))
    ahead, behind = ahead[both], behind[both]
    weight, votes = ahead * behind / (ahead + behind), int((ahead + behind).sum())
    if votes < FEWEST_BOTH_WAYS:
        return None
    more = 0.5 * (weight * (ahead_of / ahead - behind_of / behind)).sum() / weight.sum()
    spread = (weight * square / (ahead + behind - 1)).sum() ** 0.5 / weight.sum()
    if abs(more) <= FAVOURED * 0.5 * spread:
        return None
    side, favoured = ("a", layout.a) if more > 0.0 else ("b", layout.b)
    return FavouredSide(
        f'say side="{side}" (--sides {side}): {quote(favoured)} is favoured, with '
        f"{50.0 + 100.0 * abs(more):.1f} ± {98.0 * spread:.1f} % of {votes:,} votes on pairs that "
        "stood both ways",
        f"{quote(favoured)} is favoured (--sides {side})",
        warns=False,
    )


def order_by_time(columns: dict[str, NDArray[Any]]) -> None:
    """Put the rows of all columns in order of time, rows of equal time as they stand."""
    order = sort_times(columns["time"])
    for name in list(columns):  # one at a time: the old one is given up at once
        columns[name] = columns[name][order]


def sort_times(time: Floats) -> NDArray[np.intp]:
    """The rows in order of time, rows of equal time as they stand.

    Whole days or seconds that span less than 136 years are sorted by the lower and the upper half
    of 32-bit keys: NumPy sorts numbers of 16 bits in time that grows with the rows only.
    """
    low, high = float(time.min()), float(time.max())
    for unit in KEYS_A_DAY:
        sample = (time[:TIMES_TRIED] - low) * unit
        if (high - low) * unit >= 2.0**32 - 1.0 or np.any(np.abs(sample - np.rint(sample)) > 1e-3):
            continue
        keys = ((time - low) * unit + 0.5).astype(np.uint32)
        order = np.argsort(keys.astype(np.uint16), kind="stable")
        upper = (keys >> np.uint32(16)).astype(np.uint16)
        if upper.any():
            order = order[np.argsort(upper[order], kind="stable")]
        if is_ascending(time[order]):  # no two times share a key
            return order
    return np.argsort(time, kind="stable")
