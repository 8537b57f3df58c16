"""Rows of one player or team each, with a column that says how this side of the match fared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prowess.games.cells.outcome_columns import decide_outcomes
from prowess.games.cells.outcome_words import WINS
from prowess.games.cells.outcomes import OutcomeParser
from prowess.games.cells.side_results import parse_own_result
from prowess.games.columns import as_name
from prowess.games.errors import InvalidValue
from prowess.games.roles.evidence import is_marked, is_number
from prowess.games.values import parse_decimal
from prowess.games.vocabulary import read_heading

if TYPE_CHECKING:
    from prowess.games.roles.evidence import TableEvidence


FEWEST_PARTS = 3  # of a game: ends, innings


def find_own_results(names: Sequence[str], evidence: TableEvidence, match: str) -> list[str]:
    """The columns that say of each row whether its player won the match, which `match` names.

    Each match has a winner and one who did not win, or nobody won and nobody lost.
    """
    rows = evidence.rows[match]
    found = []
    for name in names:
        if not tells_own_result(name) or evidence[name].filled < len(rows):
            continue
        scores = read_own_scores(evidence.rows[name])
        if None not in scores and _are_of_matches(_group(rows, scores)):
            found.append(name)
    return found


def tells_own_result(name: str) -> bool:
    """Whether a heading may be that of how the player of a row fared: `won`, `game_result`."""
    heading = read_heading(name)
    won = [word for word in heading.words if word in WINS]
    named = "result" in heading.subjects or won
    return bool(named) and not heading.spoiled and heading.unknown <= len(won)


def better_end(
    names: Sequence[str], evidence: TableEvidence, points: str, keys: Sequence[str], player: str
) -> float:
    """1.0 where the winner of each contest has the most points, -1.0 where they have the fewest;
    0.0 where no column marks or names the winners.
    """
    rows = evidence.rows
    contests = list(zip(*(rows[name] for name in keys), strict=True))
    if not contests or not all(map(is_number, rows[points])):
        return 0.0
    told = set()
    for name in names:
        heading = read_heading(name)
        of_winner = "winner" in heading.sides or not WINS.isdisjoint(heading.words)
        if name in {points, player, *keys} or heading.spoiled or not of_winner:
            continue
        marks = [is_marked(cell) for cell in rows[name]]
        if None in marks:
            named = zip(rows[name], rows[player], strict=True)
            marks = [as_name(winner).casefold() == as_name(who).casefold() for winner, who in named]
        try:
            marked = list(zip(marks, map(parse_decimal, rows[points]), strict=True))
        except InvalidValue:  # 1,500 or 1e999: said where the rows are read
            return 0.0
        groups = _group(contests, marked)
        if all(sum(won for won, _ in group) == 1 and len(group) > 1 for group in groups):
            told |= {_sign(group) for group in groups}
    if not told and _adds_up(names, evidence, points, contests):
        return 1.0
    return told.pop() if len(told) == 1 else 0.0


def _adds_up(
    names: Sequence[str], evidence: TableEvidence, points: str, contests: Sequence[Any]
) -> bool:
    """Whether points are the sums of numbered ends or innings of games between two, in some of
    which nothing was scored.
    """
    parts = [name for name in names if name.isdigit() and evidence[name].filled == evidence.count]
    sizes = Counter(contests)
    if len(parts) < FEWEST_PARTS or {*sizes.values()} != {2}:
        return False
    try:
        cells = [[parse_decimal(cell) for cell in evidence.rows[name]] for name in parts]
        totals = [parse_decimal(cell) for cell in evidence.rows[points]]
    except InvalidValue:
        return False
    sums = [sum(row) for row in zip(*cells, strict=True)]
    return sums == totals and any(0.0 in column for column in cells)


def _sign(group: Sequence[tuple[bool, float]]) -> float:
    """Whether the winner of a contest has the most points (1.0), the fewest (-1.0) or neither."""
    best = next(points for won, points in group if won)
    others = [points for won, points in group if not won]
    return 1.0 if best > max(others) else -1.0 if best < min(others) else 0.0


def own_score(cell: Any) -> float | None:
    """The score of the player of a row as a cell tells it, None where it does not."""
    try:
        return parse_own_result(cell)
    except InvalidValue:
        return None


def read_own_scores(cells: Sequence[Any]) -> list[float | None]:
    """The scores of the players of the rows, also by letters that the cells explain together."""
    scores = [own_score(cell) for cell in cells]
    if None not in scores:
        return scores
    parser = OutcomeParser("", "")
    try:
        decide_outcomes(parser, "own result", {*map(str, cells)})
        return [parser.own_result(cell) for cell in cells]
    except InvalidValue:
        return scores


def _group(keys: Sequence[Any], values: Sequence[Any]) -> list[list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for key, value in zip(keys, values, strict=True):
        groups[key].append(value)
    return list(groups.values())


def _are_of_matches(groups: Sequence[Sequence[float | None]]) -> bool:
    """Whether the scores of each match are those of winners and others, or of a draw."""
    return len(groups) > 1 and all(
        len(group) > 1
        and ({*group} == {0.5} or (1.0 in group and 0.5 not in group and 0.0 in group))
        for group in groups
    )
