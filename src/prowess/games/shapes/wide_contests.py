"""Contests, ballots and races in one row or one column each become rows of players and places.

`Date, 1st, 2nd, 3rd` holds a name in each place; `Date, Ann, Bob, Cleo` a place or the points of
each player; `Rank your choices [Ann]` a ballot.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from prowess.games.cells.places import bare_letters, parse_ordinal
from prowess.games.columns import InputTable
from prowess.games.errors import quote
from prowess.games.roles.candidates import side_family
from prowess.games.roles.evidence import is_of_official
from prowess.games.shapes.crosstables import TOUCHES
from prowess.games.shapes.split_cells import NAME_POINTS, hold_points, parse_name_points
from prowess.games.shapes.wide_tables import (
    LEAST,
    NUMBERS,
    PLAIN_NUMBER,
    PlacedRows,
    WideTable,
    find_label,
    is_names,
    is_numbers,
    other_columns,
)
from prowess.games.values import fold_text, lazy_pattern, plain_form
from prowess.games.vocabulary import (
    FEWER,
    MORE,
    PLACE,
    SPOILERS,
    SUBJECT_WORDS,
    TOTALS,
    WEAK,
    read_heading,
    split_heading,
    tells_contests,
)
from prowess.games.words import alternatives, slots_for, words_for

# Which end of a scale is better, as a question of a form says: 1 = not at all, 5 = love it.


ANCHORS = re.compile(r"(\d+)\s*[=:–-]\s*([^\d,;()]+)")
GOOD, BAD = slots_for("scale_ends")
STARS = words_for("stars")


def find_better_end(question: str) -> float:
    """1.0 where a question says that more is better, -1.0 where less is, 0.0 where it is open.

    >>> find_better_end("(1 = not at all, 5 = love it)"), find_better_end("1: best, 6: worst")
    (1.0, -1.0)
    """
    ends = {int(number): {*split_heading(text)} for number, text in ANCHORS.findall(question)}
    if len(ends) < 2:
        return 1.0 if {*split_heading(question)} & STARS else 0.0
    low, high = (
        -1.0 if words & BAD else float(bool(words & GOOD))
        for words in (ends[min(ends)], ends[max(ends)])
    )
    return float((high > low) - (high < low)) if low * high <= 0.0 else 0.0


COMPOUND = re.compile(r"\b(erst|zweit|dritt|viert|funft|sechst)(?=wahl|praf|prio|platz)")
ARTICLES = words_for("article")
LONGEST, MOST = 40, 1_000  # letters of a place, and the largest one
TIED = re.compile(r"\s+=\s+")
GRID = re.compile(r"(?P<question>.*?)\s*\[(?P<name>[^\[\]]+)\]")
BETWEEN_PARTS = re.compile(r"[\[\]():|]|\s[-–—]\s")
FEWER_WIN = words_for("fewer_points_win")
UNLIKE = 50.0  # times as large as those of another column are numbers of another thing
NO_CHOICE = words_for("no_choice")  # in place of a name on a ballot
UNPLACED_CELL = re.compile(r"[a-z]{2,4}|[-–—]+", re.IGNORECASE)  # DNF, DNS, OCS
CODED = re.compile(r"\d+(?:\.\d)?\s+([A-Z]{2,4})")


def unfold_contests(wide: WideTable) -> InputTable | None:
    """The rows of players and places of a wide table; None for another table."""
    for unfold in (_by_place, _by_number, _by_seat, _by_grid, _by_player):
        if (found := unfold(wide)) is not None:
            return found
    return None


def find_place(heading: str) -> int | None:
    """The place that a heading says, from 1 on; None for another heading.

    >>> find_place("Rank1"), find_place("2nd choice"), find_place("Drittwahl"), find_place("Ann")
    (1, 2, 3, None)
    """
    folded = re.sub(r"[^\w #.ºª°]", " ", fold_text(heading)).replace("_", " ").strip()
    folded = COMPOUND.sub(r"\1e ", folded)
    if (place := parse_place(folded)) is not None:
        return place
    words = re.findall(
        r"[a-z]+|\d+", re.sub(r"(?<=\d)(?:st|nd|rd|th|er|ere|eme|e|o|a)\b", "", folded)
    )
    if words == ["runner", "up"]:
        return 2
    known = [place for word in words if (place := parse_place(word)) is not None]
    return known[0] if len(known) == 1 and len(words) - 1 == sum(map(_is_beside, words)) else None


def _is_beside(word: str) -> bool:
    """Whether a word may stand beside an ordinal: `my first choice`, `2nd preference vote`."""
    return word in ARTICLES or parse_place(f"{word} 1") == 1


def parse_place(cell: str) -> int | None:
    """The place that a cell says: 3, 3rd, =3, `3rd choice`; None for another cell, also for 3-4."""
    if "-" in cell or "/" in cell or len(cell) > LONGEST:
        return None
    place = parse_ordinal(cell)
    return int(place) if place is not None and place.is_integer() and place < MOST else None


def find_places(names: Sequence[str]) -> dict[str, int]:
    """The places that headings say, alone or beside one question: `Where to? [1st choice]`."""
    places = {name: place for name in names if (place := find_place(name)) is not None}
    asked: dict[str, dict[str, int]] = {}
    for name in names:
        parts = [part.strip() for part in BETWEEN_PARTS.split(name) if part.strip()]
        told = [part for part in parts if any(map(str.isalpha, part)) and find_place(part)]
        if name not in places and len(told) == 1:
            parts.remove(told[0])
            asked.setdefault(" ".join(parts), {})[name] = find_place(told[0]) or 0
    return places if places or len(asked) != 1 else asked.popitem()[1]


def _by_place(wide: WideTable) -> InputTable | None:
    """A column for each place, which holds a name."""
    places = find_places(wide.names)
    names = [name for name in places if is_names(wide.columns[name])]
    different = [{*wide.columns[name]} - {""} for name in names]
    if all(TOUCHES.fullmatch(cell.casefold()) for cells in different for cell in cells):
        return None  # the results of a crosstable
    with_points = hold_points([wide.columns[name] for name in names])
    order = [places[name] for name in names]
    if len(names) < 2 or sorted(order) != list(range(1, len(names) + 1)):
        return None
    named = {
        cell: parse_name_points(cell) if with_points else (cell, "")
        for cell in {cell for cells in different for cell in cells}
    }
    held = [{named[cell][0].casefold() for cell in cells} for cells in different]
    if len(names) == 2 or not any(a & b for at, a in enumerate(held) for b in held[at + 1 :]):
        return None
    beside = [wide.names[at + 1 : at + 2] for at in map(list(wide.names).index, names)]
    points = [found[0] for found in beside if found and is_numbers(wide.columns[found[0]])]
    points = points if len(points) == len(names) else []
    made = PlacedRows(wide, other_columns(wide, [*places, *points]))
    without = {cell for cell in named if bare_letters(cell) in NO_CHOICE}
    read = {cell: (TIED.split(name), value) for cell, (name, value) in named.items()}

    def rank(cells: tuple[str, ...]) -> tuple[list[str], list[int]]:
        """The players of a row and their places."""
        ranked: tuple[list[str], list[int]] = [], []
        place, before = 0, ""
        for at, player in enumerate(cells[: len(names)]):
            again = without and player in cells[:at]
            if not player or player in without or again:
                continue
            tied, value = read[player]
            if points and not with_points:
                value = cells[len(names) + at]
            place = place if value and value == before else order[at]
            before = value
            ranked[0].extend(tied)
            ranked[1].extend([place] * len(tied))
        return ranked

    rows = [*zip(*(wide.columns[name] for name in [*names, *points]), strict=True)]
    known = {cells: rank(cells) for cells in {*rows}}
    made.add_all([known[cells] for cells in rows])
    note = f"each row is a contest; columns {names[0]} to {names[-1]} are its places"
    none = f"; no choice: {', '.join(sorted(without))}; a name counts once" if without else ""
    return made.table(note + none)


def _by_number(wide: WideTable) -> InputTable | None:
    """Columns for each of three players or more, with what they achieved: `p1_name`, `p1_points`,
    `p2_name`, ...
    """
    found: dict[tuple[str, ...], dict[int, str]] = {}
    for name in wide.names:
        words = split_heading(name)
        numbers = [word for word in words if word.isdigit()]
        if len(numbers) == 1:
            stem = tuple(word for word in words if not word.isdigit())
            found.setdefault(stem, {}).setdefault(int(numbers[0]), name)
    counted = [
        [each[number] for number in sorted(each)]
        for each in found.values()
        if len(each) >= LEAST and sorted(each) == [*range(1, len(each) + 1)]
    ]
    players = [each for each in counted if all(is_names(wide.columns[name]) for name in each)]
    players = [each for each in players if read_heading(each[0]).is_of("player")]
    if len(players) != 1:
        return None
    values = [
        (subject, each)
        for subject in ("place", "points")
        for each in counted
        if len(each) == len(players[0]) and read_heading(each[0]).is_of(subject)
        and all(is_numbers(wide.columns[name]) or subject == "place" for name in each)
    ]  # fmt: skip
    taken = {*players[0], *(name for _, each in values for name in each)}
    kept = other_columns(wide, [*taken])
    teams = any("team" in stem for stem, each in found.items() if [*each.values()] != players[0])
    if not values or teams or any(_tells_result(name) for name in kept):
        return None
    subject, columns = values[0]
    made = PlacedRows(wide, kept)
    for row in range(len(wide.rows)):
        for name, column in zip(players[0], columns, strict=True):
            if player := wide.columns[name][row]:
                made.add(row, player, wide.columns[column][row])
    note = f"each row is a contest of {players[0][0]} to {players[0][-1]}"
    known = [word for word in read_heading(columns[0]).words if word in SUBJECT_WORDS[subject]]
    return made.table(note, "place" if subject == "place" else max(known, key=len))


def _by_seat(wide: WideTable) -> InputTable | None:
    """Columns of names, with the points of each in a column beside, `East` and `East pts`, or in
    brackets behind the name.
    """
    names = [name for name in wide.names if is_names(wide.columns[name])]
    points = {name: each for name in names if (each := _find_points_of(wide, name))}
    bare = [
        name for name in names if all(NAME_POINTS.fullmatch(c) for c in wide.columns[name] if c)
    ]
    in_brackets = len(bare) >= LEAST and not points and hold_points([wide.columns[n] for n in bare])
    seats = bare if in_brackets else [*points]
    kept = other_columns(wide, [*seats, *points.values()])
    sided = any(read_heading(name).sides - WEAK for name in seats)
    if len(seats) < LEAST or sided or any(_tells_result(name) for name in kept):
        return None
    made = PlacedRows(wide, kept)
    for row in range(len(wide.rows)):
        for name in seats:
            if player := wide.columns[name][row]:
                value = wide.columns[points[name]][row] if points else ""
                player, value = parse_name_points(player) if in_brackets else (player, value)
                made.add(row, player, value)
    note = f"each row is a contest of {seats[0]} to {seats[-1]}"
    known = [] if in_brackets else [*read_heading(points[seats[0]]).words]
    word = next((word for word in known if word in MORE), "score")
    return made.table(f"{note}, with their points", word)


def _find_points_of(wide: WideTable, name: str) -> str | None:
    """The column of numbers whose heading is that of a column of names and a word for points."""
    words = split_heading(name)
    found = []
    for each in wide.names:
        more = split_heading(each)
        of_it = words in (more[:-1], more[1:]) and "points" in read_heading(each).subjects
        if of_it and _are_signed(wide.columns[each]):
            found.append(each)
    return found[0] if len(found) == 1 else None


def _are_signed(cells: Sequence[str]) -> bool:
    """Whether cells are numbers, some perhaps negative."""
    return is_numbers([cell.lstrip("+-−") for cell in cells])


def _tells_result(heading: str) -> bool:
    """Whether a heading is that of the result of two sides."""
    meaning = read_heading(heading)
    return bool(meaning.subjects & {"result", "points"} or "winner" in meaning.sides)


def _by_grid(wide: WideTable) -> InputTable | None:
    """A question of a form for each candidate, `Rank [Ann]`, which holds the place or marks."""
    found = {name: match for name in wide.names if (match := GRID.fullmatch(name))}
    questions = {match["question"] for match in found.values()}
    if len(found) < LEAST or len(questions) > 1:
        return None
    rows = range(len(wide.rows))
    ranked = all(is_ranked([wide.columns[name][row] for name in found]) for row in rows)
    if not ranked and not all(is_numbers(wide.columns[name]) for name in found):
        return None
    made = PlacedRows(wide, other_columns(wide, list(found)))
    for row in rows:
        for name, match in found.items():
            if cell := wide.columns[name][row]:
                made.add(row, match["name"].strip(), cell)
    note = "each row is a ballot; the names in brackets are its candidates"
    if ranked:
        return made.table(note)
    table = made.table(note, "score")
    if sign := find_better_end(questions.pop()):
        table.roles = {**table.roles, "points": ("score" if sign > 0.0 else "-score",)}
    return table


def bare_place(cell: str) -> str:
    """The place or code of a cell such as (3.0), 1 and 7.0 DNF, as series of races have them."""
    bare = cell.strip("()[] ")
    if coded := CODED.fullmatch(bare):
        return coded[1]
    return bare.removesuffix(".0")


def is_ranked(cells: Sequence[str]) -> bool:
    """Whether cells are the places of one contest: 1, 2, 3, ... with ties, or DNF and its like."""
    places: list[int] = []
    others: list[str] = []
    for cell in filter(None, map(bare_place, cells)):
        place = parse_place(cell)
        if place is not None:
            places.append(place)
        else:
            others.append(cell)
    if len(places) < 2 or not all(UNPLACED_CELL.fullmatch(other) for other in others):
        return False
    ranked = sorted(places)
    return ranked[0] == 1 and ranked[-1] <= len(cells) and len(set(ranked)) * 2 > len(ranked)


def _by_player(wide: WideTable) -> InputTable | None:
    """A column for each player, which holds the place or the points in the contest of the row."""
    names = [name for name in wide.names if _may_be_player(wide, name)]
    places = [at for at, name in enumerate(wide.names) if name in names]
    if len(names) < LEAST or places != list(range(places[0], places[-1] + 1)):
        return None
    kept = other_columns(wide, names)
    if any({"player", "place"} & read_heading(name).subjects for name in kept):
        return None
    named = [name for name in kept if is_names(wide.columns[name])]
    if any(side_family(one, other) for one in named for other in named if one != other):
        return None  # games of two sides, with what else is counted of both
    rows = range(len(wide.rows))
    ranked = all(is_ranked([wide.columns[name][row] for name in names]) for row in rows)
    if not ranked and _are_measures([wide.columns[name] for name in names], kept):
        return None
    made = PlacedRows(wide, kept)
    for row in rows:
        for name in names:
            if cell := wide.columns[name][row]:
                made.add(row, name, cell)
    what = "places" if ranked else "points"
    note = f"each row is a contest; columns {names[0]} to {names[-1]} are players with their {what}"
    if not ranked and (word := _find_more(wide.table.titles)):
        table = made.table(f"{note}; more is better, as {quote(word)} in the title says", "score")
        table.roles = {**table.roles, "points": ("score",)}
        return table
    return made.table(note, "place" if ranked else "score")


def _find_more(titles: Sequence[str]) -> str | None:
    """The word of a title that says that more is better, such as Punkte."""
    words = [word for title in titles for word in split_heading(title)]
    found = [word for word in words if word in MORE]
    return found[0] if found and not {*words} & (FEWER | FEWER_WIN) else None


def _are_measures(columns: Sequence[Sequence[str]], kept: Sequence[str]) -> bool:
    """Whether columns of numbers are of unlike things, such as a step and a loss, or fractions in
    rows that nothing calls contests, such as the lengths of flowers.
    """
    numbers = [
        [abs(float(cell.replace(",", "."))) for cell in cells if PLAIN_NUMBER.fullmatch(cell)]
        for cells in columns
    ]
    middles = [middle for each in numbers if each and (middle := median(each)) > 0.0]
    if middles and max(middles) > UNLIKE * min(middles):
        return True
    every = [number for each in numbers for number in each]
    fractions = sum(not (2.0 * number).is_integer() for number in every)
    return 2 * fractions > len(every) and not any(map(tells_contests, kept))


def _may_be_player(wide: WideTable, name: str) -> bool:
    """Whether a heading may be a name, and its cells numbers."""
    heading = read_heading(name)
    spoiled = not {*heading.words} & SPOILERS <= {"delta"}  # alpha-7b, delta-mini
    if not heading.unknown or heading.subjects - {"player"} or spoiled or {*heading.words} & TOTALS:
        return False
    if is_of_official(heading):
        return False
    filled = [cell for cell in wide.columns[name] if cell]
    return (
        len(filled) >= 1
        and all(
            PLAIN_NUMBER.fullmatch(cell)
            or parse_place(cell) is not None
            or UNPLACED_CELL.fullmatch(cell)
            for cell in filled
        )
        and any(PLAIN_NUMBER.fullmatch(cell) or parse_place(cell) is not None for cell in filled)
    )


# Contests in columns, players in rows: `Driver, Monaco, Spa, Monza, Points`.
#
# Columns are contests where each of them holds the places of the players in the rows, or where a
# column beside them is their sum, with or without discards, and either their headings call them
# contests or all of them give out the same points. The order of the rows, or their numbers, tells
# by that sum which end is better.


RACE = lazy_pattern(rf"(?:{alternatives('race')}|[pwmcltek]|pr|wf|et)?[ .#]*(\d{{1,2}})")
AMOUNT = re.compile(r"[-+−]?\d{1,7}(?:[.,]\d+)?")
OF_PARTS = words_for("run_of_contest")  # of one contest, as of a slalom
IN_NAMES = frozenset({"city", "land", "delta", "ground"})  # of places where races are held
RACE_SUMS = TOTALS | words_for("heading_points", "race_sum")
TOP = 3  # points that all contests give out
FEWEST_IN_ORDER = 4  # rows whose order tells which end is better


def unfold_races(wide: WideTable) -> InputTable | None:
    """The rows of players and places or points of a table with a column for each contest."""
    label = find_label(wide)
    if label is None or len(wide.rows) < LEAST or read_heading(label).subjects & {"occasion"}:
        return None
    races = _find_run(wide, label)
    numbered = [name for name in races if RACE.fullmatch(fold_text(name))]
    cells = {name: wide.columns[name] for name in races}
    ranked = [name for name in races if is_ranked(cells[name])]
    total = _find_total(wide, label, races) if len(races) > 1 else None
    sign = _better_end(wide, total) if total else 0.0
    if len(ranked) < len(races) or len(races) < 2:
        places = [name for name in numbered if name in ranked]
        if len(places) > 1:
            return _place(wide, label, places)
        if total is None or not (_give_the_same(wide, races) or all(map(_is_occasion, races))):
            return None
        return _count(wide, label, races, total, sign)
    if total and (sign > 0.0 or (not sign and plain_form(total) in words_for("heading_points"))):
        return _count(wide, label, races, total, sign)
    if total is None and len(numbered) < 2 and _are_ranked_across(wide, races):
        return None
    return _place(wide, label, races)


def _place(wide: WideTable, label: str, races: Sequence[str]) -> InputTable:
    return _unfold(wide, label, races).table(
        f"columns {races[0]} to {races[-1]} are contests, their cells are places"
    )


def _count(
    wide: WideTable, label: str, races: Sequence[str], total: str, sign: float
) -> InputTable:
    """The rows of players and points; `sign` is -1.0 where less is better, 0.0 where it is open."""
    note = f"columns {races[0]} to {races[-1]} are contests, and {quote(total)} is their sum"
    if sign:
        note += f"; {'more' if sign > 0.0 else 'less'} is better, as the rows stand in its order"
    table = _unfold(wide, label, races, total).table(note, "score")
    if sign:
        table.roles = {**table.roles, "points": ("score" if sign > 0.0 else "-score",)}
    return table


def _unfold(wide: WideTable, label: str, races: Sequence[str], *beside: str) -> PlacedRows:
    made = PlacedRows(wide, [], [label, *races, *beside])
    for name in races:
        for row, player in enumerate(wide.columns[label]):
            if cell := bare_place(wide.columns[name][row]):
                made.add(row, player, cell)
                made.contests.append(name)
    return made


def _find_run(wide: WideTable, label: str) -> list[str]:
    """The longest run of columns that may be contests."""
    runs: list[list[str]] = [[]]
    for name in wide.names:
        if name != label and _may_be_race(name) and _are_results(wide.columns[name]):
            runs[-1].append(name)
        elif runs[-1]:
            runs.append([])
    return max(runs, key=len)


def _may_be_race(name: str) -> bool:
    """Whether a heading may be that of a contest, such as R1, Abend 2 or Monaco."""
    if RACE.fullmatch(fold_text(name)) or _is_occasion(name):
        return True
    heading = read_heading(name)
    if plain_form(name) in {*PLACE, *NUMBERS} or "[" in name or {*heading.words} & RACE_SUMS:
        return False
    spoiled = {*heading.words} & SPOILERS - IN_NAMES
    return bool(heading.unknown) and not (heading.subjects or heading.sides - WEAK or spoiled)


def _is_occasion(name: str) -> bool:
    """Whether a heading calls its column a contest, of which no other one is made."""
    heading = read_heading(name)
    return "occasion" in heading.subjects and OF_PARTS.isdisjoint(heading.words)


def _are_results(cells: Sequence[str]) -> bool:
    given = [cell for cell in cells if cell]
    return any(read_amount(cell) is not None for cell in given) and all(
        read_amount(cell) is not None or UNPLACED_CELL.fullmatch(cell.strip("()[]* "))
        for cell in given
    )


def read_amount(cell: str) -> float | None:
    """The place or the points that a cell says: 3, (3.0), -30, 7.0 DNF; None for another cell."""
    bare = cell.strip("()[]* ")
    bare = bare.split()[0] if CODED.fullmatch(bare) else bare
    found = AMOUNT.fullmatch(bare)
    return float(bare.replace(",", ".").replace("−", "-")) if found else None


def _amounts(wide: WideTable, name: str) -> list[float]:
    return [read_amount(cell) or 0.0 for cell in wide.columns[name]]


def _find_total(wide: WideTable, label: str, races: Sequence[str]) -> str | None:
    """The column that is the sum of these in every row, perhaps without the best or worst few."""
    parts = [sorted(row) for row in zip(*(_amounts(wide, name) for name in races), strict=True)]
    if not all(any(_amounts(wide, name)) for name in races):
        return None
    for name in wide.names:
        if name == label or name in races or not {*read_heading(name).words} & RACE_SUMS:
            continue
        if not all(read_amount(cell) is not None for cell in wide.columns[name]):
            continue
        sums = _amounts(wide, name)
        for left in range(len(races) - 1):
            kept = ([row[left:] for row in parts], [row[: len(row) - left] for row in parts])
            if any(
                all(abs(sum(row) - whole) < 1e-6 for row, whole in zip(some, sums, strict=True))
                for some in kept
            ):
                return name
    return None


def _better_end(wide: WideTable, total: str) -> float:
    """1.0 where the first rows have most of the total, -1.0 where they have least, else 0.0."""
    sums = _amounts(wide, total)
    for name in wide.names:
        if plain_form(name) in PLACE or bare_letters(name) in NUMBERS:
            places = [parse_place(cell.rstrip(".")) for cell in wide.columns[name]]
            known = [(place, whole) for place, whole in zip(places, sums, strict=True) if place]
            if len(known) == len(sums):
                sums = [whole for _, whole in sorted(known, key=lambda each: each[0])]
                break
    else:
        if len(sums) < FEWEST_IN_ORDER:
            return 0.0
    falling = all(a >= b for a, b in pairwise(sums))
    rising = all(a <= b for a, b in pairwise(sums))
    return float(falling) - float(rising)


def _give_the_same(wide: WideTable, races: Sequence[str]) -> bool:
    """Whether the best, or the least, points of all columns are the same and differ."""
    columns = [sorted(_amounts(wide, name)) for name in races]
    for ends in ([each[-TOP:] for each in columns], [each[:TOP] for each in columns]):
        if all(each == ends[0] for each in ends) and len({*ends[0]}) == TOP:
            return True
    return False


def _are_ranked_across(wide: WideTable, races: Sequence[str]) -> bool:
    """Whether the rows hold places as well: then they may be the contests."""
    return all(
        is_ranked([wide.columns[name][row] for name in races]) for row in range(len(wide.rows))
    )
