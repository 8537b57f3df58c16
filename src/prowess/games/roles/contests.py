"""Contests: who the players are, what tells contests apart, which columns decide them and how each
side fared; and tables that are neither games nor contests.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

from prowess.games.cells.outcome_words import WINS, parse_own_result
from prowess.games.cells.outcomes import OutcomeParser, decide_outcomes
from prowess.games.cells.places import is_unplaced, parse_amount, parse_duration, parse_ordinal
from prowess.games.columns import as_name
from prowess.games.dates import is_year
from prowess.games.errors import BadData, InvalidValue, quote
from prowess.games.roles.evidence import (
    MOST_FIT,
    ColumnEvidence,
    TableEvidence,
    choose_only,
    is_id,
    is_marked,
    is_number,
    is_of_official,
)
from prowess.games.roles.headings import ROLES, Headings, once
from prowess.games.values import is_missing, parse_decimal, parse_or_none, plain_form
from prowess.games.vocabulary import (
    CONTEST,
    FEWER,
    GAMES,
    MORE,
    PLACE,
    PLAYED,
    SIDE_WORDS,
    STANDINGS,
    SUBJECT_WORDS,
    SUMS,
    TOTALS,
    WORDS_IN_ORDER,
    HeadingMeaning,
    is_task,
    read_heading,
    slots_for,
    split_heading,
    tells_contests,
    words_for,
    words_of,
)

# The column of players of contests, by its heading and by its cells.


OF_TEAMS = words_for("team")  # players that may stand for the team of those in another column


RIDERS, HORSES = words_for("jockey"), words_for("horse")  # who ride other horses from race to race
WHICH_PLAYERS = "name them with player= (--player)"
GROUND_WORDS = SIDE_WORDS["home"] | SIDE_WORDS["away"] | {"a", "n", "neutral", "@", "vs"}


def find_contestant(headings: Headings) -> str | None:
    """The column of players of a table that ranks them; None where there is none.

    Raises BadData where there are several.
    """
    guessed, evidence = headings.guessed.get("player"), headings.evidence
    ridden = next((name for name in headings.names if HORSES & {*read_heading(name).words}), None)
    if guessed and ridden and RIDERS & {*read_heading(guessed).words}:
        raise headings.ask(
            "players_ambiguous.contests", WHICH_PLAYERS, map(quote, [ridden, guessed])
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
    raise headings.ask("players_ambiguous.contests", WHICH_PLAYERS, map(quote, found))


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


# Which columns tell contests apart, where headings leave it open: those by which each player
# stands once.


MOST_KEYS = 3  # that are taken together
MOST_TRIED = 12  # columns of which as many as that are tried together
REPEATS = words_for("repeat")  # of the same task
GROUNDS = words_for("playing_place")  # where two play beside other games of the same round
IDS = SUBJECT_WORDS["id"]


def find_contest_keys(
    headings: Headings, taken: Collection[str | None], common: Mapping[str, object]
) -> tuple[str, ...]:
    """The columns that say which contest a row belongs to, besides its date: those that headings
    suggest, the fewest further ones by which each player stands once in a contest of several, and
    that of the ground where two play there.
    """
    if "contest" in headings.options.roles:
        return headings.named_columns("contest")
    names, evidence, rows = headings.names, headings.evidence, headings.evidence.rows
    told = [headings.plain[name] for name in CONTEST if name in headings.plain]
    told += [headings.guessed["match"]] if "match" in headings.guessed else []
    told += filter(tells_contests, names)
    known = tuple(
        name for name in dict.fromkeys(told)
        if name not in taken and name not in common.values()
    )  # fmt: skip
    player, time = headings.find_column("player"), common["time"]
    if player is None or find_team(headings):
        return known
    deciding = (headings.guessed.get("points"), *(name for name, _ in deciding_columns(headings)))
    fixed = [rows[name] for name in (*known, *([str(time)] if time else []))]
    found = known
    if 2 * _count_repeated(rows[player], fixed) >= evidence.count:  # fewer are mistakes
        further = {
            name: rows[name] for name in names
            if name not in {player, time, *known, *taken, *deciding}
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
            if not _count_repeated(players, columns) and _are_contests(columns):
                found.setdefault(_partition(columns), chosen)
        told = [each for each in found.values() if all(map(_tells, each))]
        if len(told or found) == 1:
            return told[0] if told else next(iter(found.values()))
        if found:
            break
    return ()


def _tells(heading: str) -> bool:
    of_repeats = {*split_heading(heading)} <= REPEATS | IDS
    return is_task(heading) or of_repeats


def _keys(columns: Sequence[Sequence[Any]], count: int) -> list[tuple[str, ...]]:
    if not columns:
        return [()] * count
    return [tuple(map(str, cells)) for cells in zip(*columns, strict=True)]


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


@once
def find_own_result(headings: Headings) -> str | None:
    """The column that says how the player or team of a row fared, as headings suggest it.

    Each match has a winner and one who did not win, or nobody won and nobody lost.
    """
    match, evidence = headings.guessed.get("match"), headings.evidence
    if find_team(headings) and (exact := headings.guessed.get("result of team")):
        return exact
    if not match or not headings.find_column("player"):
        return None
    rows = evidence.rows[match]
    found = []
    for name in headings.names:
        if not tells_own_result(name) or evidence[name].filled < len(rows):
            continue
        scores = read_own_scores(evidence.rows[name])
        if None not in scores and _are_of_matches(group_values(rows, scores)):
            found.append(name)
    return choose_only(found)


def find_team(headings: Headings) -> str | None:
    """The column that says to which side of its contest a row belongs."""
    if "team" in headings.options.roles:
        return headings.named_column("team")
    found, player = headings.guessed.get("team"), headings.find_column("player")
    return found if "match" in headings.guessed and player and player != found else None


def tells_own_result(name: str) -> bool:
    """Whether a heading may be that of how the player of a row fared: `won`, `game_result`."""
    heading = read_heading(name)
    won = [word for word in heading.words if word in WINS]
    named = "result" in heading.subjects or won
    return bool(named) and not heading.spoiled and heading.unknown <= len(won)


def find_better_end(
    headings: Headings, points: str, team: str | None, keys: Sequence[Any]
) -> float:
    """1.0 where more points are better, -1.0 where less are, 0.0 where that is open.

    The winners of contests tell it, where a column marks or names them.
    """
    if plain_form(points) in FEWER:
        return -1.0
    if plain_form(points) in MORE or team is not None:
        return 1.0
    names, rows = headings.names, headings.evidence.rows
    if plain_form(points) == "score" and any(map(is_task, names)):
        return 1.0
    player, keys = headings.find_column("player") or points, [*filter(None, keys)]
    contests = list(zip(*(rows[name] for name in keys), strict=True))
    parsed = (parse_or_none(parse_decimal, cell) for cell in rows[points])
    amounts = [amount for amount in parsed if amount is not None]
    if not contests or len(amounts) < len(contests):  # 1e999: said where the rows are read
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
        groups = group_values(contests, [*zip(marks, amounts, strict=True)])
        if all(sum(won for won, _ in group) == 1 and len(group) > 1 for group in groups):
            told |= {find_end_of_winner(group) for group in groups}
    of_two = {*Counter(contests).values()} == {2}
    if not told and of_two and _adds_up(headings, amounts):
        return 1.0
    return told.pop() if len(told) == 1 else 0.0


def _adds_up(headings: Headings, totals: list[float]) -> bool:
    """Whether points are the sums of numbered ends or innings, in some of which nothing was scored:
    no hole is played in 0 strokes.
    """
    rows = headings.evidence.rows
    parts = [[parse_or_none(parse_decimal, cell) or 0.0 for cell in rows[name]]
             for name in find_numbered(headings)]  # fmt: skip
    return [*map(sum, zip(*parts, strict=True))] == totals and any(0.0 in each for each in parts)


def find_end_of_winner(group: Sequence[tuple[bool, float]]) -> float:
    """Whether the winner of a contest has the most points (1.0), the fewest (-1.0) or neither."""
    best = next(points for won, points in group if won)
    others = [points for won, points in group if not won]
    return 1.0 if best > max(others) else -1.0 if best < min(others) else 0.0


def own_score(cell: Any) -> float | None:
    """The score of the player of a row as a cell tells it, None where it does not."""
    return parse_or_none(parse_own_result, cell)


def read_own_scores(cells: Sequence[Any]) -> list[float | None]:
    """The scores of the players of the rows, also by letters that the cells explain together."""
    parser = OutcomeParser("", "")
    with suppress(InvalidValue):
        decide_outcomes(parser, "own result", {*map(str, cells)})
    return [parse_or_none(parser.own_result, cell) for cell in cells]


def group_values(keys: Iterable[Any], values: Sequence[Any]) -> list[list[Any]]:
    """The values of each key, in their order."""
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


# The columns that decide contests: places, points, times, and which end of them is better.


MEASURES = {  # of those who are given tasks, and which end is better
    word: sign
    for sign, found in zip((1.0, -1.0), slots_for("measures"), strict=True)
    for word in found
}
BESIDE_MEASURES = words_for("beside_measure")
OF_ONE_CONTEST = words_for("one_contest")
OF_DAY = re.compile(r"([01]?[0-9]|2[0-3])[:.][0-5][0-9]")  # or minutes and seconds

Deciding = tuple[tuple[str, float], ...]  # columns, +1.0 where more is better, -1.0 where less is


@once
def deciding_columns(headings: Headings) -> Deciding:
    """The columns that decide contests without places and points, empty where none is certain.

    A sign of 0.0 leaves it to the cells which end is better: less of times is.
    """
    if not headings.guessed.keys().isdisjoint({"place", "points"}):
        return ()
    names, evidence = headings.names, headings.evidence
    words = {name: {*split_heading(name)} for name in names}

    def list_amounts(wanted: Collection[str], beside: Collection[str] | None = None) -> list[str]:
        """The columns of amounts whose headings have a wanted word, and no others but those."""
        return [
            name for name, found in words.items()
            if not found.isdisjoint(wanted) and not any(map(str.isdigit, found))
            and (beside is None or found <= {*wanted, *beside})
            and evidence[name].share(_is_amount) >= MOST_FIT
        ]  # fmt: skip

    solved = list_amounts(words_for("solved"))
    if len(solved) == 1:
        penalty = list_amounts(words_for("solving_time"))
        return ((solved[0], 1.0), *((name, -1.0) for name in penalty[:1]))
    spans = [
        each for each in names if _may_be_span(read_heading(each)) and are_spans(evidence[each])
    ]
    measured = list_amounts(MEASURES, BESIDE_MEASURES) if any(map(is_task, names)) else []
    signs = [MEASURES[word] for name in measured for word in words[name] & MEASURES.keys()]
    for found, sign in (  # the most certain first
        (list_amounts(words_for("strokes")), -1.0),
        ([name for name in names if "par" in words[name] <= BESIDE_MEASURES], -1.0),
        (spans, 0.0),
        (list_amounts(TOTALS, ()), 0.0),
        (measured, min(signs, default=0.0)),
        (list_amounts(words_for("gain")), 1.0),
    ):
        totals = [name for name in found if TOTALS & words[name]]
        if chosen := choose_only(totals or found):
            return ((chosen, sign),)
    return _find_amounts(names, evidence)


def _find_amounts(names: Sequence[str], evidence: TableEvidence) -> Deciding:
    """The only column of amounts that is no key, no year and no time; its better end is open where
    the heading does not say it.
    """
    keys = [name for name in names if tells_contests(name) or plain_form(name) in CONTEST]
    found = [
        name
        for name in names
        if not _tells_no_amount(read_heading(name))
        and name not in keys
        and evidence[name].filled
        and (evidence[name].share(_is_amount) == 1.0 or are_spans(evidence[name]))
        and evidence[name].share(is_year) < 1.0
    ]
    if len(found) != 1:
        return ()
    plain = plain_form(found[0])
    if any(plain_form(name) in FEWER - {*PLACE} for name in names if name != found[0]):
        return ()  # a gap beside laps
    sign = 1.0 if plain in MORE else -1.0 if plain in FEWER else 0.0
    repeated = any(evidence[name].filled > len(evidence[name].names) for name in keys)
    return ((found[0], sign),) if repeated or plain in OF_ONE_CONTEST else ()


def _tells_no_amount(heading: HeadingMeaning) -> bool:
    """Whether a heading says that its column holds something else than points."""
    other = heading.subjects - {"points", "result", "games", "sets"}
    return heading.spoiled or bool(heading.sides) or bool(other)


def _may_be_span(heading: HeadingMeaning) -> bool:
    """Whether less of what a heading says is better; of a hold time it is not."""
    words = {*heading.words} - words_for("span_of_time") - TOTALS - BESIDE_MEASURES
    of_result = all(
        read_heading(word).subjects & {"result", "points", "occasion"} for word in words
    )
    return of_result and not heading.sides and not heading.spoiled


def are_spans(column: ColumnEvidence) -> bool:
    """Whether the cells are spans of time, and not all of them may be times of the day."""
    placed = [cell for cell in column.cells if not is_unplaced(cell)]
    if not any(map(_is_span, placed)) or not all(
        _is_span(cell) or is_number(cell) for cell in placed
    ):
        return False
    if len(placed) < column.filled:
        return True
    return not all(isinstance(cell, str) and OF_DAY.fullmatch(cell.strip()) for cell in placed)


def _is_span(cell: Any) -> bool:
    if isinstance(cell, dt.timedelta):
        return True
    if isinstance(cell, dt.time):
        return bool(cell.second or cell.microsecond)
    text = str(cell).strip().removeprefix("+").lstrip() if isinstance(cell, str) else ""
    return not is_number(text) and parse_duration(text) is not None


def _is_amount(cell: Any) -> bool:
    return is_unplaced(cell) or parse_amount(cell) is not None


def choose_place(headings: Headings) -> str | None:
    """The column of places; a rank that a player keeps from contest to contest is none.

    Raises BadData where there are several, which differ.
    """
    guessed, player = headings.guessed.get("place"), headings.guessed.get("player")
    if guessed is None or player is None:
        return guessed
    evidence, found = headings.evidence, list[str]()
    for name in headings.names:
        heading = read_heading(name)
        plain = plain_form(name) in PLACE or (heading.is_of("place") and not heading.unknown)
        if plain and not heading.sides and evidence[name].share(_is_ordinal) >= MOST_FIT:
            cells = evidence.rows[name]
            if not any(_say_the_same(cells, evidence.rows[other]) for other in found):
                found.append(name)
    if len(found) > 1:
        found = [name for name in found if not _is_kept(evidence, name, player)] or found
    if guessed not in found or len(found) == 1:
        return found[0] if len(found) == 1 else guessed
    raise headings.ask("place_ambiguous", "name it with place= (--place)", map(quote, found))


def _is_ordinal(cell: Any) -> bool:
    return is_unplaced(cell) or parse_ordinal(str(cell)) is not None


def _say_the_same(cells: Sequence[Any], others: Sequence[Any]) -> bool:
    known = [
        (parse_ordinal(str(one)), parse_ordinal(str(other)))
        for one, other in zip(cells, others, strict=True)
    ]
    return all(one == other for one, other in known if one is not None and other is not None)


def _is_kept(evidence: TableEvidence, name: str, player: str) -> bool:
    """Whether each player has one value in all rows, and some player has several rows."""
    rows = list(zip(evidence.rows[player], evidence.rows[name], strict=True))
    players = {who for who, _ in rows}
    return len(players) < len(rows) and len({*rows}) == len(players)


# Tables that are neither games nor contests: standings, crosstables, lists of ratings.


ROUND_STEMS = ("", *WORDS_IN_ORDER["numbered_round"])  # before a number, in a crosstable

RATINGS = words_for("rating") | {"votes"}
BESIDE_RATINGS = words_for("beside_rating", "heading_place")
COUNTED_HEADINGS = frozenset(word for pair in STANDINGS for word in pair)
NAMED_BY_CALLER = ("place", "points", "result", "contest")  # what decides contests, and their keys
FEWEST_ROUNDS = 3  # numbered columns that make a crosstable
GAMES_WANTED = (
    'give the table of games, or take it as one contest with kind="contests" and place= '
    "(--kind contests --place COLUMN)"
)


WON_GAMES = (words_for("won") - words_for("winner")) | {"w"}  # columns of sums of games


@once
def find_numbered(headings: Headings) -> tuple[str, ...]:
    """Columns 1, 2, 3, ... or R1, R2, R3, ..., empty where there are fewer than three."""
    for word in ROUND_STEMS:
        found: list[str] = []
        while (name := f"{word}{len(found) + 1}") in headings.plain:
            found.append(headings.plain[name])
        if len(found) >= FEWEST_ROUNDS:
            return tuple(found)
    return ()


def name_standings(headings: Headings, *columns: str) -> BadData:
    """The refusal of a table of sums, which these columns hold."""
    what = f"columns {', '.join(columns)}" if columns[1:] else f"column {quote(columns[0])}"
    return headings.bad("standings", what=what, remedy=GAMES_WANTED)


def refuse_standings(headings: Headings) -> None:
    """Refuse league tables and crosstables, which sum up games; raises BadData."""
    if not headings.options.roles.keys().isdisjoint(NAMED_BY_CALLER):
        return
    known = {word for word, name in headings.plain.items() if _may_count(headings, name)}
    sums = next((set(pair) for pair in STANDINGS if known.issuperset(pair)), set())
    player = headings.guessed.get("player")
    if not sums and player:
        sums = set(PLAYED & known)
        if known.isdisjoint({*CONTEST, *ROLES["date"].headings}):
            sums |= GAMES & known
    rated = [name for name in headings.names if not words_of(name).isdisjoint(RATINGS)]
    counted = [headings.plain[word] for word in sorted((GAMES | PLAYED) & known)]
    if player:  # beside ranks, votes or intervals
        counted += [name for name in headings.names if words_of(name) & BESIDE_RATINGS]
    counted = [name for name in counted if name not in rated[:1]]
    if rated and counted and known.isdisjoint({*CONTEST, *ROLES["date"].headings}):
        raise name_standings(headings, rated[0], counted[0])
    beside = (SUMS & known) - sums
    if sums and beside:
        columns = [headings.plain[name] for name in (*sorted(sums), *sorted(beside))]
        raise name_standings(headings, *columns[:4])
    open_ = headings.guessed.keys().isdisjoint({"place", "points"}) and not deciding_columns(
        headings
    )
    if player and find_numbered(headings) and open_:
        raise headings.bad("crosstable", remedy=GAMES_WANTED)


def refuse_totals(headings: Headings, winner: str, loser: str) -> None:
    """Refuse numbers won and lost in a season in place of names; raises BadData.

    Numbers are names where they are ids: of the same players in both columns, or called so.
    """
    named = headings.options.roles.keys() & {"winner", "loser"}
    if named or "id" in words_of(winner) | words_of(loser):
        return
    numbers = all(headings.evidence[name].numbers >= MOST_FIT for name in (winner, loser))
    summed = bool(WON_GAMES & words_of(winner))
    if numbers and (summed or not headings.evidence.share_names(winner, loser)):
        raise name_standings(headings, winner, loser)


def _may_count(headings: Headings, name: str) -> bool:
    """Whether a column may hold sums of games, or tell contests: it is no time of a game."""
    if plain_form(name) not in PLAYED | GAMES | COUNTED_HEADINGS:
        return True
    column = headings.evidence[name]
    return not column.filled or column.share(is_number) >= MOST_FIT
