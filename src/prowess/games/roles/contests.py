"""Contests by their cells: who the players are, what tells contests apart, how each side fared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from prowess.games.cells.outcome_columns import decide_outcomes
from prowess.games.cells.outcome_words import WINS
from prowess.games.cells.outcomes import OutcomeParser
from prowess.games.cells.side_results import parse_own_result
from prowess.games.columns import as_name
from prowess.games.errors import InvalidValue, quote
from prowess.games.roles.evidence import MOST_FIT, is_id, is_marked, is_number
from prowess.games.roles.named_players import is_of_official
from prowess.games.values import is_missing, parse_decimal, parse_or_none, plain_form
from prowess.games.vocabulary import (
    CONTEST,
    SIDE_WORDS,
    SUBJECT_WORDS,
    is_task,
    read_heading,
    split_heading,
    tells_contests,
)
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.roles.evidence import TableEvidence
    from prowess.games.roles.headings import Headings


# The column of players of contests, by its heading and by its cells.


OF_TEAMS = words_for("team")  # players that may stand for the team of those in another column


RIDERS, HORSES = words_for("jockey"), words_for("horse")  # who ride other horses from race to race
GROUND_WORDS = SIDE_WORDS["home"] | SIDE_WORDS["away"] | {"a", "n", "neutral", "@", "vs"}


def find_contestant(headings: Headings) -> str | None:
    """The column of players of a table that ranks them; None where there is none.

    Raises BadData where there are several.
    """
    guessed, evidence = headings.guessed.get("player"), headings.evidence
    ridden = next((name for name in headings.names if HORSES & {*read_heading(name).words}), None)
    if guessed and ridden and RIDERS & {*read_heading(guessed).words}:
        shown = f"{quote(ridden)} or {quote(guessed)}"
        raise headings.bad(
            f"the players may be {shown}",
            "name them with player= (--player)",
            code="players_ambiguous",
        )
    of_person = guessed and OF_TEAMS.isdisjoint(read_heading(guessed).words)
    if of_person or {"result", "result of team"} & headings.guessed.keys():
        return guessed
    keys = _find_keys(headings)
    found = [
        name for name in headings.names
        if (name == guessed or _may_name(headings, name)) and evidence[name].words >= MOST_FIT
        and evidence[name].filled >= MOST_FIT * evidence.count and _is_once(evidence, name, keys)
    ]  # fmt: skip
    persons = [
        name for name in found
        if read_heading(name).subjects and OF_TEAMS.isdisjoint(read_heading(name).words)
    ]  # fmt: skip
    found = persons or found
    if len(found) < 2:
        return found[0] if found else guessed
    owners = [name for name in found if all(_belongs(evidence, other, name) for other in found)]
    if len(owners) == 1:
        return owners[0]
    shown = " or ".join(map(quote, found))
    raise headings.bad(
        f"the players may be {shown}", "name them with player= (--player)", code="players_ambiguous"
    )


def _may_name(headings: Headings, name: str) -> bool:
    """Whether a heading may be that of players: it means nothing else."""
    heading = read_heading(name)
    taken = {column for role, column in headings.guessed.items() if role != "player"}
    if heading.spoiled or heading.sides or heading.subjects - {"player"} or name in taken:
        return False
    if is_of_official(heading):
        return False
    return not headings.evidence[name].names <= GROUND_WORDS


def _find_keys(headings: Headings) -> list[str]:
    """The columns that tell contests apart."""
    dates = {headings.guessed.get("date"), headings.guessed.get("maybe date")}
    return [
        name for name in headings.names
        if name in dates or plain_form(name) in CONTEST or tells_contests(name)
    ]  # fmt: skip


def _is_once(evidence: TableEvidence, name: str, keys: Sequence[str]) -> bool:
    """Whether no name stands twice in a contest, but for a few."""
    columns = [map(str, evidence.rows[each]) for each in (*keys, name)]
    counts = Counter(zip(*columns, strict=True))
    return len(counts) >= MOST_FIT * evidence.count


def _belongs(evidence: TableEvidence, other: str, name: str) -> bool:
    """Whether each value of a column has one value of another, of which it has no fewer."""
    if other == name:
        return True
    pairs: dict[Any, set[Any]] = {}
    for who, of in zip(evidence.rows[name], evidence.rows[other], strict=True):
        pairs.setdefault(who, set()).add(of)
    return all(len(each) == 1 for each in pairs.values()) and len(evidence[other].names) < len(
        evidence[name].names
    )


# Which columns tell contests apart, where headings leave it open: those by which each player
# stands once.


MOST_KEYS = 3  # that are taken together
MOST_TRIED = 12  # columns of which as many as that are tried together
REPEATS = words_for("repeat")  # of the same task
GROUNDS = words_for("playing_place")  # where two play beside other games of the same round
IDS = SUBJECT_WORDS["id"]


def complete_keys(
    known: Sequence[str],
    names: Sequence[str],
    evidence: TableEvidence,
    player: str,
    taken: Collection[Any],
    time: Any,
) -> tuple[str, ...]:
    """The columns that tell contests apart: those `known`, the fewest further ones by which each
    player stands once in a contest of several, and that of the ground where two play there.
    """
    rows = evidence.rows
    fixed = [rows[name] for name in (*known, *([time] if time else []))]
    found = (*known,)
    if 2 * _count_repeated(rows[player], fixed) >= evidence.count:  # fewer are mistakes
        further = {
            name: rows[name] for name in names
            if name not in {player, time, *known, *taken}
            and evidence[name].filled == evidence.count and evidence[name].share(is_id) == 1.0
            and 1 < len({*map(str, rows[name])}) < evidence.count
        }  # fmt: skip
        found += find_keys(rows[player], fixed, further)
    columns = [*fixed, *(rows[name] for name in found[len(known) :])]
    for name in names:
        if name not in {player, *found} and not GROUNDS.isdisjoint(split_heading(name)):
            sizes = Counter(_keys([*columns, rows[name]], 0))
            if {*sizes.values()} == {2}:
                return (*found, name)
    return found


def find_keys(
    players: Sequence[Any], fixed: Sequence[Sequence[Any]], further: Mapping[str, Sequence[Any]]
) -> tuple[str, ...]:
    """The fewest further columns by which, with those fixed, each player stands once in a contest
    of several; none where that is open.
    """
    for size in range(1, MOST_KEYS + 1):
        if size > 1 and len(further) > MOST_TRIED:
            break
        found: dict[tuple[int, ...], tuple[str, ...]] = {}
        for chosen in combinations(further, size):
            columns = [*fixed, *(further[name] for name in chosen)]
            if not _repeats(players, columns) and _are_contests(columns):
                found.setdefault(_partition(columns), chosen)
        told = [each for each in found.values() if all(map(_tells, each))]
        if len(told or found) == 1:
            return told[0] if told else next(iter(found.values()))
        if found:
            break
    return ()


def _tells(heading: str) -> bool:
    of_repeats = {*split_heading(heading)} <= REPEATS | IDS
    return is_task(heading) or of_repeats or tells_contests(heading)


def _keys(columns: Sequence[Sequence[Any]], count: int) -> list[tuple[str, ...]]:
    if not columns:
        return [()] * count
    return [tuple(map(str, cells)) for cells in zip(*columns, strict=True)]


def _repeats(players: Sequence[Any], columns: Sequence[Sequence[Any]]) -> bool:
    """Whether a player stands twice in a contest."""
    keys = _keys(columns, len(players))
    held = [(str(who), key) for who, key in zip(players, keys, strict=True) if not is_missing(who)]
    return len({*held}) < len(held)


def _count_repeated(players: Sequence[Any], columns: Sequence[Sequence[Any]]) -> int:
    """The rows of players who stand several times in a contest."""
    keys = _keys(columns, len(players))
    counts = Counter(
        (str(who), key) for who, key in zip(players, keys, strict=True) if not is_missing(who)
    )
    return sum(count for count in counts.values() if count > 1)


def _are_contests(columns: Sequence[Sequence[Any]]) -> bool:
    """Whether nearly all contests have several players."""
    sizes = Counter(_keys(columns, 0))
    return sum(size > 1 for size in sizes.values()) >= MOST_FIT * len(sizes) and len(sizes) > 1


def _partition(columns: Sequence[Sequence[Any]]) -> tuple[int, ...]:
    """The number of the contest of each row."""
    numbers: dict[tuple[str, ...], int] = {}
    return tuple(numbers.setdefault(key, len(numbers)) for key in _keys(columns, 0))


# Rows of one player or team each, with a column that says how this side of the match fared.


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
    return parse_or_none(parse_own_result, cell)


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
