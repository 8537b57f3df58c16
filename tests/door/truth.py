"""Compares what `read_games` makes of the tables in `tests/door/tables` with their true games."""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import prowess
from prowess.games.errors import BadData
from prowess.games.games import Games

TABLES = Path(__file__).parent / "tables"
TRUTH, NAMES = ".truth.json", ".names.csv"
KINDS = ("right", "asked", "refused", "wrong", "crashed")
SECOND = 1.0 / 86400.0

Truth = dict[str, Any]
Sides = tuple[tuple[str, ...], ...]


class Verdict(NamedTuple):
    """How a table was read: `right` and `asked` are as they should be, `wrong` is silently so."""

    name: str
    kind: Literal["right", "asked", "refused", "wrong", "crashed"]
    detail: str = ""


class Contest(NamedTuple):
    """One contest, whichever way round it is written: sides by name, what holds for each side."""

    sides: Sides
    standing: tuple[float, ...]  # of each side: its place among these sides, 0 is best
    points: tuple[float, ...] | None
    home: Sides  # the side that has the advantage, or none
    weight: float

    def describe(self) -> str:
        """`Ann - Ben 0:1`, with the places counted from 0."""
        text = " - ".join(" & ".join(side) for side in self.sides)
        text += " places " + ":".join(f"{place:g}" for place in self.standing)
        if self.points:
            text += " points " + ":".join(f"{points:g}" for points in self.points)
        if self.home:
            text += f" home {' & '.join(self.home[0])}"
        return text if self.weight == 1.0 else f"{text} weight {self.weight:g}"


def list_tables() -> list[Path]:
    """The truth files of all tables, by name."""
    return sorted(TABLES.glob(f"*{TRUTH}"))


def check_table(path: Path) -> Verdict:
    """Read the table of this truth file as its truth says, and judge what comes out.

    Args:
        path: `tests/door/tables/NAME.truth.json`, or the table beside it.
    """
    name = path.name.split(".")[0]
    truth: Truth = json.loads((TABLES / f"{name}{TRUTH}").read_text(encoding="utf-8"))
    try:
        source = find_source(name, truth)
        options = _complete(truth.get("options", {}))
        remedy = _complete(truth.get("remedy", {}))
        kind, detail = _judge(source, options, remedy, truth)
    except BadData as error:
        kind, detail = "refused", str(error)
    except Exception as error:  # whatever else escapes is a defect of the reader
        kind, detail = "crashed", f"{type(error).__name__}: {error}"
    return Verdict(name, kind, detail)


def find_source(name: str, truth: Truth) -> Any:
    """What is read: the file or folder `NAME.EXT`, or what `source` of the truth names."""
    if "source" in truth:
        given = truth["source"]
        return [TABLES / each for each in given] if isinstance(given, list) else TABLES / given
    found = [
        path
        for path in TABLES.glob(f"{name}*")
        if path.name.split(".")[0] == name and not path.name.endswith((TRUTH, NAMES))
    ]
    if len(found) != 1:
        raise FileNotFoundError(f"{len(found)} tables are called {name}")
    return found[0]


def _complete(options: dict[str, Any]) -> dict[str, Any]:
    """The keywords, with the path of a file of names."""
    if isinstance(options.get("names"), str):
        return options | {"names": TABLES / options["names"]}
    return options


def _judge(
    source: Any, options: dict[str, Any], remedy: dict[str, Any], truth: Truth
) -> tuple[str, str]:
    if truth["answer"] == "read":
        faults = "; ".join(_find_faults(_read(source, options), truth))
        return ("wrong", faults) if faults else ("right", "")
    try:
        games = _read(source, options)
    except BadData as error:
        if truth["answer"] == "refuse":
            if truth.get("says", "").lower() in str(error).lower():
                return "right", str(error)
            return "refused", f"the message lacks {truth['says']!r}: {error}"
        if not error.remedy:
            return "refused", f"no remedy: {error}"
        try:
            games = _read(source, options | remedy)
        except BadData as second:
            return "refused", f"{remedy} does not help: {second}"
        faults = "; ".join(_find_faults(games, truth))
        return ("wrong", f"with {remedy}: {faults}") if faults else ("asked", str(error))
    return "wrong", f"read without a question: {games!r}; {games.reading}"


def _read(source: Any, options: dict[str, Any]) -> Games:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return prowess.read_games(source, **options)


def _find_faults(games: Games, truth: Truth) -> Iterator[str]:
    """What differs between the table that was read and the truth."""
    home_open = truth.get("home_open", False) or "contests" in truth
    if "games" in truth:
        given = truth["games"]
        true = [_true_game(game, home_open) for game in given]
    else:
        given = truth["contests"]
        true = [_true_contest(contest) for contest in given]
    with_points = [contest.points is not None for contest in true]
    got = list(_read_contests(games, home_open, with_points))
    if Counter(got) != Counter(true):
        if len(got) != len(true):
            yield f"{len(got)} contests for {len(true)}"
        missing, extra = Counter(true) - Counter(got), Counter(got) - Counter(true)
        if missing:
            yield f"missing {next(iter(missing)).describe()} and {missing.total() - 1} more"
        if extra:
            yield f"not in the table {next(iter(extra)).describe()} and {extra.total() - 1} more"
    elif (at := _first_out_of_order(got, true, truth)) is not None:
        yield f"order differs at {at + 1}: {got[at].describe()} for {true[at].describe()}"
    else:
        order_open = truth.get("order_open") is True
        yield from _compare_dates(games, given, order_open)
        yield from _compare_rounds(games, given, order_open)
    if "left_out" in truth and games.left_out != truth["left_out"]:
        yield f"{games.left_out} rows left out for {truth['left_out']}"
    notes = " ".join((*games.notes, str(games.reading))).lower()
    for word in truth.get("warns", ()):
        if word.lower() not in notes:
            yield f"no note says {word!r}"


def _first_out_of_order(got: list[Contest], true: list[Contest], truth: Truth) -> int | None:
    """Where the order first differs; of `order_open` "round" or "date" from one to the next."""
    order_open = truth.get("order_open", False)
    if order_open is True:
        return None
    if order_open:
        at = 0
        for _, group in groupby(truth["games"], key=lambda game: game[order_open]):
            size = len(list(group))
            if Counter(got[at : at + size]) != Counter(true[at : at + size]):
                return at
            at += size
        return None
    pairs = enumerate(zip(got, true, strict=True))
    return next((at for at, (one, other) in pairs if one != other), None)


def _true_game(game: dict[str, Any], home_open: bool) -> Contest:
    a, b, score = _names(game["a"]), _names(game["b"]), game["score"]
    home = {"a": (a,), "b": (b,), "none": ()}[game.get("home", "none")]
    return _contest(
        [a, b],
        [float(score < 0.5), float(score > 0.5)],
        game.get("points"),
        () if home_open else home,
        game.get("weight", 1.0),
    )


def _true_contest(contest: dict[str, Any]) -> Contest:
    sides = contest["sides"]
    return _contest(
        [_names(side["who"]) for side in sides],
        [float(side["place"]) for side in sides],
        None,
        (),
        contest.get("weight", 1.0),
    )


def _names(who: str | list[str]) -> tuple[str, ...]:
    return (who,) if isinstance(who, str) else tuple(sorted(who))


def _contest(
    sides: list[tuple[str, ...]],
    places: list[float],
    points: list[float] | None,
    home: Sides,
    weight: float,
) -> Contest:
    order = sorted(range(len(sides)), key=lambda at: (sides[at], places[at]))
    ranks = sorted(set(places))
    return Contest(
        tuple(sides[at] for at in order),
        tuple(float(ranks.index(places[at])) for at in order),
        tuple(float(points[at]) for at in order) if points else None,
        home,
        float(weight),
    )


def _read_contests(games: Games, home_open: bool, with_points: list[bool]) -> Iterator[Contest]:
    """The contests of a table that was read; points only where the truth has some."""
    a, b = games.points_a, games.points_b
    for at in range(len(games)):
        numbers = range(int(games.start[at]), int(games.start[at + 1]))
        sides = [_read_side(games, number) for number in numbers]
        points = None
        if with_points[at : at + 1] == [True] and a is not None and b is not None:
            points = [float(a[at]), float(b[at])]
        side = 0.0 if games.side is None else float(games.side[at])
        home = () if home_open or side == 0.0 else ((sides[0],) if side > 0.0 else (sides[1],))
        weight = 1.0 if games.weight is None else float(games.weight[at])
        places = [float(games.place[number]) for number in numbers]
        if games.pairwise and games.score[at] not in {0.0, 0.5, 1.0}:
            places = [float(games.score[at]), -1.0]  # a share of the points is no result here
        yield _contest(sides, places, points, home, weight)


def _read_side(games: Games, side: int) -> tuple[str, ...]:
    members = games.player[int(games.ends[side]) : int(games.ends[side + 1])].tolist()
    role = games.role
    return tuple(sorted(games.players[each] for each in members if role is None or not role[each]))


def _compare_dates(games: Games, given: list[dict[str, Any]], order_open: bool) -> Iterator[str]:
    if not any("date" in contest for contest in given):
        if games.time is not None:
            yield "dates were read where there are none"
        return
    if games.time is None:
        yield "no dates were read"
        return
    if order_open:
        order = sorted(range(len(given)), key=lambda at: str(given[at].get("date", "")))
        given = [given[at] for at in order]
    for contest, day in zip(given, games.time.tolist(), strict=True):
        if "date" in contest and not _fits(contest["date"], day):
            got = datetime.fromtimestamp(day * 86400.0, UTC).isoformat(timespec="seconds")
            yield f"date {got} for {contest['date']}"
            return


def _fits(date: str, day: float) -> bool:
    """Whether this day, since 1970, is the year, the day or the second that the truth says."""
    got = datetime.fromtimestamp(round(day * 86400.0, 3), UTC)
    if len(date) == len("2024"):
        return got.year == int(date)
    true = datetime.fromisoformat(date)
    true = true.replace(tzinfo=true.tzinfo or UTC)
    if "T" not in date:
        return got.date() == true.date()
    return abs(day - true.timestamp() / 86400.0) < SECOND


def _compare_rounds(games: Games, given: list[dict[str, Any]], order_open: bool) -> Iterator[str]:
    labels = [contest.get("round") for contest in given]
    if None in labels or order_open:
        return
    if games.round is None:
        yield "no rounds were read"
        return
    pairs = {*zip(labels, games.round.tolist(), strict=True)}
    if not len(pairs) == len(set(labels)) == len({number for _, number in pairs}):
        yield "rounds differ"


def main(names: list[str]) -> None:
    """Print the verdict of each table, those that are not as they should be last, and counts."""
    paths = [path for path in list_tables() if not names or path.name[: -len(TRUTH)] in names]
    verdicts = sorted(map(check_table, paths), key=lambda verdict: KINDS.index(verdict.kind))
    for verdict in verdicts:
        detail = verdict.detail if names or verdict.kind not in {"right", "asked"} else ""
        sys.stdout.write(f"{verdict.kind:8} {verdict.name:36} {detail[:300]}\n")
    counts = Counter[str](verdict.kind for verdict in verdicts)
    summary = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)
    sys.stdout.write(f"{len(verdicts)} tables: {summary}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
