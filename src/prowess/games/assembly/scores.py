"""The numbers of the games of some rows: scores, also of winners, points, margins, dates, ..."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells.outcome_words import DRAWN, reason_of_line, tells_no_event
from prowess.games.cells.scorelines import parse_retired
from prowess.games.cells.validation import CellParsers, RowError, RowValidation
from prowess.games.columns import (
    CellParser,
    Chunk,
    Floats,
    Growing,
    InputColumn,
    Mask,
    ParsedColumn,
    Values,
    as_name,
    as_text,
)
from prowess.games.errors import MEND, SKIP, BadData, InvalidValue, NoGame, quote
from prowess.games.layout import Layout
from prowess.games.names import EMPTY_NAMES
from prowess.games.roles.beside_results import apply_beside, explain_missing
from prowess.games.roles.lineups import Lineup, winning_sides
from prowess.games.values import is_blank, is_missing, plain_form

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Sides = Sequence[Sequence[Lineup]]

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
            raise rows.bad(rows.chunk.line(row), RowError(layout.result, InvalidValue(
                f"{quote(columns[0].cell(row))} names a player here, and may also say which side "
                "won",
                f'say winner="{layout.result}" (--winner) if players are named, '
                f'result="{layout.result}" (--result) if sides are', code="player_or_side",
            )))  # fmt: skip
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
        lambda row: InvalidValue(
            f"{quote(rows.columns[str(layout.draw)].cell(row))} contradicts the winner "
            f"{quote(winner.cell(row))}",
            'correct the row, or leave the column out with draw="none" (--draw none)',
            code="draw_contradicts",
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
            doubtful[row] = two_meanings(name)
    known = {plain_form(name) for name in winner.names} <= outcomes.winners.keys()
    outcomes.winner_names.note_winners(
        words=bool(by_word), names=not known, doubtful=bool(doubtful)
    )
    if not outcomes.winner_names.prevail:
        wrong |= doubtful
    return ParsedColumn(scores, wrong)


def two_meanings(name: str) -> InvalidValue:
    """A winner's name that is also a word for another outcome."""
    return InvalidValue(
        f"{quote(name)} is a player here and also a word for another outcome",
        f"give results as 1-0 or 0-1, or {SKIP}",
        code="name_is_a_word",
    )


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
            rows.refuse_where(same, layout.b, lambda row: self_play(a.cell(row)))
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
                lambda _: InvalidValue(
                    "the weights may be those of the players, not how much a game counts",
                    f'say weight="none" or weight="{layout.weight}" (--weight)',
                    code="weights_of_players",
                ),
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
                rows.restore_fault(row, name, InvalidValue(
                    f"the score is missing beside {quote(rows.columns[other].cell(row))}", MEND,
                    code="score_missing"
                ))  # fmt: skip
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
    rows.refuse_cells(line, {
        row: InvalidValue(
            f"{quote(rows.columns[line].cell(row))} contradicts "
            f"{quote(told.cell(row)) if told and not is_missing(told.cell(row)) else 'the winner'}",
            'correct the row, or take no points with score_a="none" (--score-a none)',
            code="points_contradict",
        )
        for row in np.flatnonzero(wrong[order]).tolist()
    })  # fmt: skip
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


def self_play(name: Any) -> InvalidValue:
    """The error of a row in which both players are one."""
    return InvalidValue(f"{quote(as_name(name))} plays against themselves", MEND, code="self_play")


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
    if layout.form == "result":
        score = rows.parse(layout.result, "own result" if layout.flagged else "result")
        ask_about_clocks(rows, layout.result)
        return 1.0 - score if layout.names_loser else score
    a, b = columns["points_a"], columns["points_b"]
    if not layout.share:
        return np.asarray(0.5 * ((a > b) + 1.0 - (a < b)), np.float64)
    for name, values in ((layout.points_a, a), (layout.points_b, b)):
        rows.refuse_where(
            values < 0.0,
            name,
            lambda _: InvalidValue(
                "negative points cannot be shared", MEND, code="negative_points"
            ),
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
            lambda _: InvalidValue(
                "points too large to be compared", MEND, code="points_too_large"
            ),
        )
        if layout.share:
            return margin
    if layout.draw:
        rows.refuse_where(
            (score == 0.5) & (np.abs(margin) > 0.0),
            layout.draw,
            lambda row: InvalidValue(
                f"a drawn game with a margin of {abs(margin[row]):g}",
                'correct the row, or leave the column out with draw="none" (--draw none)',
                code="draw_with_margin",
            ),
        )
    of_points = layout.form == "result" and not (layout.margin or layout.line)
    level_is_drawn = bool(np.any(score == 0.5)) or plain_form(layout.result) == "ftr"
    rows.refuse_where(
        ((score > 0.5) & (margin < 0.0))
        | ((score < 0.5) & (margin > 0.0))
        | ((score == 0.5) & (margin != 0.0) & of_points)
        | ((score != 0.5) & (margin == 0.0) & of_points & level_is_drawn),
        name,
        lambda row: InvalidValue(
            f"a margin of {margin[row]:g} contradicts a score of {score[row]:g}",
            f"margins count from the first side, negative when it lost; {SKIP}",
            code="margin_contradicts",
        ),
    )
    return margin


# A column of results such as 2-1: the points of both sides, and times of the day among them.


KICK_OFF = re.compile(r"(?:1[0-9]|2[0-3]):[0-5][05]")  # a score, or a time of the day
FIRST_CELLS = 100  # cells
LARGEST, FEWEST_CLOCKS = 9, 3  # number of other scores; clocks where there is nothing else


@dataclass
class Scorelines:
    """The points of both sides that are being gathered from a column of results.

    1-0 and 0-1 alone are results as of chess, and 0-0 beside them may be a draw as well as a game
    without points; a column with a scoreline that no game of chess has (2-1, 1-1) counts points.
    """

    points: tuple[Growing, Growing] | None = None  # from the first such scoreline on
    mixed: bool = False  # whether the column holds other results as well
    scored: bool = False  # whether it holds a scoreline that no game of chess has
    nil: BadData | None = None  # the first 0-0
    odd: Callable[[], str] | None = None  # what says which was the first other result
    said: bool = False  # whether it is said that points are not used

    def add(
        self, chunk: Chunk, column: str, parsers: CellParsers, scores: Growing | None, place: Any
    ) -> None:
        """Take the points of further rows; `scores` are those of all rows before them, and
        `place` says of a line where it stands.
        """
        outcomes = parsers.outcomes
        self.scored |= outcomes.scored
        self.mixed |= outcomes.mixed or parsers["result", column].numbers_met
        cells = chunk.columns[column]
        if outcomes.nil and self.nil is None:
            a, b = (cells.parse(lookup).values for lookup in _points_parsers(parsers, column))
            nils = np.flatnonzero((a == 0.0) & (b == 0.0))
            if len(nils):
                self.nil = place(chunk.line(int(nils[0])))
        if self.mixed:
            self.odd = self.odd or partial(_find_result_without_points, cells, parsers, column)
            if self.scored and not self.said:
                self.said = True
                parsers.notes.append(
                    f"the points in column {quote(column)} are not used: {self.odd()}"
                )
            self.points = None
        elif self.scored:
            if self.points is None:
                self.points = _points_before(scores)
            for points, lookup in zip(self.points, _points_parsers(parsers, column), strict=True):
                points.append(cells.parse(lookup).values)

    def take(self) -> dict[str, Floats]:
        """The points of both sides, where the column tells them, which are given up; raises BadData
        for a 0-0 that may be a draw as well as a game without points.
        """
        if self.nil is not None and not self.scored:
            raise self.nil
        if self.points is None:
            return {}
        a, b = (points.whole() for points in self.points)
        self.points = Growing(), Growing()
        return {"points_a": a, "points_b": b}


def _find_result_without_points(cells: InputColumn, parsers: CellParsers, column: str) -> str:
    """What says that a cell is a result and no scoreline, by the first such cell."""
    lookup = _points_parsers(parsers, column)[0]
    for row in range(min(FIRST_CELLS, len(cells))):  # the first cells often tell, and take no time
        try:
            lookup.parse(cells.cell(row))
        except NoGame:
            continue
        except InvalidValue:
            return f"{quote(cells.cell(row))} has none"
    wrong = cells.parse(lookup).wrong
    odd = (row for row, why in sorted(wrong.items()) if not isinstance(why, NoGame))
    row = next(odd, -1)
    return "some rows" if row < 0 else f"{quote(cells.cell(row))} has none"


def _points_parsers(parsers: CellParsers, column: str) -> list[CellParser]:
    """The parsers of the points of both sides of a scoreline."""
    return [parsers[f"{side} points", column] for side in ("first", "second")]


def _points_before(scores: Growing | None) -> tuple[Growing, Growing]:
    """The points of rows that hold nothing but 1-0, 0-1 and 0-0, by their scores."""
    a, b = Growing(), Growing()
    if scores is not None:
        before = scores.whole()
        a.append((before == 1.0).astype(np.float64))
        b.append((before == 0.0).astype(np.float64))
    return a, b


def ask_about_clocks(rows: RowValidation, name: str) -> None:
    """Refuse results such as 15:30 that may be times: among small scores, or among no others."""
    texts = {text.strip() for text in rows.parsers["result", name] if isinstance(text, str)}
    clocks = {text for text in texts if KICK_OFF.fullmatch(text)} - rows.parsers.outcomes.own.keys()
    numbers = [int(number) for text in texts - clocks for number in re.findall(r"\d+", text)]
    if not clocks or (max(numbers) > LARGEST if numbers else len(clocks) < FEWEST_CLOCKS):
        return
    python = ", ".join(f'"{text}": None' for text in sorted(clocks))
    refusal = InvalidValue(
        f"{quote(min(clocks))} may be a score, or the time at which a game begins",
        f"say with outcomes={{{python}}} (--outcome {min(clocks)}=none ...) that there is no "
        "result, or with 1 or 0 who won",
        code="score_or_clock",
    )
    cell = rows.columns[name].cell
    rows.refuse_cells(name, {
        row: refusal for row in range(rows.chunk.count) if str(cell(row)).strip() in clocks
    })  # fmt: skip
