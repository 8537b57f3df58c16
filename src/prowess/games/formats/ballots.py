"""Parse ballots in the usual notation, one a line, with the number of voters:

    # comments and empty lines are left out
    candidates: Ada, Ben, Cleo, Dan
    3: Ada > Ben = Cleo
    Cleo > Ada
    Cleo, Ada

Each ballot is a contest, its weight the number of those who cast it. The line of candidates names
those who stand whether or not a ballot ranks them; without it the ballots say who stands. Commas
alone are read as `>`.

PrefLib's files number the candidates in comments, and tie them in braces:

    # ALTERNATIVE NAME 1: Ada
    3: 1,{2,3}
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from prowess.games.arguments import check_callable, check_flag, check_given, check_text, refuse
from prowess.games.cells.skipped_rows import SkipBad, SkippedRows
from prowess.games.columns import is_not_utf8
from prowess.games.errors import BadData, InvalidValue
from prowess.games.formats.encodings import decode_text
from prowess.games.formats.sources import file_name, open_bytes
from prowess.games.games import Games, complete_reading
from prowess.games.layout import Options
from prowess.games.names import Roster
from prowess.games.reading import Reading, format_count
from prowess.games.runs import bounds_of

COUNTED_BALLOT = re.compile(r"(\d+(?:\.\d+)?)\s*:(.*)")
CANDIDATES = re.compile(r"candidates\s*:(.*)", re.IGNORECASE)
ALTERNATIVE_NAME = re.compile(r"#\s*ALTERNATIVE NAME (\d+)\s*:\s*(.*)", re.IGNORECASE)
CATEGORICAL = re.compile(r"#\s*DATA TYPE\s*:\s*cat\b", re.IGNORECASE)
PREFLIB_PLACES = re.compile(r"\{([^{}]*)\}|([^{},\s]+)")  # of PrefLib: 1, or {2,3} for a tie
RESULT_IN_LINE = re.compile(r"\d\s*[-:]\s*\d|[-=]>")  # in a line that is no ballot
BALLOT_HEAD = 4096  # bytes of a text that tell whether it holds ballots


class Ballot(NamedTuple):
    """One ballot: the number of voters who cast it, and names by place, the best first."""

    cast: float
    places: list[list[str]]
    commas: bool = False  # it was written with commas


def read_ballots(
    source: Any,
    *,
    encoding: str | None = None,
    skip_bad: bool = False,
    report: Callable[[BadData], Any] | None = None,
) -> Games:
    """Read ballots such as `3: Ada > Ben = Cleo`.

    `source` is a path (`-` is standard input), an open file, or a list of ballots: of lines, or of
    lists of names, the best first, with a list inside for those who are equal. Commas in a line
    rank as `>` does. Raises BadData with file, line and remedy at the first line that is no ballot;
    with `skip_bad` such lines are left out and handed to `report`.

    >>> import prowess
    >>> prowess.read_ballots(["3: Ada > Ben = Cleo", "Ben > Ada"]).weight.tolist()
    [3.0, 1.0]
    """
    check_given(check_text, "encoding", encoding, "utf-8")
    check_given(check_callable, "report", report)
    skip_bad = check_flag("skip_bad", skip_bad)
    if isinstance(source, Sequence) and not isinstance(source, str):
        lines: Iterable[tuple[str, int, Any]] = (
            ("", at, line) for at, line in enumerate(source, 1)
        )
    elif file_name(source) is not None:
        lines = read_lines([source], encoding)
    else:
        raise refuse(
            "give ballots as a path, an open file or a list of lines", source, code="not_ballots"
        )
    return parse_ballots(lines, skip_bad, report or (lambda _: None))


def read_ballot_files(
    source: Any,
    options: Options,
    encoding: str | None,
    skip_bad: SkipBad,
    report: Callable[[BadData], Any] | None,
) -> Games:
    """The ballots of one file or several; raises BadData, also for options that say nothing."""
    named = options.facts, options.forecasts, options.per, options.along, options.family
    further = any(named) or options.splits_teams
    if options.roles or options.where or options.exclude or options.kind == "games" or further:
        raise BadData.of("ballots_without_columns")
    files = list(source) if isinstance(source, list | tuple) else [source]
    lines = read_lines(files, encoding)
    left_out = SkippedRows(skip_bad, report)
    contests = parse_ballots(lines, bool(skip_bad), left_out)
    left_out.check(len(contests))
    read = Reading("ballots", rows=len(contests), left_out=left_out.reasons())
    return complete_reading(contests, read)


def holds_ballots(path: str | PathLike[str]) -> bool:
    """Whether the lines of a text file are ballots, of which several rank the same names."""
    try:
        with open_bytes(path) as stream:
            text = decode_text(stream.name, stream.look(BALLOT_HEAD), None)
    except BadData:
        return False  # what is wrong is said where the file is read
    lines = [line.strip() for line in text.splitlines()[: None if len(text) < BALLOT_HEAD else -1]]
    ballots = [
        line for line in lines if line and line[0] not in "#<>|" and not CANDIDATES.fullmatch(line)
    ]
    if not ballots or not all(">" in line and not RESULT_IN_LINE.search(line) for line in ballots):
        return False
    ranked = [
        {name.strip() for name in re.split("[>=]", COUNTED_BALLOT.sub(r"\2", line))}
        for line in ballots
    ]
    return len(ranked) == 1 or any(ranked[0] & others for others in ranked[1:])


def read_lines(sources: Iterable[Any], encoding: str | None) -> Iterator[tuple[str, int, str]]:
    """File, number and text of every line."""
    for source in sources:
        with open_bytes(source) as stream:
            content = decode_text(stream.name, stream.readall(), encoding)
        for at, line in enumerate(content.splitlines(), 1):
            yield stream.name, at, line


def parse_ballots(
    lines: Iterable[tuple[str, int, Any]], skip_bad: bool, report: Callable[[BadData], Any]
) -> Games:
    """The ballots of lines or lists, each with its file and number; raises BadData."""
    declared: list[str] = []
    ballots: list[Ballot] = []
    numbered: dict[str, str] = {}
    file = ""
    for file, at, line in lines:
        bare = line.strip() if isinstance(line, str) else ""
        if found := ALTERNATIVE_NAME.fullmatch(bare):
            _refuse_names([found[2]], file, at)
            numbered[found[1]] = found[2].strip()
            declared.append(found[2].strip())
        if CATEGORICAL.match(bare):
            raise BadData.of("categories", file=file, line=at)
        if isinstance(line, str) and (not bare or bare.startswith("#")):
            continue
        try:
            if not isinstance(line, str):
                ballots.append(_ballot_of_names(line, declared))
            elif found := CANDIDATES.fullmatch(bare):
                declared += _candidates(found[1], declared, ballots)
            elif numbered:
                ballots.append(_ballot_of_numbers(bare, numbered))
            else:
                ballots.append(_ballot(bare, declared))
        except BadData as bad:
            fault = BadData(bad.what, file=file or None, line=at, remedy=bad.remedy, code=bad.code)
            if not skip_bad:
                raise fault from None
            report(fault)
    if not ballots:
        raise BadData.of("no_ballots", file=file)
    return _contests(declared, ballots)


def _candidates(names: str, declared: list[str], ballots: list[Ballot]) -> list[str]:
    if declared or ballots:
        raise BadData.of("candidates_twice")
    given = [name.strip() for name in names.split(",")]
    _refuse_names(given)
    return given


def _number_like(text: str) -> bool:
    """Whether a text is a number and so not the beginning of a name."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _ballot(line: str, declared: list[str]) -> Ballot:
    found = COUNTED_BALLOT.fullmatch(line)
    before, colon, _ = line.partition(":")
    if colon and not found and _number_like(before):
        raise BadData.of("not_a_count", text=before.strip())
    count, ranking = (float(found[1]), found[2]) if found else (1.0, line)
    if not 0.0 < count < float("inf"):
        raise BadData.of("count_of_zero", text=line)
    commas = "," in ranking
    if commas and (">" in ranking or "=" in ranking):
        raise BadData.of("commas_in_ballot", text=line)
    places = [
        [name.strip() for name in place.split("=")]
        for place in ranking.split("," if commas else ">")
    ]
    _refuse_ranked(places, declared)
    return Ballot(count, places, commas)


def _ballot_of_numbers(line: str, numbered: Mapping[str, str]) -> Ballot:
    """A ballot of PrefLib, whose candidates are numbers."""
    found = COUNTED_BALLOT.fullmatch(line)
    parts = PREFLIB_PLACES.findall(found[2]) if found else []
    if not found or not parts or PREFLIB_PLACES.sub("", found[2]).strip(" ,"):
        raise BadData.of("not_a_ballot.numbers", text=line)
    places = [[name.strip() for name in (tied or alone).split(",")] for tied, alone in parts]
    for number in (number for place in places for number in place):
        if number not in numbered:
            raise BadData.of("unknown_candidate.number", number=number)
    named = [[numbered[number] for number in place] for place in places]
    _refuse_names([name for place in named for name in place])
    return Ballot(float(found[1]), named)


def _ballot_of_names(ballot: Any, declared: list[str]) -> Ballot:
    """A ballot of Python values: names, or lists of those who are equal."""
    if not isinstance(ballot, Sequence):
        raise BadData.of("not_a_ballot.value", ballot=ballot)
    equal = [[place] if isinstance(place, str) else place for place in ballot]
    if not equal or not all(
        isinstance(place, Sequence) and place and all(isinstance(name, str) for name in place)
        for place in equal
    ):
        raise BadData.of("not_a_ballot.names", ballot=ballot)
    places = [[name.strip() for name in place] for place in equal]
    _refuse_ranked(places, declared)
    return Ballot(1.0, places)


def _refuse_ranked(places: list[list[str]], declared: list[str]) -> None:
    ranked = [name for place in places for name in place]
    _refuse_names(ranked)
    for name in ranked:
        if declared and name not in declared:
            near = get_close_matches(name, declared, n=1)
            remedy = (
                f"did you mean {near[0]}?" if near else "add the name to the line of candidates"
            )
            raise BadData.of("unknown_candidate.name", name=name, remedy=remedy)


def _refuse_names(names: list[str], file: str = "", at: int | None = None) -> None:
    if "" in names:
        raise BadData.of("name_missing.ballot")
    if any(map(is_not_utf8, names)):
        raise InvalidValue.of("not_utf_8.name").place_in(file, line=at)
    if len({*names}) < len(names):
        name = next(name for name, count in Counter(names).items() if count > 1)
        raise BadData.of("player_twice.ballot", name=name)


def _contests(declared: list[str], ballots: list[Ballot]) -> Games:
    number = {name: at for at, name in enumerate(declared)}
    player, place = [], []
    for ballot in ballots:
        at = 1.0
        for names in ballot.places:
            for name in names:
                player.append(number.setdefault(name, len(number)))
                place.append(at)
            at += len(names)
    sizes = [sum(map(len, ballot.places)) for ballot in ballots]
    count = np.array([ballot.cast for ballot in ballots])
    commas = sum(ballot.commas for ballot in ballots)
    notes = [f"{format_count(commas, 'ballot')} with commas: read as > (the first is the best)"]
    return Games(
        players=Roster(number),
        start=bounds_of(sizes).astype(np.int64),
        player=np.array(player, dtype=np.uint32),
        place=np.array(place),
        weight=None if (count == 1.0).all() else count,
        notes=tuple(notes if commas else ()),
    )
