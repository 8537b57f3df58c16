"""Matches whose parts stand in columns of their own: sets, extra time, a shoot-out, a tie-break;
and results that are marks, or counts of wins and losses.

A later part decides the games whose score before it is level. The winner of a shoot-out wins, and
the points are the goals before it; the score of extra time is that of the whole match, or that of
the extra time alone where it is lower than the score before. A column is known by its heading, by
words in its cells, or because it is filled only where the score is level.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from prowess.games.cells.outcome_words import (
    DRAWS,
    LOSSES,
    WINS,
    find_marked,
    find_open_marks,
    note_marked,
    parser_of_counts,
)
from prowess.games.cells.outcomes import ALPHABETS
from prowess.games.cells.scorelines import parse_scoreline
from prowess.games.columns import InputTable, WholeRows, as_name
from prowess.games.errors import MEND, InvalidValue, NoGame, quote
from prowess.games.layout import NONE, Layout
from prowess.games.reading import join_columns
from prowess.games.roles.candidates import fits_marks, turn_to_players
from prowess.games.roles.evidence import (
    MOST_FIT,
    ColumnEvidence,
    TableEvidence,
    choose_only,
    is_marked,
    is_number,
)
from prowess.games.roles.pairs import (
    find_groups,
    find_only_pair,
    find_pairs,
    find_points_of_both,
    has_result,
)
from prowess.games.roles.results import find_lead, find_result_by_cells
from prowess.games.shapes.operators import (
    DerivedColumn,
    derive_columns,
    derive_role,
    find_roles,
    find_whole_layout,
    name_column,
    rearrange_rows,
)
from prowess.games.shapes.row_order import write_whole
from prowess.games.values import (
    fold_text,
    is_missing,
    lazy_pattern,
    parse_decimal,
    parse_or_none,
    plain_form,
    plain_word,
)
from prowess.games.vocabulary import (
    SUBJECT_WORDS,
    WORD_STEMS,
    read_heading,
    split_heading,
    words_for,
)

if TYPE_CHECKING:
    from prowess.games.roles.headings import Headings


Kind = Literal["extra time", "shoot-out", "later part"]
Pair = tuple[float, float]
ORDER: tuple[Kind, ...] = ("extra time", "later part", "shoot-out")  # in which they are played
PART_WORDS: Mapping[str, Kind] = {
    **dict.fromkeys(words_for("shootout", "shootout_column"), ORDER[2]),
    **dict.fromkeys(words_for("overtime"), ORDER[0]),
    **dict.fromkeys(words_for("last_part"), ORDER[1]),
}
PART_STEMS: Mapping[str, Kind] = {
    **dict.fromkeys(WORD_STEMS["shootout"], ORDER[2]),
    **dict.fromkeys(WORD_STEMS["overtime"], ORDER[0]),
    **dict.fromkeys(WORD_STEMS["last_part"], ORDER[1]),
}
# of penalties
NOT_OF_SHOOTOUT = lazy_pattern("pim$|xg$|" + "|".join(WORD_STEMS["not_of_shootout"]))
HALF_TIME = words_for("half_time")
NOT_LETTERS = re.compile(r"[^a-z]")
SCORE_OF_PART = re.compile(r"(?<![\d.:])(\d{1,3})\s*[-–:]\s*(\d{1,3})(?![\d:])")
FEWEST_ROWS_TOLD = 2  # rows that tell a column without a word
LEAST_SHOTS = 2  # of the winner of a shoot-out
MOST_REMARKS = 4096  # different texts that are remembered as they were read
MOST_SHOTS = 60


class LaterPart(NamedTuple):
    """The column of a later part, or its two columns, of the first and of the second side."""

    kind: Kind
    columns: tuple[str, ...]
    held: bool = False  # whether the score before holds the shoot-out already


def join_later_parts(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with a column of final results, where later parts of matches stand in columns of
    their own; None where they do not.
    """
    kinds = {name: kind for name in headings.names if (kind := kind_of_heading(name))}
    evidence = headings.evidence
    if not kinds and all(evidence[name].filled == evidence.count for name in headings.names):
        return None
    rest = replace(table, names=[name for name in table.names if name not in kinds])
    if not (found := find_whole_layout(find_roles(rest, headings.options, evidence))):
        return None
    (layout,) = found
    main = _columns_of_score(headings, layout) if layout.kind == "games" else ()
    parts = _find_parts(headings, layout, main, kinds) if main else []
    if not parts:
        return None
    columns = (*main, *(name for part in parts for name in part.columns))
    of_winners = layout.form == "winner and loser"
    result = main[0] if of_winners else name_column(table, join_columns(columns))

    def join(*cells: Any) -> Any:
        return _join_cells(dict(zip((layout.a, layout.b, *columns), cells, strict=True)),
                           layout, main, parts)  # fmt: skip

    derived = {result: DerivedColumn((layout.a, layout.b, *columns), join)}
    roles = {} if of_winners else {"result": result, "score_a": NONE, "score_b": NONE}
    notes = [
        f"where the score is level, {join_columns(part.columns)} decides"
        + (f" ({part.kind})" if part.kind != "later part" else "")
        for part in parts
    ]
    made = derive_columns(table, derived, roles, notes=notes)
    used = {*columns} - {result}
    return replace(made, names=[name for name in made.names if name not in used])


def kind_of_heading(name: str) -> Kind | None:
    """The later part that a heading names; None for another heading.

    >>> kind_of_heading("n.E."), kind_of_heading("home_goals_et"), kind_of_heading("Gast")
    ('shoot-out', 'extra time', None)
    """
    folded = fold_text(name)
    letters = NOT_LETTERS.sub("", folded.replace("ß", "ss"))
    for stem, kind in PART_STEMS.items():
        if stem in letters:
            return kind
    if letters in PART_WORDS:
        return PART_WORDS[letters]
    words = [NOT_LETTERS.sub("", word) for word in folded.replace("_", " ").split()]
    words += read_heading(name).words
    found = {PART_WORDS[word] for word in words if len(word) > 1 and word in PART_WORDS}
    if NOT_OF_SHOOTOUT.search(letters):
        return None
    return found.pop() if len(found) == 1 else None


def _columns_of_score(headings: Headings, layout: Layout) -> tuple[str, ...]:
    """The column of scorelines, or of the points of both sides, that tells who won."""
    if layout.form == "points" and layout.points_a and layout.points_b and not layout.share:
        return layout.points_a, layout.points_b
    if layout.form == "result" and headings.evidence[layout.result].scorelines >= MOST_FIT:
        return (layout.result,)
    if layout.form == "winner and loser" and layout.outcome and layout.draw:
        return (layout.draw,)
    return ()


def _score_before(cells: Sequence[Any]) -> Pair | None:
    """The score before any later part; None where it is none, or decided already."""
    if len(cells) == 2:
        if not all(is_number(cell) for cell in cells):
            return None
        a, b = (float(str(cell).replace(",", ".")) for cell in cells)
        return a, b
    line = parse_scoreline(str(cells[0])) if isinstance(cells[0], str) else None
    return line.points if line and not (line.shootout or line.walkover or line.sets) else None


def _read_part(kind: Kind | None, names: tuple[str, str], cells: Sequence[Any]) -> Pair | None:
    """The score of a later part, 1-0 or 0-1 where only the winner is named; None for none.

    `names` are those of both sides, folded. Without a kind a text has to hold a word of a later
    part, unless it is a scoreline or a name.
    """
    if len(cells) == 2:
        found = _score_before(cells)
        return None if found == (0.0, 0.0) and kind == "shoot-out" else found
    if not isinstance(cells[0], str) or is_missing(cells[0]):
        return None
    text, score, known = _read_remark(cells[0])
    if kind is None and not known and text not in names:
        return None
    named = [_is_named(name, text) for name in names]
    if score:
        x, y = score
        if named[0] is not named[1]:
            x, y = (max(x, y), min(x, y)) if named[0] else (min(x, y), max(x, y))
        return x, y
    return (float(named[0]), float(named[1])) if named[0] is not named[1] else None


@lru_cache(MOST_REMARKS)
def _read_remark(cell: str) -> tuple[str, Pair | None, bool]:
    """A text folded, its last score, and whether it is a score alone or names a later part."""
    text = fold_text(cell)
    scores = SCORE_OF_PART.findall(text)
    rest = SCORE_OF_PART.sub(" ", text)
    known = not rest.strip(" ()") or _kind_of_text(rest) is not None
    return text, (float(scores[-1][0]), float(scores[-1][1])) if scores else None, known


def _is_named(name: str, text: str) -> bool:
    """Whether a text names a player; both are folded."""
    found = bool(name) and name in text
    return found and re.search(rf"\b{re.escape(name)}\b", text) is not None


def _fold_names(a: Any, b: Any) -> tuple[str, str]:
    """The names of both sides as texts of remarks are compared with them."""
    return fold_text(as_name(a)), fold_text(as_name(b))


def _kind_of_text(text: str) -> Kind | None:
    """The later part that a remark such as `Ann won 4-3 on penalties` names."""
    words = [NOT_LETTERS.sub("", word) for word in text.split()]
    found = [PART_WORDS.get(word) if len(word) > 1 else None for word in words]
    found += [kind for stem, kind in PART_STEMS.items() if stem in "".join(words)]
    return next((kind for kind in found if kind), None)


def _find_parts(
    headings: Headings, layout: Layout, main: Sequence[str], kinds: Mapping[str, Kind]
) -> list[LaterPart]:
    """The later parts of a table in the order in which they are played."""
    evidence, rows = headings.evidence, headings.evidence.rows
    words = (name for name, kind in layout.states if kind != "forfeit")
    taken = {*layout.columns()} - {*layout.leftover, *words}
    numbers: dict[tuple[Kind | None, tuple[bool, ...]], list[str]] = defaultdict(list)
    open_: list[tuple[Kind | None, tuple[str, ...]]] = []
    for name in headings.names:
        column, kind = evidence[name], kinds.get(name)
        if name in taken or not column.filled:
            continue
        if kind is None and (
            column.filled == column.rows or HALF_TIME & {*read_heading(name).words}
        ):
            continue
        if column.numbers == 1.0:
            numbers[kind, tuple(column.missing)].append(name)
        else:
            open_.append((kind, (name,)))
    for (kind, _), names in numbers.items():
        if len(names) == 2:
            points = names[0], names[1]
            open_.append((kind, turn_to_players(layout.a, layout.b, points)))
    before = [_score_before(cells) for cells in zip(*(rows[name] for name in main), strict=True)]
    decided = sum(score is not None and score[0] != score[1] for score in before)
    players = [*map(_fold_names, rows[layout.a], rows[layout.b])]
    found = []
    for kind, columns in open_:
        cells = zip(*(rows[name] for name in columns), strict=True)
        told = [
            _read_part(kind, names, each) if score is not None else None
            for names, each, score in zip(players, cells, before, strict=True)
        ]
        both = [
            (score, part) for score, part in zip(before, told, strict=True)
            if score is not None and part is not None
        ]  # fmt: skip
        held = kind == "shoot-out" and _are_held(both)
        if held or _decides(kind, both, decided):
            texts = " ".join(fold_text(str(cell)) for cell in evidence[columns[0]].cells)
            found.append(LaterPart(kind or _kind_of_text(texts) or "later part", columns, held))
    return sorted(found, key=lambda part: ORDER.index(part.kind))


def _decides(kind: Kind | None, both: Sequence[tuple[Pair, Pair]], decided: int) -> bool:
    """Whether a column tells a later part of games whose score before is level, by the scores
    before and of that part, beside so many games that are `decided` before.
    """
    if kind == "extra time":  # the score of the match beside others
        both = [(score, part) for score, part in both if score[0] == score[1] or score != part]
    inside = [part for score, part in both if score[0] == score[1]]
    outside = len(both) - len(inside)
    if kind is None:
        return (
            len(inside) >= FEWEST_ROWS_TOLD and not outside and decided > 0
            and all(a != b and max(a, b) <= MOST_SHOTS for a, b in inside)
        )  # fmt: skip
    if not inside or 2 * outside <= len(inside):
        return bool(inside)
    seldom = 2 * outside < decided  # the second leg of a tie; penalties in the match are more
    return seldom and all(a != b and max(a, b) >= LEAST_SHOTS for _, (a, b) in both)


def _are_held(both: Sequence[tuple[Pair, Pair]]) -> bool:
    """Whether each score holds the shoot-out beside it: 5-4 beside 4-3."""
    return bool(both) and all(
        score[0] - part[0] == score[1] - part[1] >= 0.0 and part[0] != part[1]
        and max(part) >= LEAST_SHOTS
        for score, part in both
    )  # fmt: skip


def _join_cells(
    row: Mapping[str, Any], layout: Layout, main: Sequence[str], parts: Sequence[LaterPart]
) -> Any:
    """The result of a match with what decided it: `1-2`, or `1-1 (4-3 p)`."""
    cells = [row[name] for name in main]
    score = _score_before(cells)
    if score is None:
        missing = [is_missing(cell) for cell in cells]
        if len(cells) == 1 or all(missing):
            return cells[0]
        if any(missing):
            what = f"the score is missing beside {quote(cells[missing.index(False)])}"
            raise InvalidValue(what, MEND, code="parts_contradict")
        return next((cell for cell in cells if not is_number(cell)), cells[0])
    shown = cells[0] if len(cells) == 1 else f"{score[0]:g}-{score[1]:g}"
    names = _fold_names(row[layout.a], row[layout.b])
    for part in parts:
        told = [row[name] for name in part.columns]
        pair = _read_part(part.kind, names, told)
        if pair is None or (part.kind == "extra time" and pair[0] == pair[1]):
            continue
        if score[0] != score[1] and not part.held:
            continue
        if pair[0] == pair[1]:
            shown = "-".join(str(cell).strip() for cell in told)
            what = f"{quote(shown)} does not tell who won the {part.kind}"
            raise InvalidValue(what, MEND, code="parts_contradict")
        if part.kind != "extra time":
            return f"{score[0]:g}-{score[1]:g} ({pair[0]:g}-{pair[1]:g} p)"
        whole = min(pair) >= score[0]
        score = pair if whole else (score[0] + pair[0], score[1] + pair[1])
        shown = f"{score[0]:g}-{score[1]:g}"
    return shown


# Matches whose sets stand in columns of their own: `1. Satz`, `2. Satz`, ..., each 11:8, or in
# two columns each: `S1 H`, `S1 A`, `S2 H`, ...


SET_WORDS = SUBJECT_WORDS["sets"] | {"s"}
GAMES_OF_MATCH = words_for("game_of_match")  # in badminton

TIE_BREAKS = words_for("last_part") | {"champions"}  # in place of the last set of all matches


def join_sets(table: InputTable, headings: Headings, *players: str) -> InputTable | None:
    """The table with a column of all sets of each match; None where no columns hold sets."""
    evidence = headings.evidence

    def name_side(name: str, words: list[str]) -> str | None:
        """The column of the player whose points in a set a column holds."""
        rest = [word for word in words if word not in SET_WORDS]
        if len(words) != 2 or len(rest) != 1 or evidence[name].points < MOST_FIT:
            return None
        return choose_only(
            each for each in players
            if any(word.startswith(rest[0]) for word in read_heading(each).words)
        )  # fmt: skip

    def name_set(name: str, words: list[str]) -> str | None:
        """The word for sets, where a column holds the scorelines of one."""
        of_set = len(words) == 1 and words[0] in SET_WORDS | GAMES_OF_MATCH
        return words[0] if of_set and evidence[name].scorelines >= MOST_FIT else None

    sides = [_number_columns(headings, name_side).get(each, ()) for each in players]
    join, paired = _join_points, len(sides[0]) == len(sides[1]) > 1
    columns = tuple(chain(*zip(*sides, strict=False)))
    if not paired or headings.guessed.keys() & {"result", "winner"}:
        if has_result(headings, *players):
            return None
        found = choose_only(_number_columns(headings, name_set).values())
        if found is None or len(found) < 2:
            return None
        decider = _find_decider(headings, found)
        told = find_result_by_cells(headings, *players)
        if told and told[1] not in decider:
            return None
        join, columns = _join_lines, found + decider
    note = f"columns {join_columns(columns)} are the sets of a match"
    return derive_role(table, "result", f"sets of {join_columns(columns)}", columns, join, note)


def _number_columns(
    headings: Headings, read: Callable[[str, list[str]], str | None]
) -> dict[str, tuple[str, ...]]:
    """The columns whose headings count from 1, by what `read` makes of their other words."""
    numbered: dict[str, dict[int, str]] = defaultdict(dict)
    for name in headings.names:
        words = split_heading(name)
        numbers = [int(word) for word in words if word.isdigit()]
        if len(numbers) == 1 and (what := read(name, [w for w in words if not w.isdigit()])):
            numbered[what][numbers[0]] = name
    return {
        what: tuple(held[number] for number in sorted(held)) for what, held in numbered.items()
        if sorted(held) == [*range(1, len(held) + 1)]
    }  # fmt: skip


def _join_lines(*cells: Any) -> str:
    return " ".join(str(cell).strip() for cell in cells if not is_missing(cell))


def _join_points(*cells: Any) -> str:
    sets = zip(cells[::2], cells[1::2], strict=True)
    played = [(x, y) for x, y in sets if not (is_missing(x) and is_missing(y))]
    return " ".join(f"{write_whole(x).strip()}-{write_whole(y).strip()}" for x, y in played)


def _find_decider(headings: Headings, sets: tuple[str, ...]) -> tuple[str, ...]:
    """The column of what is played where the sets are level, and nowhere else."""
    rows = headings.evidence.rows
    lines = zip(*(rows[name] for name in sets), strict=True)
    level = [_are_sets_level(cells) for cells in lines]
    found = [
        name for name in headings.names
        if name not in sets and (not all(level) or TIE_BREAKS & {*split_heading(name)})
        and headings.evidence[name].scorelines >= MOST_FIT
        and level == [not is_missing(cell) for cell in rows[name]]
    ]  # fmt: skip
    return tuple(found) if len(found) == 1 else ()


def _are_sets_level(sets: Sequence[Any]) -> bool:
    """Whether both sides have won as many sets."""
    found = (parse_scoreline(str(cell)) for cell in sets if not is_missing(cell))
    scores = [line.score for line in found if line]
    return bool(scores) and sum(scores) == 0.5 * len(scores)


def find_first_players(headings: Headings) -> tuple[str, str] | None:
    """The columns of both players, or of the first members of both sides."""
    if find_pairs(headings) or not (members := choose_only(find_groups(headings))):
        return find_only_pair(headings)
    return members.sides[0][0], members.sides[1][0]


# Results that stand in columns of their own: a mark for who won, or counts of wins and losses.


SCORES_OF_MARKS = {"a": 1.0, "draw": 0.5, "b": 0.0}
LONGEST_MATCH = 9  # games of a match


def find_marks(table: InputTable, headings: Headings, a: str, b: str) -> InputTable | None:
    """The table with a column of results made of marks or counts; None where there are none.

    Beside the points of both sides a mark tells who won: the points may be kills, or goals before
    a shoot-out.
    """
    points = find_points_of_both(headings, "result", a, b)
    score = headings.guessed.get("score")
    told = {headings.guessed.get(role) for role in ("result", "winner")} - {None}
    if told - {score} or (told and points):
        return None
    score = None if points or "score_a" in headings.options.roles else score
    marks: dict[str, str] = {}
    counts: dict[str, str] = {}
    wins: dict[str, str] = {}
    for name in headings.names:
        side, column = _marked_side(name, a, b), headings.evidence[name]
        if side and fits_marks(column):
            marks.setdefault(side, name)
        if side and _fits_counts(column):
            wins.setdefault(side, name)
        counted = _count_of(name)
        if counted and _fits_counts(column):
            counts.setdefault(counted, name)
    spelt = bool(counts)
    if not counts:
        counts = _find_letters(headings, a, b)
    if {"a", "b"} <= counts.keys():
        several = _count_several(headings.evidence, counts)
        found = ", ".join(map(quote, counts.values()))
        if score and _tell_score(headings.evidence, counts, score):
            kept = [name for name in table.names if name not in counts.values()]
            return replace(table, names=kept, roles={**table.roles, "result": (score,)})
        if several and points:
            raise headings.bad("counts_or_score", found=found, one=points[0], other=points[1])
        if score and (headings.evidence[score].numbers == 1.0 if several else "draw" in counts):
            raise headings.bad("counts_or_score.share", found=found, score=score)
        if score and several:
            note = f"columns {found} count several games in a row and are not used: column "
            note += f"{quote(score)} tells the result of one"
            return replace(table, notes=(*table.notes, note))
        asked = headings.options.roles
        if several and not (spelt or "draw" in counts or "score_a" in asked):
            raise headings.bad("wins_or_score", one=counts["a"], other=counts["b"])
        if several and "weight" in asked:
            raise headings.bad("counts_or_score.weight", found=found)
        if several:
            return _expand_counts(table, counts, headings.evidence, headings.guessed.get("weight"))
        marks = marks if points else counts
    if score:
        return None
    if {"a", "b"} <= wins.keys() and not {"a", "b"} <= marks.keys() and not points:
        if "score_a" in headings.options.roles:  # "none": they count games
            unused = headings.guessed.get("weight")
            return _expand_counts(table, wins, headings.evidence, unused)
        return _take_wins(table, headings, wins)
    if "a" in marks or "b" in marks:
        return _join_marks(table, marks, points or (), headings.evidence)
    return None


def _are_grouped(headings: Headings, *players: str) -> bool:
    """Whether each pair of players has one row, and no row a date."""
    pairs = [*zip(*(map(str, headings.evidence.rows[name]) for name in players), strict=True)]
    dated = headings.guessed.keys() & {"date", "maybe date"}
    return not dated and len({*map(frozenset, pairs)}) == len(pairs)


def _count_several(evidence: TableEvidence, counts: Mapping[str, str]) -> bool:
    """Whether columns of counts tell of a row that it stands for none or several games."""
    return any(sum(row) != 1 for row in _read_counts(evidence, counts.values()))


def _tell_score(evidence: TableEvidence, counts: Mapping[str, str], score: str) -> bool:
    """Whether each row counts at most one game, whose score or scoreline stands beside it."""
    sides = [SCORES_OF_MARKS[side] for side in counts]
    for row, cell in zip(
        _read_counts(evidence, counts.values()), evidence.rows[score], strict=True
    ):
        line = parse_scoreline(str(cell))
        told = line.score if line else parse_or_none(parse_decimal, cell)
        won = dict(zip(row, sides, strict=True)).get(1, 0.5)  # no win is a draw
        if sum(row) > 1 or told != won:
            return False
    return True


def _find_letters(headings: Headings, *players: str) -> dict[str, str]:
    """The columns that count games won, drawn and lost under letters of one language, or W and L.

    Raises BadData where they may count others than those of their row and nothing else tells the
    results.
    """
    names, evidence = {plain_word(name): name for name in headings.names}, headings.evidence
    letters = next((each for each in (*ALPHABETS, "wl") if {*each} <= names.keys()), "")
    sides = [*SCORES_OF_MARKS] if letters[2:] else ["a", "b"]
    found = {side: names[letter] for side, letter in zip(sides, letters, strict=False)}
    columns = [evidence[name] for name in found.values()]
    whole = all(map(_fits_counts, columns))
    named = all(evidence[name].may_be_names for name in players)  # no records of standings
    if not (found and named and (whole or all(column.points == 1.0 for column in columns))):
        return {}
    counted = _are_grouped(headings, *players) or "score_a" in headings.options.roles
    if whole and (counted or not _count_several(evidence, found)):
        return found
    score = headings.guessed.get("score")
    lines = score is not None and evidence[score].scorelines >= MOST_FIT
    if whole and score and (lines or _tell_score(evidence, found, score)):
        return found
    other = find_whole_layout(headings)
    if other and other[0].result not in found.values():
        return {}
    raise headings.bad("wins_or_score", one=found["a"], other=found["b"])


def _take_wins(table: InputTable, headings: Headings, wins: dict[str, str]) -> InputTable:
    """The table with the games that each side won as the points of a match.

    A match ends when one side has won so many, nearly always the same number. Raises BadData where
    they may count games that were played at other times.
    """
    sides = [side for side in SCORES_OF_MARKS if side in wins]
    rows = [*_read_counts(headings.evidence, [wins[side] for side in sides])]
    most = [max(row[0], row[-1]) for row in rows]
    counted = max(map(sum, rows)) > LONGEST_MATCH
    if counted or 2 * most.count(max(most)) < len(most) or max(most) < 2:
        raise headings.bad("wins_or_score", one=wins["a"], other=wins["b"])
    roles = {**table.roles, "score_a": (wins["a"],), "score_b": (wins["b"],)}
    note = f"columns {quote(wins['a'])} and {quote(wins['b'])} are the score of a match"
    return replace(table, roles=roles, notes=(*table.notes, note))


def _marked_side(name: str, a: str, b: str) -> str | None:
    """Whose win the marks of a column tell: a, b, or draw; None for another column."""
    heading = read_heading(name)
    words = [word for word in heading.words if word not in WINS]
    if "draw" in heading.subjects and not heading.unknown:
        return "draw"
    if len(words) == len(heading.words):
        return None
    if not words:  # of the row's own player
        return "a" if "opponent" in read_heading(b).sides else None
    rest = read_heading(" ".join(words))
    first, second = ({*read_heading(name).words} for name in (a, b))
    for side, own in (("a", first - second), ("b", second - first)):
        if {*words} <= own:  # blue_win beside blue_p1 and orange_p1
            return side
    for side, player in (("a", a), ("b", b)):
        if rest.sides & read_heading(player).sides or plain_form(" ".join(words)) == plain_form(
            player
        ):
            return side
    return None


def _join_marks(
    table: InputTable, marks: dict[str, str], points: Sequence[str], evidence: TableEvidence
) -> InputTable:
    """The table with the result that marks tell.

    Where some marks say no, an empty cell says nothing. A game of equal points is a draw if no
    side is marked, or if the marks of one side are at none of these games.
    """
    sides, columns = list(marks), tuple(marks.values())
    says_no = any(is_marked(cell) is False for name in columns for cell in evidence[name].cells)
    single = not {"a", "b"} <= marks.keys()
    pairs = zip(*(evidence.rows[name] for name in points), strict=True)
    level = [row for row, pair in enumerate(pairs) if find_lead(*pair) == 0.0]
    drawn = bool(level) and not any(
        is_marked(evidence.rows[name][row]) for row in level for name in columns
    )

    def score(*cells: Any) -> float | None:
        told, of_points = cells[: len(columns)], cells[len(columns) :]
        if says_no and all(map(is_missing, told)):
            return None
        marked = [is_marked(cell) for cell in told]
        if None in marked:
            cell = told[marked.index(None)]
            raise InvalidValue.of("not_yes_or_no", text=cell)
        won = [side for side, each in zip(sides, marked, strict=True) if each]
        if len(won) == 1:
            return SCORES_OF_MARKS[won[0]]
        if not won and of_points and (drawn or not single):
            if all(map(is_missing, of_points)):
                return None
            if find_lead(*of_points) == 0.0:
                return SCORES_OF_MARKS["draw"]
        if not won and single:
            return SCORES_OF_MARKS["a" if "b" in sides else "b"]
        shown = " and ".join(map(quote, columns))
        raise InvalidValue.of("not_one_mark", count="several" if won else "none", shown=shown)

    result = name_column(table, "result of " + ", ".join(columns))
    notes = []
    if single:
        notes.append(f"column {quote(columns[0])} tells who won: no is a win of the other side")
    if single and drawn:
        notes[-1] += ", or a draw where the points are equal"
    derived = {result: DerivedColumn((*columns, *points), score)}
    made = derive_columns(table, derived, {"result": result}, notes=notes)
    return replace(made, names=[name for name in made.names if name not in columns])


def _count_of(name: str) -> str | None:
    """What a column counts of a pair of players: wins of a, wins of b (losses), or draws."""
    words = set(read_heading(name).words)
    if len(words) != 1:
        return None
    if words <= WINS:
        return "a"
    if words <= LOSSES:
        return "b"
    return "draw" if words <= DRAWS or "draw" in read_heading(name).subjects else None


def _fits_counts(column: ColumnEvidence) -> bool:
    every, parse = column.filled == column.rows, parser_of_counts(column.cells)
    return every and column.share(lambda cell: parse_or_none(parse, cell) is not None) == 1.0


def _read_counts(table: TableEvidence, names: Iterable[str]) -> Iterator[tuple[int, ...]]:
    """How many games each of the columns counts, row by row."""
    columns = (table.rows[name] for name in names)
    return zip(*(map(parser_of_counts(cells), cells) for cells in columns), strict=True)


def _expand_counts(
    table: InputTable, counts: dict[str, str], evidence: TableEvidence, unused: str | None
) -> InputTable:
    """A table with a row for each result of a table that counts them, weighted by the count."""
    result = name_column(table, "result of " + ", ".join(counts.values()))
    weight = name_column(table, "count of " + ", ".join(counts.values()))
    shown = f"columns {', '.join(map(quote, counts.values()))}"
    by_side = [(score, counts[side]) for side, score in SCORES_OF_MARKS.items() if side in counts]

    def take_each_result(rows: WholeRows) -> Sequence[int]:
        known, times = rows.count, list[int]()
        for cells in (rows.cells[name] for _, name in by_side):
            parse, questions = parser_of_counts(cells), find_open_marks(cells)
            for row, cell in enumerate(cells):
                try:
                    if isinstance(cell, str) and cell in questions:
                        raise questions[cell]
                    times.append(0 if row in rows.absent else parse(cell))
                except InvalidValue as found:
                    times.append(0)
                    rows.refused.setdefault(row, found)
        for row in range(known):
            if row not in rows.refused and not any(times[row::known]):
                rows.absent.setdefault(row, NoGame(f"{shown} are 0", "not played"))
        none = rows.refused.keys() | rows.absent.keys()
        for held in (*rows.cells.values(), rows.lines):
            held.extend(held * (len(by_side) - 1))
        rows.cells[weight] = times
        rows.cells[result] = [score for score, _ in by_side for _ in range(known)]
        told = (row for row, count in enumerate(times) if count or row in none)
        return sorted(told, key=lambda row: row % known)

    notes = [f"{shown} count the games of each row"]
    marked = ((name, find_marked(evidence.rows[name])) for name in counts.values())
    notes += [note_marked(name, text) for name, text in marked if text]
    notes += [f"column {quote(unused)} is not used"] if unused else []
    sources = {**table.sources, **dict.fromkeys((result, weight), tuple(counts.values()))}
    return rearrange_rows(
        table, counts.values(), take_each_result, made=[result, weight], notes=notes,
        roles={"result": result, "weight": weight}, sources=sources,
    )  # fmt: skip
