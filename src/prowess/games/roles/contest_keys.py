"""Which columns tell contests apart, where headings leave it open: those by which each player
stands once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from prowess.games.roles.evidence import MOST, is_id
from prowess.games.values import is_missing, plain_form
from prowess.games.vocabulary import SUBJECT_WORDS, split_heading, tells_contests
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.roles.evidence import TableEvidence

MOST_COLUMNS = 3  # that are taken together
MOST_TRIED = 12  # columns of which as many as that are tried together
TASKS = words_for("task")  # what several are given to do, each once
REPEATS = words_for("repeat")  # of the same task
GROUNDS = words_for("playing_place")  # where two play beside other games of the same round
IDS = SUBJECT_WORDS["id"]


def is_task(heading: str) -> bool:
    """Whether a heading is that of tasks or of judges: `question_id`, `prompt`, `judge`."""
    words = {*split_heading(heading)}
    whole = plain_form(heading) in TASKS  # data and set are words of other subjects
    return whole or (not words.isdisjoint(TASKS) and words <= TASKS | IDS)


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
    found = _complete_keys(known, names, evidence, player, taken, time)
    rows = evidence.rows
    columns = [rows[name] for name in (*found, *([time] if time else []))]
    for name in names:
        if name not in {player, *found} and not GROUNDS.isdisjoint(split_heading(name)):
            sizes = Counter(_keys([*columns, rows[name]], 0))
            if {*sizes.values()} == {2}:
                return (*found, name)
    return found


def _complete_keys(
    known: Sequence[str],
    names: Sequence[str],
    evidence: TableEvidence,
    player: str,
    taken: Collection[Any],
    time: Any,
) -> tuple[str, ...]:
    """The columns that tell contests apart, with the fewest further ones by which each player
    stands once in a contest of several; as they are `known` where that is open.
    """
    rows = evidence.rows
    fixed = [rows[name] for name in (*known, *([time] if time else []))]
    if 2 * _count_repeated(rows[player], fixed) < evidence.count:
        return (*known,)  # a player who stands twice by mistake tells nothing
    further = [
        name for name in names
        if name not in {player, time, *known, *taken}
        and evidence[name].filled == evidence.count and evidence[name].share(is_id) == 1.0
        and 1 < len({*map(str, rows[name])}) < evidence.count
    ]  # fmt: skip
    for size in range(1, MOST_COLUMNS + 1):
        if size > 1 and len(further) > MOST_TRIED:
            break
        found: dict[tuple[int, ...], tuple[str, ...]] = {}
        for chosen in combinations(further, size):
            columns = [*fixed, *(rows[name] for name in chosen)]
            if not _repeats(rows[player], columns) and _are_contests(columns):
                found.setdefault(_partition(columns), chosen)
        told = [each for each in found.values() if all(map(_tells, each))]
        if len(told or found) == 1:
            return (*known, *(told[0] if told else next(iter(found.values()))))
        if found:
            break
    return (*known,)


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
    return sum(size > 1 for size in sizes.values()) >= MOST * len(sizes) and len(sizes) > 1


def _partition(columns: Sequence[Sequence[Any]]) -> tuple[int, ...]:
    """The number of the contest of each row."""
    numbers: dict[tuple[str, ...], int] = {}
    return tuple(numbers.setdefault(key, len(numbers)) for key in _keys(columns, 0))
