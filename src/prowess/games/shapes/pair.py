"""Logs of the games of a team or player, and games in two rows, one for each side.

`Boston | @ Miami | L 109-104`: the opponent's cell or a column says who was at home, the result is
that of the row's own side. Where the log holds a game once for each side, both rows become one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from prowess.games.cells.outcome_words import reason_not_played
from prowess.games.cells.outcomes import OutcomeParser
from prowess.games.cells.scorelines import note_points_first, parse_scoreline
from prowess.games.columns import InputTable, WholeRows, as_name, as_text
from prowess.games.errors import MEND, BadData, InvalidValue, quote
from prowess.games.roles.candidates import UNNAMED
from prowess.games.roles.contests import find_end_of_winner, own_score, tells_own_result
from prowess.games.roles.evidence import ColumnEvidence, TableEvidence, choose_only, is_number
from prowess.games.roles.pairs import find_only_pair, find_pairs
from prowess.games.roles.results import find_lead, score_of_lead
from prowess.games.roles.roles import is_of_kind
from prowess.games.shapes.operators import (
    DerivedColumn,
    derive_columns,
    derive_role,
    find_whole_layout,
    name_column,
    rearrange_rows,
)
from prowess.games.values import SAYS_YES, is_missing, lazy_pattern, parse_or_none, plain_form
from prowess.games.vocabulary import MORE, SIDE_WORDS, alternatives, read_heading, words_for

if TYPE_CHECKING:
    from prowess.games.layout import Layout
    from prowess.games.roles.headings import Headings


TWINS = 0.8  # of the rows have another of the same game: then the log holds each game twice
AT = lazy_pattern(
    rf"(?P<at>@|vs\.? ?|(?:{alternatives('played_at', 'versus')})\.? )\s*(?P<name>.+)",
    re.IGNORECASE,
)
AWAY_MARKS = words_for("played_at")
HOME = SIDE_WORDS["home"] | {"vs", "v", "h", "1"}
AWAY = SIDE_WORDS["away"] | {"@", "at", "a", "r", "road"}
AWAY_OF = {  # of home and away in one language, and which of them is away
    frozenset(pair): pair[1] for pair in words_for("side_letters")
}
NEUTRAL = words_for("neutral") | {"n"}


def find_opponents(headings: Headings) -> tuple[str, str] | None:
    """The columns of the players of the rows and of their opponents."""
    pair = find_only_pair(headings)
    return pair if pair and "opponent" in read_heading(pair[1]).sides else None


def find_log(headings: Headings) -> tuple[str, str] | None:
    """The columns of the players of a log and of their opponents, or of winners and losers."""
    guessed = headings.guessed
    of_winners = {"winner", "loser"} <= guessed.keys() and not find_pairs(headings)
    return (guessed["winner"], guessed["loser"]) if of_winners else find_opponents(headings)


def find_twins(headings: Headings) -> tuple[Layout] | None:
    """The layout of a table in which games may stand twice; None of another one."""
    of_rows = "player_a" in headings.by_shape or find_opponents(headings)
    return find_whole_layout(headings) if of_rows else None


def split_opponents(table: InputTable, headings: Headings, a: str, b: str) -> InputTable | None:
    """The opponents without `@` and `vs` before their names, and who is at home."""
    texts = headings.evidence[b].texts
    found = [match for text in texts if (match := AT.fullmatch(text))]
    marks = {match["at"].strip(" .").casefold() for match in found}
    own = headings.evidence[a].names
    named = {match["name"].casefold() for match in found}
    if not found or ("@" not in marks and not (named & own and len(found) == len(texts))):
        return None

    def split(cell: Any) -> tuple[str, int]:
        match = AT.fullmatch(as_name(cell))
        if match is None:
            return as_name(cell), 1
        return match["name"], -1 if match["at"].strip(" .").casefold() in AWAY_MARKS else 1

    note = f"column {quote(b)} says who was at home: @ is away"
    table = replace(table, roles={**table.roles, "player_a": (a,)})
    table = derive_role(table, "player_b", f"{b}, name", [b], lambda cell: split(cell)[0])
    return derive_role(table, "side", f"{b}, side", [b], lambda cell: split(cell)[1], note)


def find_home(table: InputTable, headings: Headings, a: str, b: str) -> InputTable | None:
    """The side of each row by a column such as H/A, or one with @ where the first was away."""
    if table.side or headings.options.side:
        return None
    for name in headings.names:
        if away := _find_away(name, headings.evidence[name]):
            side_of = partial(_side_of, away=away, empty=1)
            note = f"column {quote(name)} says whether {quote(a)} was at home"
            return derive_role(table, "side", f"{name}, side", [name], side_of, note)
    return None


def _find_away(name: str, column: ColumnEvidence) -> Collection[str]:
    """The words for away in a column that says whether a side was at home; empty for others."""
    words = {plain_form(text) for text in column.names}
    if not _may_be_result(name) and (letter := AWAY_OF.get(frozenset(words - NEUTRAL))):
        return letter
    told = words & AWAY and words <= HOME | AWAY | NEUTRAL and words != {"1", "a"}
    marked = words == {"@"} and column.filled < column.rows
    return AWAY if told and (words & HOME or marked) else ""


def _may_be_result(heading: str) -> bool:
    """Whether letters under a heading may say who won."""
    return heading.startswith(UNNAMED) or "result" in read_heading(heading).subjects


# Games that stand twice, once for each side.


Pairs = list[tuple[int, int]]  # the two rows of each game


def merge_twins(table: InputTable, headings: Headings, layout: Layout) -> InputTable | None:
    """The table with each game once, where most games stand once for each side; None for others.

    Raises BadData where two rows of a game contradict one another.
    """
    points = _own_points(headings, layout)
    opposite = name_column(table, f"{points}, other")
    columns, least = headings.evidence.rows, TWINS * headings.evidence.count
    key = next(
        (key for key in _keys(headings, layout)
         if 2 * len(_pair_twins(columns, layout, key)) >= least > 0.0), None
    )  # fmt: skip
    if key is None:
        return None

    def keep_first(rows: WholeRows) -> Sequence[int]:
        pairs = _pair_twins(rows.cells, layout, key)
        drop = _find_second_rows(table, layout, rows, pairs)
        copy_partners(rows, pairs, {opposite: points} if points else {})
        return [row for row in range(rows.count) if row not in drop]

    roles = {"score_a": points, "score_b": opposite} if points else {}
    roles |= {"result": layout.result} if points and layout.form == "result" else {}
    sources = [*layout.columns(), *key, *([points] if points else [])]
    notes = [
        *_note_points_first(headings, layout),
        "each game stood twice, once for each side: both rows are one game",
    ]
    made = [opposite] if points else []
    return rearrange_rows(table, sources, keep_first, made=made, roles=roles, notes=notes)


def _note_points_first(headings: Headings, layout: Layout) -> list[str]:
    """Whose points stand first in results such as `L 3-1`, where all rows say the same: that of the
    loser may be the one that is left out.
    """
    if layout.form != "result":
        return []
    lines = (parse_scoreline(str(cell)) for cell, _ in headings.evidence[layout.result].counts)
    order = choose_only({line.first for line in lines if line and line.first})
    return [note_points_first(layout.result, order)] if order else []


def copy_partners(rows: WholeRows, pairs: Pairs, made: Mapping[str, str]) -> None:
    """Make columns of what others hold in the other row of a pair."""
    for name, source in made.items():
        cells, held = rows.cells[source], [None] * rows.count
        for one, other in pairs:
            held[one], held[other] = cells[other], cells[one]
        rows.cells[name] = held


def _own_points(headings: Headings, layout: Layout) -> str | None:
    """The only column of the points of a row's own side, where none holds those of the other."""
    if layout.form != "result" or layout.points_a or headings.evidence[layout.result].scorelines:
        return None
    own = [
        name
        for name in headings.names
        if "points" in read_heading(name).subjects
        and not read_heading(name).sides
        and headings.evidence[name].points == 1.0
        and headings.evidence[name].filled == headings.evidence[name].rows
        and name != layout.result
    ]
    return choose_only(own)


def refuse_contradictions(table: InputTable, headings: Headings, layout: Layout) -> None:
    """Raise BadData where two rows of one game, by its id, name another winner."""
    name = headings.plain.get("gameid")
    if name is None or headings.options.where or headings.options.exclude:
        return
    rows = headings.evidence.rows
    if layout.kind != "games" or layout.form != "winner" or layout.sides:
        return
    seen: dict[tuple[str, frozenset[str]], int] = {}
    for at, key in enumerate(rows[name]):
        players = frozenset(as_name(rows[side][at]).casefold() for side in (layout.a, layout.b))
        first = seen.setdefault((str(key), players), at)
        one, other = (str(rows[layout.result][row]) for row in (first, at))
        if one.casefold() != other.casefold():
            raise BadData.of(
                "winners_contradict", file=table.file, key=key, one=one, other=other, name=name
            )


def _keys(headings: Headings, layout: Layout) -> list[tuple[str, ...]]:
    """The columns that may tell games apart beside their players, the most telling first."""
    match = [
        name
        for name in headings.names
        if {"match", "id"} <= read_heading(name).subjects or name == headings.guessed.get("match")
    ]
    time = [layout.time] if layout.time else []
    tried = [(*time, *match, *layout.round), (*time, *layout.round), tuple(time), tuple(match[:1])]
    return [key for key in dict.fromkeys(tried) if key]


def _pair_twins(cells: Mapping[str, Sequence[Any]], layout: Layout, key: Sequence[str]) -> Pairs:
    """The rows of one game each: those of one key with the sides exchanged, in their order."""
    a, b = ([as_name(cell).casefold() for cell in cells[name]] for name in (layout.a, layout.b))
    keys = zip(*(map(str, cells[name]) for name in key), strict=True)
    waiting: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    pairs = []
    for row, (one, other, game) in enumerate(zip(a, b, keys, strict=True)):
        if earlier := waiting.get((other, one, game)):
            pairs.append((earlier.pop(0), row))
        else:
            waiting[one, other, game].append(row)
    return pairs


def _find_second_rows(table: InputTable, layout: Layout, rows: WholeRows, pairs: Pairs) -> set[int]:
    """The rows that say again what another has said: of the side that was not at home."""
    cells, drop = rows.cells, set()
    outcomes = OutcomeParser(layout.a, layout.b, layout.family)
    for pair in pairs:
        one, other = (_score(layout, outcomes, cells, row) for row in pair)
        if one is not None and other is not None and one + other != 1.0:
            lines = [rows.lines[row] for row in pair]
            shown = [_show(layout, cells, row) for row in pair]
            raise BadData.of(
                "rows_contradict",
                file=table.file,
                one=lines[0],
                other=lines[1],
                first=shown[0],
                second=shown[1],
                **{table.unit: lines[1]},
            )
        away = layout.side is not None and cells[layout.side][pair[0]] == -1
        drop.add(pair[0] if away and other is not None else pair[1])
    return drop


def _score(
    layout: Layout, outcomes: OutcomeParser, cells: Mapping[str, Sequence[Any]], row: int
) -> float | None:
    """The score of the row's own side; None where it cannot be read, or is that of a winner."""
    if layout.form == "result":
        return parse_or_none(outcomes.result, cells[layout.result][row])
    if layout.form == "points" and layout.points_a and layout.points_b:
        return score_of_lead(find_lead(cells[layout.points_a][row], cells[layout.points_b][row]))
    return None


def _show(layout: Layout, cells: Mapping[str, Sequence[Any]], row: int) -> str:
    """A row in a message: `Ann against Ben "Win"`."""
    told = [layout.result] if layout.form == "result" else [layout.points_a, layout.points_b]
    result = ":".join(str(cells[name][row]) for name in told if name)
    return f"{cells[layout.a][row]} against {cells[layout.b][row]} {quote(result)}"


# Games that stand in two rows, one for each side: `game_id, team, home/away, goals, won`.
#
# A column that says who was at home, or one that says who won beside points, makes games of them.
# Tables with a match and a player alone stay contests, of which those of two are games.


FEW = 0.2  # of the games may be incomplete: they are refused
FLAGS = frozenset({"0", "1", "0.0", "1.0", "true", "false", "yes", "no"})  # under `is_home`


def pair_rows(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with one row for each game, that of the side at home; None for another table."""
    evidence, rows = headings.evidence, headings.evidence.rows
    match, player, points = map(headings.guessed.get, ("match", "player", "points"))
    if not match or not player or "place" in headings.guessed:
        return None
    if not is_of_kind(headings, "contests"):
        return None
    pairs, rest = _pair_by(rows[match], rows[player])
    if len(pairs) < 2 or len(rest) > FEW * evidence.count:
        return None
    if points and not (evidence[points].points == 1.0 and evidence[points].filled):
        points = None
    result = _find_result(headings.names, evidence, pairs)
    contrary = result and points and _are_fewer_better(rows[result], rows[points], pairs)
    if contrary and plain_form(str(points)) not in MORE:
        return None  # a contest in which less is better
    home = _find_home_of_pairs(headings.names, evidence, pairs, {match, player})
    if not (result or points) or not (home or (result and points)):
        return None
    other, own, lost, against, side = (
        name_column(table, f"{source}, {what}") for source, what in
        ((player, "other"), (result, "own"), (result, "other"), (points, "points"), (home, "side"))
    )  # fmt: skip
    copied = {made: source for made, source in
              ((other, player), (against, points), (lost, result)) if source}  # fmt: skip

    def join(rows: WholeRows) -> Sequence[int]:
        cells = rows.cells
        pairs, rest = _pair_by(cells[match], cells[player], rows.absent)
        for row in rest:
            what = f"game {quote(cells[match][row])} has no row of the other side, or several"
            rows.refused.setdefault(row, InvalidValue(what, MEND, code="row_without_partner"))
        copy_partners(rows, pairs, copied)
        kept = [pair[home is not None and _side_of(cells[home][pair[0]]) < 0] for pair in pairs]
        return sorted([*rest, *rows.absent, *kept])

    roles = {"player_a": player, "player_b": other}
    roles |= {"result": own} if result else {}
    roles |= {"score_a": points, "score_b": against} if points else {}
    sources = [name for name in (match, player, result, points, home) if name]
    joined = rearrange_rows(table, sources, join, made=[*copied])
    derived = {own: DerivedColumn((result, lost), _own_result)} if result else {}
    derived |= {side: DerivedColumn((home,), _side_of)} if home else {}
    made = derive_columns(
        joined, derived, roles, side=side if home else None,
        notes=[f"the two rows of one {quote(match)} are one game"],
    )  # fmt: skip
    names = [name for name in made.names if name not in {result, home, lost}]
    return replace(made, names=names, shape="a row for each side")


def _pair_by(
    keys: Sequence[Any], players: Sequence[Any], absent: Collection[int] = ()
) -> tuple[Pairs, list[int]]:
    """The two rows of each game, and the rows of games that have another number of rows."""
    games: dict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        if row not in absent:
            games[as_text(key)].append(row)
    pairs, rest = [], []
    for key, rows in games.items():
        names = {as_name(players[row]).casefold() for row in rows}
        if key and len(rows) == len(names) == 2:
            pairs.append((rows[0], rows[1]))
        else:
            rest += rows
    return pairs, rest


def _find_home_of_pairs(
    names: Sequence[str], evidence: TableEvidence, pairs: Pairs, taken: set[str]
) -> str | None:
    """The column that says of each row whether its side was at home: one of each game was."""
    for name in names:
        column = evidence[name]
        flags = "home" in read_heading(name).sides and {*map(plain_form, column.names)} <= FLAGS
        away = AWAY if flags else _find_away(name, column)
        if name in taken or not away or not {*away} <= AWAY:
            continue
        sides = [*map(_side_of, evidence.rows[name])]
        if all(sides[one] == -sides[other] for one, other in pairs) and any(sides):
            return name
    return None


def _find_result(names: Sequence[str], evidence: TableEvidence, pairs: Pairs) -> str | None:
    """The column that says of each row whether its side won: the rows of most games fit."""
    found = []
    for name in filter(tells_own_result, names):
        cells = evidence.rows[name]
        if _fit_pairs([(cells[one], cells[other]) for one, other in pairs]):
            found.append(name)
    return choose_only(found)


def _fit_pairs(pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Whether the results of both sides fit in most games that have some, of which one was won."""
    told = [pair for pair in pairs if not all(map(is_missing, pair))]
    fit = [parse_or_none(lambda pair: _own_result(*pair), pair) for pair in told]
    return 2 * fit.count(None) < len(told) and not {0.0, 1.0}.isdisjoint(fit)


def _are_fewer_better(results: Sequence[Any], points: Sequence[Any], pairs: Pairs) -> bool:
    """Whether the winners have fewer points in each game."""
    told = [[(own_score(results[row]) == 1.0, points[row]) for row in pair] for pair in pairs]
    return all(
        any(won for won, _ in game) and all(is_number(amount) for _, amount in game)
        and find_end_of_winner([(won, float(amount)) for won, amount in game]) < 0.0
        for game in told
    )  # fmt: skip


def _side_of(cell: Any, away: Collection[str] = AWAY, empty: int = 0) -> int:
    """1 at home, -1 away, 0 on neutral ground."""
    word = "" if is_missing(cell) else plain_form(str(cell))
    if word in FLAGS:
        return 1 if word in SAYS_YES or word == "1.0" else -1
    return empty if not word else 0 if word in NEUTRAL else -1 if word in away else 1


def _own_result(one: Any, other: Any) -> float | None:
    """The score of the first of two sides by the results of both; raises InvalidValue where these
    do not fit. Beside a win stands how the other side lost, the same words say how both drew.
    """
    if is_missing(one) and is_missing(other):
        return None
    scores = own_score(one), own_score(other)
    if None not in scores and sum(filter(None, scores)) == 1.0:
        return scores[0]
    played = not any(is_missing(cell) or reason_not_played(str(cell)) for cell in (one, other))
    if None in scores and played:
        if 1.0 in scores:
            return float(scores[0] == 1.0)
        if one == other:
            return 0.5
    raise InvalidValue.of("results_contradict.rows", one=one, other=other)


def join_results(table: InputTable, headings: Headings, a: str, b: str) -> InputTable | None:
    """The table with the results that two columns tell, one for each side in words of its own, as
    `resigned` beside `win`; None for another table, or where one column tells them.
    """
    found = [
        choose_only([
            name for name in headings.names
            if "result" in read_heading(name).subjects
            and read_heading(name).sides & read_heading(player).sides
        ])
        for player in (a, b)
    ]  # fmt: skip
    if None in found or find_whole_layout(headings):
        return None
    columns = [name for name in found if name]
    if not _fit_pairs([*zip(*map(headings.evidence.rows.__getitem__, columns), strict=True)]):
        return None
    note = f"columns {' and '.join(map(quote, columns))} are the results of both sides"
    return derive_role(table, "result", ", ".join(columns), columns, _own_result, note)
