"""Facts of a table of games: draws, side advantage, connected groups, upsets and streaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.fits.connectivity import groups, met_sizes, pair_neighbours
from prowess.engine.whole_table import two_sided_quantile
from prowess.games.games import Games, side_name
from prowess.games.reading import format_count, to_plural
from prowess.games.tally import tally
from prowess.present.boards import WEEK_DAYS
from prowess.present.document import DocumentTable, Paragraph, Part, TableColumn, note
from prowess.present.home import UPSET_BELOW
from prowess.present.pairs import read_points
from prowess.present.rendering import goals, percent
from prowess.present.svg import isolate_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.present.listing import Words
    from prowess.present.report_board import PlayerList
    from prowess.study.backtest import Backtest


ROWS_LISTED = 10  # of upsets and streaks
LAST_LISTED, FEW_RESULTS = 30, 5  # results of the last day
MIN_STREAK_RESULTS = 2


@dataclass(frozen=True)
class Mean:
    """A mean with its interval, and from how many numbers."""

    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Sides:
    """The score of those with the side advantage (White, home).

    `games` is over all such games; `pairs` over pairs of players of whom each had the advantage
    against the other, the mean of both ways round, so that strengths cancel (None for teams).
    """

    games: Mean
    pairs: Mean | None


def mean_of(values: Floats, level: float) -> Mean:
    """The mean with the interval mean -+ z s / sqrt(n); nan bounds for fewer than two values."""
    n, middle = len(values), float(values.mean())
    if n < 2:
        return Mean(middle, float("nan"), float("nan"), n)
    reach = two_sided_quantile(level) * float(values.std(ddof=1)) / sqrt(n)
    return Mean(middle, middle - reach, middle + reach, n)


def draws(games: Games) -> float:
    """The share of games that were drawn."""
    return float((games.score == 0.5).mean())


def players_a_contest(table: Games) -> float:
    """The mean number of players of a contest."""
    players = len(table.player) if table.role is None else (table.role[table.player] == 0).sum()
    return float(players) / len(table)


def sides(games: Games, level: float = 0.95) -> Sides | None:
    """Measure the side advantage; None where no game has one."""
    if games.side is None or not games.side.any():
        return None
    sided = games.side != 0.0
    home_is_a = games.side[sided] > 0.0
    score = np.where(home_is_a, games.score[sided], 1.0 - games.score[sided])
    if not games.duels:
        return Sides(mean_of(score, level), None)
    a, b = games.a[sided].astype(np.int64), games.b[sided].astype(np.int64)
    home, away = np.where(home_is_a, a, b), np.where(home_is_a, b, a)
    lower = np.minimum(home, away) * len(games.players) + np.maximum(home, away)
    _, pair = np.unique(lower, return_inverse=True)
    first = home < away
    count = [np.bincount(pair[part], minlength=pair.max() + 1) for part in (first, ~first)]
    total = [np.bincount(pair[p], score[p], minlength=pair.max() + 1) for p in (first, ~first)]
    both = (count[0] > 0) & (count[1] > 0)
    ways = [t[both] / c[both] for t, c in zip(total, count, strict=True)]
    pairs = mean_of(0.5 * (ways[0] + ways[1]), level) if both.any() else None
    return Sides(mean_of(score, level), pairs)


@dataclass(frozen=True)
class Connection:
    """Connected groups of players: `sizes` of groups that never met, the largest first.

    `words` say what else keeps results alone from determining every rating.
    """

    sizes: tuple[int, ...]
    words: tuple[str, ...]


def connection(table: Games) -> Connection:
    """Find the groups of players connected by games (contests), among those who played."""
    games = pair_neighbours(table)
    if not len(games):
        return Connection((), ())
    words = groups(tally(games, sides=False)).words(table.players) if table.duels else ()
    return Connection(met_sizes(games), words)


class Upset(NamedTuple):
    """A win with a small expected score; `expected` is the forecast of the winner's score."""

    time: float | None
    winner: str
    loser: str | None  # None: the rest of a contest
    points: tuple[float, float] | None  # of winner and loser
    expected: float


class Streak(NamedTuple):
    """A run of games of one player; `going_on` says that their last game belongs to it."""

    player: str
    games: int
    first: float | None
    last: float | None
    going_on: bool


def upsets(test: Backtest, count: int = 10, since: float | None = None) -> list[Upset]:
    """The judged wins that were expected least, of those below `UPSET_BELOW`; from a day on."""
    table, expected = test.table, test.expected
    if table.pairwise:
        won = table.score > 0.5
        of_winner = np.where(won, expected, 1.0 - expected)
        entries = np.flatnonzero(test.judged & (table.score != 0.5))
    else:
        of_winner = expected
        entries = np.flatnonzero(test.judged & (table.place == 1.0))
    if since is not None and table.time is not None:
        contests = entries if table.pairwise else table.contest_of_side[entries]
        entries = entries[table.time[contests] >= since]
    entries = entries[of_winner[entries] < UPSET_BELOW]
    chosen = entries[np.argsort(of_winner[entries], kind="stable")[:count]]
    found = []
    for entry in chosen.tolist():
        contest, winner, loser = entry, entry, None
        points = None
        if table.pairwise:
            sides = 2 * entry, 2 * entry + 1
            winner, loser = sides if won[entry] else sides[::-1]
            points = read_points(table, entry, in_order=bool(won[entry]))
        else:
            contest = int(table.contest_of_side[entry])
        time = None if table.time is None else float(table.time[contest])
        beaten = None if loser is None else side_name(table, loser)
        found.append(Upset(time, side_name(table, winner), beaten, points, float(of_winner[entry])))
    return found


def find_streaks(table: Games, count: int = ROWS_LISTED, *, unbeaten: bool = False) -> list[Streak]:
    """The longest runs of wins, one a player, the longest first; of contests of first places.

    `unbeaten` runs may hold draws.
    """
    player, score, time = _entries(table)
    held = score >= 0.5 if unbeaten else score > 0.5
    order = np.argsort(player, kind="stable")
    player, held = player[order], held[order]
    time = None if time is None else time[order]
    cut = np.append(True, (player[1:] != player[:-1]) | (held[1:] != held[:-1]))
    first = np.flatnonzero(cut)[: len(player)]
    length = np.diff(np.append(first, len(player)))
    runs = first[held[first]], length[held[first]]
    found: list[Streak] = []
    seen: set[int] = set()
    for k in np.argsort(-runs[1], kind="stable").tolist():
        start, games = int(runs[0][k]), int(runs[1][k])
        who, end = int(player[start]), start + games - 1
        if who in seen:
            continue
        seen.add(who)
        first_day = None if time is None else float(time[start])
        last_day = None if time is None else float(time[end])
        going_on = end + 1 == len(player) or int(player[end + 1]) != who
        found.append(Streak(table.players[who], games, first_day, last_day, going_on))
        if len(found) == count:
            break
    return found


def _entries(
    table: Games,
) -> tuple[Ids, NDArray[np.float64], NDArray[np.float64] | None]:
    """(player, score, time) of every player in every contest, in order of play."""
    if table.pairwise:
        score = np.stack((table.score, 1.0 - table.score), axis=1).ravel()
    else:
        score = np.where(table.place == 1.0, 1.0, 0.0)
    score = score[table.side_of_member]
    time = None if table.time is None else table.time[table.contest_of_member]
    player = table.player.astype(np.int64)
    if table.role is None:
        return player, score, time
    players = table.role[player] == 0
    return player[players], score[players], None if time is None else time[players]


def upset_parts(test: Backtest | None, words: Words) -> Iterator[Part]:
    """The judged wins with the smallest expected scores; nothing without forecasts."""
    found = [] if test is None else upsets(test, ROWS_LISTED)
    if test is None or not found:
        return
    contests = not test.table.pairwise
    columns = []
    if test.table.time is not None:
        columns.append(TableColumn("Date", [one.time for one in found], "day"))
    columns.append(TableColumn("Winner", [one.winner for one in found], "name", leads=True))
    if not contests:
        columns.append(TableColumn("Loser", [one.loser for one in found], "name"))
    if any(one.points for one in found):
        points = [goals(one.points) if one.points else "" for one in found]
        columns.append(TableColumn("Result", points, spare=True))
    columns.append(TableColumn("Given", [percent(one.expected) for one in found]))
    yield DocumentTable("The least expected wins", columns, hidden=True)
    meaning = "the share of the field that was expected to be beaten" if contests else (
        "the share of the points that was expected of the winner"
    )  # fmt: skip
    game, games = words.game, to_plural(words.game)
    when, those = f"before the {game}", (
        f"Only the last {format_count(test.count, 'forecast')} count: in the first {games} of a "
        f"table all {to_plural(words.player)} are new."
    )  # fmt: skip
    if test.folds is not None:
        when, those = f"from other {games}", f"Every {game} counts."
    yield note(f"Given is {meaning}, by the forecasts {when}. {those}")


def streak_parts(table: Games, words: Words) -> Iterator[Part]:
    """The longest winning and unbeaten streaks."""
    yield _streak_part("Longest winning streaks", find_streaks(table), table, words)
    if table.pairwise:
        unbeaten = find_streaks(table, unbeaten=True)
        yield _streak_part("Longest unbeaten streaks", unbeaten, table, words)
    yield note(
        f"{to_plural(words.game).capitalize()} won{', or not lost,' if table.pairwise else ''} one "
        f"after another; of every {words.player} the longest run. A streak goes on if it holds the "
        f"last {words.game}."
    )


def _streak_part(caption: str, found: list[Streak], table: Games, words: Words) -> Part:
    found = [streak for streak in found if streak.games >= MIN_STREAK_RESULTS]
    if not found:
        return Paragraph(f"{caption}: none.")
    columns = [
        TableColumn(words.player.capitalize(), [one.player for one in found], "name", leads=True),
        TableColumn(to_plural(words.game).capitalize(), [f"{one.games:,}" for one in found]),
    ]
    if table.time is not None:
        columns.append(TableColumn("From", [one.first for one in found], "day", spare=True))
        columns.append(TableColumn("To", [one.last for one in found], "day"))
    columns.append(TableColumn("Goes on", ["yes" if one.going_on else "" for one in found]))
    return DocumentTable(caption, columns)


def describe_streak(table: Games, words: Words) -> str:
    """`Ada won 12 games in a row`; empty without two wins in a row."""
    found = [one for one in find_streaks(table, 1) if one.games >= MIN_STREAK_RESULTS]
    return "".join(
        f"{isolate_name(one.player)} won {format_count(one.games, words.game)} in a row"
        for one in found
    )


def describe_upset(test: Backtest | None) -> str:
    """`Ben beat Ada, given 5 %`, of the win that was expected least; empty without one."""
    found = [] if test is None else upsets(test, 1)
    return "".join(
        f"{isolate_name(one.winner)} {f'beat {isolate_name(one.loser)}' if one.loser else 'won'}, "
        f"given {percent(one.expected)}"
        for one in found
    )


# The results of the last day.


def last_parts(players: PlayerList, test: Backtest | None) -> Iterator[Part]:
    """The results of the last day, of few those of the last week; nothing without dates."""
    table = players.ratings.table
    if table.time is None or not len(table):
        return
    days = np.floor(table.time)
    rows = np.flatnonzero(days == days[-1])
    if len(rows) < FEW_RESULTS:
        rows = np.flatnonzero(days > days[-1] - WEEK_DAYS)
    if table.pairwise:
        yield _last_games(players, rows[-LAST_LISTED:], test)
    else:
        yield _last_contest(players, int(rows[-1]))
    if len(rows) > LAST_LISTED and table.pairwise:
        yield note(f"The last {LAST_LISTED} of {format_count(len(rows), players.words.game)}.")


def _last_games(players: PlayerList, rows: Ids, test: Backtest | None) -> DocumentTable:
    """Games between two sides: result, what was expected of the first side, its change."""
    table = players.ratings.table
    sides = [[side_name(table, 2 * row + one) for one in (0, 1)] for row in rows.tolist()]
    scores = np.stack((table.score[rows], 1.0 - table.score[rows]), axis=1).tolist()
    points = [read_points(table, row) or score for row, score in zip(rows, scores, strict=True)]
    columns = [TableColumn("Result", [goals(one) for one in points], "words")]
    headings: tuple[str, ...] = ("First", "Second")
    read = {one.role: one.columns[0] for one in table.reading.columns if one.columns}
    sided = table.side is not None and bool((table.side[rows] > 0.0).all())
    if sided and {"home", "away"} <= read.keys():
        headings = tuple(read[one].replace("_", " ").capitalize() for one in ("home", "away"))
    for k, name in enumerate(headings):
        moved = [players.change_in(one[k], row) for one, row in zip(sides, rows, strict=True)]
        changes = [players.colour(one) for one in moved]
        named = [(one[k], *change) for one, change in zip(sides, changes, strict=True)]
        found = [TableColumn(name, named, "side", leads=not k)]
        if any(one is not None for one in moved):
            found.append(TableColumn("Change", changes, "change", spare=True))
        columns = [*columns, *found] if k else [*found, *columns]
    if test is not None and len(test.table) == len(table):
        expected = [percent(float(one)) for one in test.expected[rows]]
        columns.append(TableColumn(f"{headings[0]} was given", expected, spare=True))
    return DocumentTable("The last results", columns, hidden=True)


def _last_contest(players: PlayerList, contest: int) -> DocumentTable:
    """The places of the last contest, with the changes of the ratings."""
    table, words = players.ratings.table, players.words
    sides = np.arange(*table.start[contest : contest + 2].tolist(), dtype=np.int64)
    sides = sides[np.argsort(table.place[sides], kind="stable")]
    names = [side_name(table, side) for side in sides.tolist()]
    places = [f"{place:g}" for place in table.place[sides].tolist()]
    columns = [
        TableColumn("Place", places),
        TableColumn(words.player.capitalize(), names, "name", leads=True),
    ]
    for role, cars in players.cars.items():
        columns.append(TableColumn(role.capitalize(), [cars.get(one, "") for one in names], "name"))
    changes = [players.change_in(name, contest) for name in names]
    if any(one is not None for one in changes):
        columns.append(TableColumn("Change", [players.colour(one) for one in changes], "change"))
    return DocumentTable("The last results", columns, hidden=True)
