"""Find what is hardly meant so: rows that repeat other rows, and names that look alike.

A game stands twice where the same two players have the same result at the same moment, and whatever
else the table says of it is the same too. Some leagues let a pair play several games on one day and
write the day only: where meetings of several different games are usual, equal rows are no surprise.
Without dates a pair may meet again with the same result: there only whole runs of rows that come
again count, and tables in which every game stands once from each side.

Rows are compared by 64 bits of a hash, whose fixed keys keep the answer the same in every run.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.dates import format_day
from prowess.games.errors import Suspicion, quote
from prowess.games.games import Games, players_of, side_name
from prowess.games.reading import list_some
from prowess.games.runs import bounds_of, reduce_runs, repeat_rows
from prowess.games.values import lazy_pattern
from prowess.games.vocabulary import alternatives, words_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Hashes = NDArray[np.uint64]
    Rows = NDArray[np.int64]


# Find names that look alike.
#
# Two names look alike where they differ by case, accents, characters that show nothing or the
# order of their words only, or by one letter that one has and the other has not, or has
# otherwise. Not so names whose digits differ (Player 1, Player 2) or whose differing letter
# stands first (Zambia, Gambia) or alone (Team A, Team B), names of fewer than five letters that
# differ by a letter, names with more than two such neighbours (a series), and pairs that met in a
# game or a contest: those are two players. Names that differ by marks at their ends only ([1]
# Ana, Ana (WC)) look alike as well.


MOST_NAMES = 50_000  # of a roster in which such names are sought; 0.2 s
PAIRS_SHOWN = 5  # pairs that a note names
PAIRS_LOOKED_AT = 200  # pairs of which it is found out whether they met
LEAST_LETTERS = 5  # of names that differ by a letter
MOST_TWINS = 2  # of one name; names with more are a series
NAME_PARTS = re.compile(r"[^\s,]+")
JOINS = lazy_pattern(  # in teams and the like the order may count
    rf"[&+/;@]| (?:{alternatives('and', 'and_in_lower_case')}|vs?)\.? "
)
BASE = 0x9E3779B97F4A7C15  # odd, so that it can be divided by among numbers of 64 bits
INVERSE = pow(BASE, -1, 1 << 64)


def look_alike_note(table: Games) -> Suspicion | None:
    """The note about names of a table that look alike; None where there are none."""
    players, names = players_of(table), table.players
    pairs, own = look_alikes(players), len(players)
    if own < len(names):  # `Nadal@clay` beside `Nadall@clay` says no more than their players do
        others = [(a + own, b + own) for a, b in look_alikes(names[own:])]
        pairs += [
            (a, b) for a, b in others
            if "@" not in names[a] or names[a].split("@")[-1] != names[b].split("@")[-1]
        ]  # fmt: skip
    pairs = _never_met(table, pairs) if pairs else []
    if len(players) <= MOST_NAMES and MARKED_NAME.search("\0".join(players)):
        pairs += _pairs_by_marks(table, players)
    if not (pairs := sorted({*pairs})):
        return None
    shown = list_some([f"{quote(names[a])}/{quote(names[b])}" for a, b in pairs], PAIRS_SHOWN)
    return Suspicion(
        f"these names look alike and count as different players: {shown}", f"{shown} look alike"
    )


def _pairs_by_marks(table: Games, players: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of names that differ by marks such as `[1]` and `(WC)`, of players who never met."""
    found = []
    for group in differ_by_marks(players)[:PAIRS_LOOKED_AT]:
        first, *others = group
        pairs = [(first, other) for other in others]
        near = [*pairs, *pairwise(others)][:PAIRS_LOOKED_AT]
        if len(_never_met(table, near)) == len(near):
            found += pairs
    return found


def look_alikes(names: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of names that look alike, by their ids; none of a roster of more than 50,000."""
    if not 1 < len(names) <= MOST_NAMES:
        return []
    text = "\0".join(names).casefold()
    if not text.isascii():
        text = "".join(
            letter
            for letter in unicodedata.normalize("NFKD", text)
            if not unicodedata.combining(letter) and unicodedata.category(letter) != "Cf"
        )  # Cf: characters that show nothing, such as a zero-width space
    folded = text.split("\0")  # without case and accents
    if len(folded) != len(names):  # a name holds the separator
        folded = list(names)
    pairs = []
    number: dict[str, int] = {}
    for at, name in enumerate(folded):
        if (first := number.setdefault(name, at)) != at:
            pairs.append((first, at))
    turned: dict[str, int] = {}
    for name, at in number.items():
        if len(parts := NAME_PARTS.findall(name)) > 1 and not JOINS.search(name):
            same = turned.setdefault(" ".join(sorted(parts)), at)
            if same != at and min(map(len, parts)) > 1:
                pairs.append((same, at))
    del text, folded, turned  # memory counts here, beside the columns of a long table
    number = {name: at for name, at in number.items() if len(name) >= LEAST_LETTERS}
    if len(number) > 1:
        ids = list(number.values())
        near = [(ids[a], ids[b]) for a, b in _one_letter_apart(list(number))]
        pairs += [(min(pair), max(pair)) for pair in near]
    return sorted(pairs)


def _one_letter_apart(names: list[str]) -> list[tuple[int, int]]:
    """Pairs of different names that differ by one letter.

    Each name is looked up without each of its letters in turn, by a polynomial of the others:
    two names that agree so differ in that letter, and a name that agrees with a whole one has one
    letter more.
    """
    length = np.array([len(name) for name in names], np.int64)
    text = "".join(names)
    code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    letters, kind = np.unique(code, return_inverse=True)
    digit = np.array([chr(letter).isdigit() for letter in letters.tolist()], np.bool_)[kind]
    of_word = np.array([chr(letter).isalnum() for letter in letters.tolist()], np.bool_)[kind]
    end = np.cumsum(length, dtype=np.int64)
    start = end - length
    name = repeat_rows(np.arange(len(names), dtype=np.int64), length)
    place = np.arange(len(code), dtype=np.int64) - start[name]
    joins_left, joins_right = np.zeros((2, len(code)), np.bool_)
    joins_left[1:] = of_word[1:] & of_word[:-1] & (place[1:] > 0)
    joins_right[:-1] = joins_left[1:]
    counted = of_word & ~digit
    count = np.bincount(name[counted], minlength=len(names))
    alone = of_word & ~joins_left & ~joins_right
    power = np.cumprod(np.full(int(length.max(initial=0)), BASE, np.uint64))
    term = (code.astype(np.uint64) + np.uint64(1)) * power[place]
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(term, dtype=np.uint64)))
    whole = total[end] - total[start]
    at = np.flatnonzero((place > 0) & ~digit & ~alone & (count[name] >= LEAST_LETTERS))
    before = total[at] - total[start[name[at]]]
    after = total[end[name[at]]] - total[at + 1]
    without = before + after * np.uint64(INVERSE)

    mixed = without * np.uint64(BASE) + place[at].astype(np.uint64)
    mixed = mixed * np.uint64(BASE) + length[name[at]].astype(np.uint64)
    order = np.argsort(mixed, kind="stable")
    group = bounds_of(mixed[order][1:] != mixed[order][:-1])
    size = np.bincount(group) if len(order) else np.zeros(0, np.int64)
    pairs = []
    for first in np.flatnonzero((size > 1) & (size <= 1 + MOST_TWINS)).tolist():
        low, high = np.searchsorted(group, [first, first + 1]).tolist()
        several = name[at[order[low:high]]].tolist()
        pairs += [(a, b) for k, a in enumerate(several) for b in several[k + 1 :]]
    by_whole = np.argsort(whole, kind="stable")
    found = np.minimum(np.searchsorted(whole[by_whole], without), len(names) - 1)
    shorter = by_whole[found]
    agrees = (
        (whole[shorter] == without)
        & (length[shorter] == length[name[at]] - 1)
        & (count[shorter] >= LEAST_LETTERS)
    )
    pairs += zip(shorter[agrees].tolist(), name[at[agrees]].tolist(), strict=True)
    pairs = [(a, b) for a, b in dict.fromkeys(pairs) if a != b]
    twins = np.bincount(np.array(pairs, np.int64).ravel(), minlength=len(names))
    return [(a, b) for a, b in pairs if max(twins[a], twins[b]) <= MOST_TWINS]


def _never_met(table: Games, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs, of the first of them, that met in no game and no contest."""
    pairs = pairs[:PAIRS_LOOKED_AT]
    if table.duels:
        a, b = table.a.astype(np.int64), table.b.astype(np.int64)
        met = np.minimum(a, b) * len(table.players) + np.maximum(a, b)
        wanted = np.array([min(pair) * len(table.players) + max(pair) for pair in pairs])
        fresh = ~np.isin(wanted, met)
        return [pair for pair, never in zip(pairs, fresh.tolist(), strict=True) if never]
    contest = table.contest_of_member
    return [
        (a, b)
        for a, b in pairs
        if not len(np.intersect1d(contest[table.player == a], contest[table.player == b]))
    ]


# Names that differ by a mark only: `[1] Ana` and `[2] Ana`, `Cleo (WC)`, `GM Alder`.


TITLE = re.compile(
    r"(?:w?[gifcn]m|a[gifc]m|dr|prof|mr|mrs|ms|herr|frau|sir)\.?\s+(?=\S{2})", re.IGNORECASE
)
IN_FRONT = re.compile(r"[\[(](?P<mark>[^\[\]()]{1,12})[\])]\s*|#\s?(?P<number>\d{1,3})\s+")
MARK_BEHIND = re.compile(r"\s*[\[(](?P<mark>[^\[\]()]{1,12})[\])]$|\s*[*†‡]+$")
ENTRY_WORDS = words_for("entry_mark")  # how a player came in
MARKED_NAME = re.compile(rf"[\[(#*†‡]|(?:^|\0){TITLE.pattern}", re.IGNORECASE)


def differ_by_marks(names: Sequence[str]) -> list[list[int]]:
    """Groups of names that are the same without marks at their ends, by their ids.

    Two names of different words in brackets, (Berlin) and (Wien), are two players.
    """
    groups: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for at, name in enumerate(names):
        bare, mark = _split_mark(name)
        groups[bare.casefold()].append((at, mark.casefold()))
    found = []
    for group in groups.values():
        words = {mark for _, mark in group if mark and _is_of_player(mark)}
        ids = [at for at, mark in group if not (len(words) > 1 and mark in words)]
        if len(ids) > 1:
            found.append(ids)
    return found


def _is_of_player(mark: str) -> bool:
    """Whether a mark may tell two players of one name apart: a town, a club, a size (13B)."""
    return mark not in ENTRY_WORDS and any(map(str.isalpha, mark)) and len(mark) > 1


def _split_mark(name: str) -> tuple[str, str]:
    """A name without marks at its ends, and the last of them."""
    bare, mark = TITLE.sub("", name, count=1) if TITLE.match(name) else name, ""
    for form in (IN_FRONT, MARK_BEHIND):
        found = form.match(bare) if form is IN_FRONT else form.search(bare)
        if found is None:
            continue
        rest = bare[found.end() :] if form is IN_FRONT else bare[: found.start()]
        if any(map(str.isalpha, rest)):
            bare, mark = rest, next(filter(None, found.groupdict().values()), "*")
    return bare.strip(), mark.strip()


# rows that are compared whenever a table is read; more take noticeable time
MOST_ROWS_COMPARED = 500_000
USUALLY = 0.02  # of all meetings of a pair at one moment have several games: then it is usual
RUN = 20  # rows without dates that come again in a row, before it is no chance
FEWEST_REPEATS = 10  # rows, before a table can be all repetition
MANY_REPEATED = 0.01  # of the rows repeat others: then it is hardly meant so
NEARLY = 0.9  # of the games stand a second time: a table that holds every game twice
EXAMPLES = 3  # rows that a note names


class Repeated(NamedTuple):
    """Rows of a table of games with dates that repeat an earlier row."""

    rows: Rows  # in ascending order
    first: Rows  # of each of them, the row that said it first
    several: float  # share of the meetings of a pair at one moment with several different games
    whole: bool  # every game stands so often: twice, or four times, ...

    @property
    def usual(self) -> bool:
        """Whether several games of a pair at one moment are usual, so that nothing follows."""
        return self.several > USUALLY and not self.whole


def find_repeated_rows(games: Games) -> Repeated:
    """The rows that repeat another one; the games have dates."""
    assert games.time is not None
    sides = _sides(games)
    meeting = _hash_rows([games.time, *_pair(sides)])
    same = _hash_rows([meeting, *_fact_columns(games, sides)])
    none = np.empty(0, np.int64)
    ordered = np.sort(same)
    if not (ordered[1:] == ordered[:-1]).any():
        return Repeated(none, none, 0.0, False)
    _, first, which, times = np.unique(
        same, return_index=True, return_inverse=True, return_counts=True
    )
    different = np.unique(meeting[first], return_counts=True)[1]
    rows = np.flatnonzero(first[which] != np.arange(len(same), dtype=np.int64))
    whole = len(same) >= FEWEST_REPEATS and not (times % 2).any()
    return Repeated(rows, first[which[rows]], float((different > 1).mean()), whole)


def repetition_note(table: Games, files: Sequence[tuple[str, int]]) -> str | None:
    """A note on rows that stand twice, None without; a Suspicion where they are many.

    `files` are the names of the files of a table and how many rows of it were known after each.
    """
    if not table.pairwise:
        return _of_contests(table) if len(table.player) <= MOST_ROWS_COMPARED else None
    if not 1 < len(table) <= MOST_ROWS_COMPARED:
        return None
    return _without_dates(table, files) if table.time is None else _with_dates(table)


def _with_dates(games: Games) -> str | None:
    found = find_repeated_rows(games)
    count = len(found.rows)
    if not count or found.usual:
        return None
    a, b = _sides(games)
    turned = (a[found.rows] == b[found.first]) & (a[found.rows] != a[found.first])
    if turned.sum() >= NEARLY * len(games) / 2 and len(games) >= FEWEST_REPEATS:
        return _from_each_side(games, int(found.first[turned][0]), int(found.rows[turned][0]))
    shown = "; ".join(_describe_game(games, row) for row in found.rows[:EXAMPLES].tolist())
    more = ", ..." if count > EXAMPLES else ""
    rows = "1 row repeats" if count == 1 else f"{count:,} rows repeat"
    note = f"{rows} another row ({shown}{more}); every row is rated"
    twice = "1 row stands twice" if count == 1 else f"{count:,} rows stand twice"
    return Suspicion(note, twice) if count >= MANY_REPEATED * len(games) else note


def _without_dates(games: Games, files: Sequence[tuple[str, int]]) -> str | None:
    sides = _sides(games)
    same = _hash_rows([*_pair(sides), *_fact_columns(games, sides)])
    for name, (low, high), before, (start, end) in _couples(files):
        if high - low == end - start > 1 and np.array_equal(same[low:high], same[start:end]):
            brief = f"{name} repeats {before} row by row"
            return Suspicion(f"{brief}; every row is rated", brief)
    if len(games) >= FEWEST_REPEATS and games.side is None and (rows := _find_mirrored(games)):
        return _from_each_side(games, *rows)
    again, length = _run(same)
    if length:
        brief = f"rows {again + 1:,} to {again + length:,} repeat rows 1 to {length:,}"
        return Suspicion(f"{brief}; every row is rated", brief)
    return None


def _find_mirrored(games: Games) -> tuple[int, int] | None:
    """A game and the row that tells it from the other side, where all games stand so."""
    columns = [games.score, games.margin, games.points_a, games.points_b]
    margin = None if games.margin is None else -games.margin
    mirror = [1.0 - games.score, margin, games.points_b, games.points_a]
    a, b = _sides(games)
    seen_by_a = _hash_rows([a, b, *_present([*columns, games.round])])
    seen_by_b = _hash_rows([b, a, *_present([*mirror, games.round])])
    if not np.array_equal(np.sort(seen_by_a), np.sort(seen_by_b)):
        return None
    return 0, int(np.argmax(seen_by_a == seen_by_b[0]))


def _of_contests(table: Games) -> str | None:
    sizes = np.diff(table.start)
    of_sides = _hash_rows([_lineups(table), table.place, *_present([table.points])])
    same = np.zeros(len(table), np.uint64)
    np.add.at(same, table.contest_of_side, of_sides)  # the order of the sides does not matter
    countable = sizes > 1 if table.time is not None else sizes > 2
    same = _hash_rows([same, *_present([table.time, table.weight])])[countable]
    first, times = np.unique(same, return_index=True, return_counts=True)[1:]
    again = len(same) - len(first)
    if not again or (table.time is None and (times % 2).any()):
        return None
    say = "1 contest repeats" if again == 1 else f"{again:,} contests repeat"
    note = f"{say} another one player by player; every contest is rated"
    return Suspicion(note, say) if again >= MANY_REPEATED * len(table) else note


def _from_each_side(games: Games, row: int, other: int) -> Suspicion:
    """A note on a table in which every game stands twice."""
    examples = f"{_describe_game(games, row)}; {_describe_game(games, other)}"
    return Suspicion(
        f"nearly every game stands twice, it seems, once from each side ({examples}), "
        "and is rated twice; if so, keep one row a game, such as with "
        "where= (--where) and a column that says who was at home",
        "every game stands twice, once from each side",
    )


def _describe_game(games: Games, row: int) -> str:
    a, b = (side_name(games, side) for side in (2 * row, 2 * row + 1))
    if games.points_a is None or games.points_b is None:
        result = f"{games.score[row]:g}"
    else:
        result = f"{games.points_a[row]:.15g}:{games.points_b[row]:.15g}"
    when = "" if games.time is None else f" on {format_day(games.time[row])}"
    return f"{a} - {b} {result}{when}"


def _lineups(table: Games) -> Hashes:
    """For each side a number that only sides of the same members have, whatever their order."""
    of_members = _hash_rows([table.player, *_present([table.share])])
    return reduce_runs(np.add, of_members, table.ends[:-1])


def _sides(games: Games) -> tuple[Any, Any]:
    """For each game a number of each of its two sides."""
    if games.duels:
        return games.a, games.b
    sides = _lineups(games)
    return sides[::2], sides[1::2]


def _pair(sides: tuple[Any, Any]) -> list[Any]:
    return [np.minimum(*sides), np.maximum(*sides)]


def _fact_columns(games: Games, sides: tuple[Any, Any]) -> list[Any]:
    """All that the table says of a game, seen from the side with the lower number."""
    turned = sides[0] > sides[1]
    columns = [np.where(turned, 1.0 - games.score, games.score)]
    columns += [
        np.where(turned, -column, column) for column in _present([games.side, games.margin])
    ]
    if games.points_a is not None and games.points_b is not None:
        columns.append(np.where(turned, games.points_b, games.points_a))
        columns.append(np.where(turned, games.points_a, games.points_b))
    return [*columns, *_present([games.length, games.round]), *games.facts.values()]


def _present(columns: list[Any]) -> list[Any]:
    return [column for column in columns if column is not None]


def _hash_rows(columns: list[Any]) -> Hashes:
    """64 bits for each row."""
    hashes = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        if column.dtype == np.uint64:
            bits = column
        else:
            bits = (column.astype(np.float64) + 0.0).view(np.uint64)  # one zero, not two
        hashes ^= bits
        hashes *= np.uint64(0x9E3779B97F4A7C15)  # the constants of SplitMix64
        hashes ^= hashes >> np.uint64(30)
        hashes *= np.uint64(0xBF58476D1CE4E5B9)
        hashes ^= hashes >> np.uint64(27)
    return hashes


def _couples(files: Sequence[tuple[str, int]]) -> Any:
    """Every two of the files: the later one, its rows, the earlier one, its rows."""
    ends = [0, *(end for _, end in files)]
    spans = list(pairwise(ends))
    for later in range(1, len(files)):
        for before in range(later):
            yield files[later][0], spans[later], files[before][0], spans[before]


def _run(same: Hashes) -> tuple[int, int]:
    """The row at which the beginning of a table comes again, and the number of rows."""
    count = len(same)
    if count < 2 * RUN or 2 * len(np.unique(same[:RUN])) < RUN:
        return 0, 0
    at = np.arange(RUN, count - RUN + 1, dtype=np.int64)
    for step in range(RUN):
        at = at[same[at + step] == same[step]]
    if not len(at):
        return 0, 0
    start = int(at[0])
    differs = np.flatnonzero(same[start : 2 * start] != same[:start][: count - start])
    return start, int(differs[0]) if len(differs) else min(start, count - start)


def count_repeated(old: Games, new: Games) -> int:
    """How many games of `new` are in `old` too: same sides, result and date.

    Without dates only the last of the old games are looked at, as many as there are new ones.
    """
    first = len(old) - len(new)
    if old.time is not None and new.time is not None:
        first = int(old.time.searchsorted(new.time.min()))

    def games(table: Games, start: int) -> Counter[tuple[object, ...]]:
        return Counter(
            (
                None if table.time is None else float(table.time[at]),
                tuple(
                    (side_name(table, side), float(table.place[side]))
                    for side in range(int(table.start[at]), int(table.start[at + 1]))
                ),
                float(table.score[at]) if table.pairwise else None,
            )
            for at in range(max(0, start), len(table))
        )

    return (games(old, first) & games(new, 0)).total()
