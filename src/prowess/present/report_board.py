"""The players and facts of a report: a row each, any two of them, last results, upsets, streaks.

Rows beyond the first are folded by the style sheet, which a tick opens; so is what a script sorts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Ids
from prowess.engine.fit import NoModel, WholeTableRatings
from prowess.engine.fits.connectivity import groups, label_met, met_sizes, pair_neighbours
from prowess.engine.game_forecast import ask_settings, forecast_sides
from prowess.engine.periods import has_order
from prowess.engine.rate import DynamicRatings
from prowess.engine.state import weights_of
from prowess.engine.system import LineUp, Unratable
from prowess.engine.upcoming import members_shared, sides_with_shared
from prowess.games.games import Games, side_name
from prowess.games.reading import format_count, to_plural
from prowess.games.tally import tally
from prowess.present.boards import (
    WEEK_DAYS,
    build_standings,
    draw_bars,
    order_players,
    rank_listed,
    rating_digits,
)
from prowess.present.document import DocumentTable, Paragraph, Part, TableColumn, note
from prowess.present.drawings import (
    HistoryPaths,
    Versus,
    build_multiples,
    build_pair,
    build_paths,
    draw_spark,
)
from prowess.present.histories import Career, careers, change_since, cut_to_years
from prowess.present.home import UPSET_BELOW
from prowess.present.layers import YEAR_DAYS
from prowess.present.listing import (
    Certainty,
    Listing,
    Words,
    rating_column,
    rating_label,
    spell_count,
)
from prowess.present.pairs import read_points
from prowess.present.rendering import MINUS, goals, percent, sign_change, to_digits
from prowess.present.svg import isolate_name
from prowess.study.diagnosis.evidence import Estimate, mean_by_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings
    from prowess.study.backtest import Backtest

MAX_LISTED = 1_000  # players of a page
HISTORY_YEARS = 12.0  # that are drawn
BEATABLE = 100  # players any two of whom have a forecast on the page
BEATABLE_SLOW = 50  # the same for systems whose forecasts take long


class PlayerList:
    """The players of a report: those listed by rank, then the others by rating, without a rank."""

    def __init__(
        self, ratings: Ratings, listing: Listing, level: float, words: Words | None = None
    ) -> None:
        """Take the rule of who has a rank, the probability of intervals, what they are called."""
        self.ratings, self.listing, self.level = ratings, listing, level
        self.words = words or Words(game=ratings.table.unit)
        self.listed = rank_listed(ratings, listing, level)
        everyone = order_players(ratings, listing, level)
        self.numbers = everyone[:MAX_LISTED]
        self.left_out = len(everyone) - len(self.numbers)
        self.names: list[str] = [ratings.players[k] for k in self.numbers]
        self.ranked: list[str] = [ratings.players[k] for k in self.listed.order.tolist()]

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the leaderboard, as `build_standing`."""
        return build_standings(self.ratings, self.listed, self.listing, self.numbers)

    @property
    def sure(self) -> Certainty:
        """Intervals of ratings and ranks."""
        return self.listed.sure

    @cached_property
    def digits(self) -> int:
        """How many decimals ratings have."""
        return rating_digits(self.ratings)

    @property
    def change_digits(self) -> int:
        """How many decimals changes have."""
        return min(self.digits + 1, 4)

    def write(self, rating: float) -> str:
        """A rating with as many decimals as all of them have."""
        return to_digits(rating, self.digits)

    def reach(self, row: dict[str, Any]) -> str:
        """How far the interval of a row reaches each way: `± 61`; empty for none."""
        pair = row["interval"] or {"low": np.nan, "high": np.nan}
        reach = to_digits(0.5 * (pair["high"] - pair["low"]), self.digits)
        return f"\N{PLUS-MINUS SIGN} {reach}" if reach else ""

    def colour(self, change: float | None) -> tuple[str, str]:
        """A change in words and the class of its colour."""
        if change is None:
            return "", ""
        text = sign_change(change, self.change_digits)
        return text, {"+": "up", MINUS: "down"}.get(text[:1], "")

    def change_in(self, name: str, contest: int) -> float | None:
        """How much a game changed a rating; None where games are not rated one by one."""
        one, table = self.careers.get(name), self.ratings.table
        if one is None or self.ratings.period is not None:
            return None
        played = table.contest_of_member[table.player == self.ratings.index(name)]
        at = one.games - int((played >= contest).sum())
        return float(one.rating[at + 1] - one.rating[at])

    @cached_property
    def cars(self) -> dict[str, dict[str, str]]:
        """By role, the member that players share (a car) of each player's last contest."""
        table = self.ratings.played_table
        found: dict[str, dict[str, str]] = {}
        for player, members in find_shared_members(self.ratings).items():
            for member, _ in members:
                assert table.role is not None
                role = table.roles[table.role[member]]
                found.setdefault(role, {})[table.players[player]] = table.players[member]
        return found

    def write_car(self, name: str | None) -> str:
        """A member that players share, with its rating; empty for none."""
        if name is None:
            return ""
        rating = rating_column(self.ratings)[self.ratings.index(name)]
        return f"{isolate_name(name)} {self.write(float(rating))}"

    @cached_property
    def careers(self) -> dict[str, Career]:
        """The histories of the last years, by player; none under a system or of games without."""
        ratings = self.ratings
        if not has_order(ratings.table):
            return {}
        since = -np.inf
        if ratings.last is not None and self.numbers:
            since = float(np.nanmax(ratings.last[self.numbers])) - HISTORY_YEARS * YEAR_DAYS
        try:
            found = careers(ratings, self.names, since)
        except NoModel:
            return {}
        return {one.player: one for one in found if one.games}

    @cached_property
    def paths(self) -> HistoryPaths | None:
        """The histories of the last years as paths of one grid."""
        return build_paths(list(self.careers.values())) if self.careers else None

    @cached_property
    def changes(self) -> dict[str, float]:
        """How much each rating changed in the last year, of those who played before and in it."""
        last = self.ratings.last
        if last is None or not self.careers:
            return {}
        since = float(np.nanmax(last)) - YEAR_DAYS
        changes = {name: change_since(one, since) for name, one in self.careers.items()}
        return {name: change for name, change in changes.items() if change is not None}


def leaderboard_parts(players: PlayerList, top: int) -> Iterator[Part]:
    """The leaderboard: ranks, ratings, intervals, changes, games and histories of all players."""
    if not players.names:
        yield Paragraph(_describe_rule(players))
        return
    columns = list(_columns(players, top))
    caption = f"Leaderboard, {rating_label(players.ratings)}"
    finds = f"Find a {players.words.player}"
    yield DocumentTable(caption, columns, hidden=True, key="board", first=top, finds=finds)
    yield note(" ".join(_notes(players, top)))


def _describe_rule(players: PlayerList) -> str:
    return players.listing.describe(players.ratings, words=players.words)


def _columns(players: PlayerList, top: int) -> Iterator[TableColumn]:
    """The columns of the leaderboard."""
    ratings, sure, names, rows = players.ratings, players.sure, players.names, players.rows
    yield TableColumn("#", [str(row["rank"] or "\N{EN DASH}") for row in rows])
    open_ranks = [row["rank_interval"] for row in rows]
    could_be = [f"{one['low']}\N{EN DASH}{one['high']}" if one else "" for one in open_ranks]
    named = list(zip(names, (_quiet(players, row) for row in rows), could_be, strict=True))
    yield TableColumn(players.words.player.capitalize(), named, "player", leads=True)
    for role, cars in players.cars.items():
        own = [players.write_car(cars.get(name)) for name in names]
        yield TableColumn(role.capitalize(), own, "name", spare=True)
    texts = [(players.write(row["rating"]), players.reach(row)) for row in rows]
    yield TableColumn("Rating", texts, "rating")
    if head := draw_bars(rows, players.digits, sure.level, top or None):
        bars = [row["bar"] for row in rows]
        yield TableColumn(head, bars, "drawing", spare=True, sorts=False)
    if sure.ranking is not None:
        yield TableColumn("Could be", could_be, spare=True, sorts=False)
    if players.changes:
        changes = [players.changes.get(name) for name in names]
        yield TableColumn("12 months", [players.colour(one) for one in changes], "change")
    if paths := players.paths:
        drawn = [draw_spark(paths, players.careers.get(name)) for name in names]
        yield TableColumn("History", drawn, "drawing", sorts=False)
    games = [f"{row['games']:,}" for row in rows]
    yield TableColumn(to_plural(players.words.game).capitalize(), games, spare=True)
    if ratings.last is not None:
        yield TableColumn("Last played", ratings.last[players.numbers].tolist(), "day", spare=True)


def _quiet(players: PlayerList, row: dict[str, Any]) -> str:
    """Why a player has no rank; empty for who has one."""
    if row["rank"] is not None:
        return ""
    return f"few {to_plural(players.words.game)}" if row["provisional"] else "not playing"


def describe_odds(level: float) -> str:
    """How often an interval of this probability is right: `19 times in 20`."""
    for times in (10, 20, 100):
        if abs(times * level - round(times * level)) < 1e-9:
            return f"{round(times * level)} times in {times}"
    return f"{100.0 * level:g} times in 100"


def _notes(players: PlayerList, top: int) -> Iterator[str]:
    """Notes on reading the leaderboard."""
    sure = players.sure
    yield _describe_rule(players)
    if len(players.names) > len(players.ranked):
        yield "The others follow without a rank."
    if 0 < top < len(players.names):
        yield f"The first {top:,} are in sight; tick All {len(players.names):,} for the others."
    if players.left_out:
        yield f"The page has the first {len(players.names):,} of {MAX_LISTED + players.left_out:,}."
    yield "Equal ratings share the better rank."
    if sure.known:
        odds = describe_odds(sure.level)
        yield f"The bar is where the true strength most likely lies ({odds}): {sure.words}."
        if 0 < top < len(players.names):
            yield "The bars have the scale of the first rows; an arrow is a rating beyond it."
    else:
        yield (
            f"There are no intervals, because {sure.words}; a system with a deviation, such as "
            "glicko2, or a fitted one, such as bradley_terry, has them."
        )
    if sure.ranking is not None:
        yield "“Could be” are the ranks among those listed that this leaves open."
    if players.ratings.last is None and isinstance(players.ratings, DynamicRatings):
        games = to_plural(players.words.game)
        yield (
            f"Later {games} of the table count more than earlier ones; where all count alike, as "
            "in an audit of votes (prowess arena), other ranks are open."
        )
    if paths := players.paths:
        start, end = paths.grid.ends
        dated = paths.grid.against == "date"
        game = players.words.game
        span = f"from {start} to {end}" if dated else f"from the first {game} of each to the last"
        yield f"Histories run {span}, each on a scale of its own; the dot is the rating now."


def history_parts(players: PlayerList, names: Sequence[str], z: float) -> Iterator[Part]:
    """The histories of these players in the last years, on one scale."""
    found = [players.careers[name] for name in names if name in players.careers]
    missing = [name for name in names if name not in players.careers]
    paths = players.paths
    if missing and paths:
        earlier = [one for one in careers(players.ratings, missing) if one.games]
        found = cut_to_years([*found, *earlier], HISTORY_YEARS)
        paths = build_paths(found)
    if not found or not paths:
        return
    yield build_multiples(found, paths, z)
    text = (
        f"Each line is the rating before each {players.words.game}, the dot at the end the rating "
        "now, the ring the best of these."
    )
    if all(one.deviation is not None for one in found):
        text += (
            f" The band holds the true rating with a probability of {players.level:.0%}, as the "
            "system sees it."
        )
    yield note(f"{text} All pictures have one scale.")


def describe_span(players: PlayerList, count: int) -> str:
    """What the pictures of histories show: `Twelve years of the best twelve`."""
    paths = players.paths
    if paths is None or paths.grid.against != "date":
        return ""
    years = round((paths.grid.last - paths.grid.first) / YEAR_DAYS)
    span = f"{spell_count(years).capitalize()} year{'s' if years > 1 else ''} of" if years else ""
    best = f"best {spell_count(count)}" if count > 1 else "best"
    return f"{span} the {best}" if span else f"The {best}"


def versus_part(players: PlayerList) -> Versus | None:
    """Any two players beside one another: histories, and the forecast of a game."""
    if len(players.names) < 2:
        return None
    a, b = players.names[:2]
    picture, grid = None, None
    if (paths := players.paths) and a in players.careers and b in players.careers:
        picture = build_pair([players.careers[name] for name in (a, b)], paths)
        grid = paths.grid
    shared = find_shared_members(players.ratings)
    percents = _chances(players, {}, _forecast_alone(players.ratings) if shared else None)
    beside = _chances(players, shared) if shared else []
    if picture is None and not percents:
        return None
    count = round(0.5 + (0.25 + 2 * len(percents)) ** 0.5) if percents else 0
    shown = beside or percents
    groups = label_met(players.ratings.table)[players.numbers].tolist()
    return Versus(
        grid, picture, (a, b), shown[0] if shown else None, _write_digits(percents), count,
        _write_digits(beside), _name_shared_members(players) if beside else "",
        () if len({*groups}) < 2 else tuple(groups),
    )  # fmt: skip


def _write_digits(percents: Sequence[int]) -> str:
    return "".join(f"{one:02d}" for one in percents)


def find_shared_members(ratings: Ratings) -> dict[int, list[tuple[int, float]]]:
    """The members (cars) that stood beside each player in their last contest, with shares.

    Empty where players share none.
    """
    table = ratings.played_table
    sides = sides_with_shared(table)
    share = np.ones(len(table.player)) if table.share is None else table.share
    found = {}
    for player in np.flatnonzero(sides >= 0).tolist():
        low, high = table.ends[sides[player] : sides[player] + 2].tolist()
        shared = {*members_shared(table, int(sides[player]))}
        members = zip(table.player[low:high].tolist(), share[low:high].tolist(), strict=True)
        found[player] = [(one, part) for one, part in members if one in shared]
    return found


def _name_shared_members(players: PlayerList) -> str:
    """`With the constructor of their last race`."""
    return f"With the {' and '.join(players.cars)} of their last {players.words.game}"


def car_parts(players: PlayerList) -> Iterator[Part]:
    """Tables of those whom players share, such as cars, with the players of their last contest."""
    ratings = players.ratings
    for role, cars in players.cars.items():
        board = ratings.leaderboard(role=role).columns
        last = players.listing.since if ratings.last is not None else None
        chosen = [
            (rating, name, [one for one in players.ranked if cars.get(one) == name])
            for rating, name in zip(board["rating"], board["player"], strict=True)
        ]
        listed = [one for one in chosen if one[2] or last is None]
        yield DocumentTable(
            f"Each {role} by rating",
            [
                TableColumn("#", [str(k) for k in range(1, len(listed) + 1)]),
                TableColumn(role.capitalize(), [one[1] for one in listed], "name", leads=True),
                TableColumn("Rating", [players.write(one[0]) for one in listed]),
                TableColumn(
                    f"{to_plural(players.words.player)} of late".capitalize(),
                    [", ".join(isolate_name(one) for one in each[2]) for each in listed], "words",
                ),
            ],
            hidden=True,
        )  # fmt: skip
        yield note(
            f"A result counts for the {players.words.player} and for the {role} at once: both "
            "numbers together are what a forecast is made of."
        )


def _chances(
    players: PlayerList,
    shared: Mapping[int, Sequence[tuple[int, float]]],
    foresee: Callable[..., NDArray[np.float64]] | None = None,
) -> list[int]:
    """The percent that each player is expected to score against each later one, 1 to 99.

    `shared` are members beside them; one that both have is in neither side.
    """
    ratings = players.ratings
    adds = getattr(ratings.system, "prepare", None) is not None
    chosen = players.numbers[: BEATABLE_SLOW if adds else BEATABLE]
    if isinstance(ratings, WholeTableRatings) and ratings.system.chances is None:
        return []
    beside = {} if adds else shared  # such a system puts them there by itself
    games = [(*_set_sides(i, j, beside), 0.0) for i, j in combinations(chosen, 2)]
    try:
        expected = (foresee or ratings.expected_scores)(games)
    except (Unratable, ValueError):  # not every system foresees a game between any two
        return []
    found: list[int] = np.clip(np.rint(100.0 * expected), 1, 99).astype(np.int64).tolist()
    return found


def _forecast_alone(ratings: Ratings) -> Callable[..., NDArray[np.float64]] | None:
    """The forecasts without shared members, of a system that puts them beside players by itself."""
    if not isinstance(ratings, DynamicRatings) or ratings.system.prepare is None:
        return None
    system, state = ratings.system, ratings.state

    def expect(games: Sequence[tuple[int, int, float]]) -> NDArray[np.float64]:
        first, second, _ = np.array(games, dtype=np.int64).reshape(-1, 3).T
        players, place = np.unique(np.append(first, second), return_inverse=True)
        asked = [*ask_settings(system, state, ratings.now, players.tolist(), 0.0, None)]
        weights = None if state.logs is None else weights_of(state.logs)
        return forecast_sides(system, asked, weights, *place.reshape(2, -1))[0]

    return expect


def _set_sides(
    i: int, j: int, shared: Mapping[int, Sequence[tuple[int, float]]]
) -> tuple[LineUp, LineUp]:
    """The sides of a game between two players with the members beside them."""
    ours, theirs = shared.get(i, ()), shared.get(j, ())
    both = {member for member, _ in ours} & {member for member, _ in theirs}
    if not (ours or theirs):
        return i, j
    return (
        [(i, 1.0), *(one for one in ours if one[0] not in both)],
        [(j, 1.0), *(one for one in theirs if one[0] not in both)],
    )


# Facts of a table of games: draws, side advantage, connected groups, upsets and streaks.


ROWS_LISTED = 10  # of upsets and streaks
LAST_LISTED, FEW_RESULTS = 30, 5  # results of the last day
MIN_STREAK_RESULTS = 2


@dataclass(frozen=True)
class Sides:
    """The score of those with the side advantage (White, home).

    `games` is over all such games; `pairs` over pairs of players of whom each had the advantage
    against the other, the mean of both ways round, so that strengths cancel (None for teams).
    """

    games: Estimate
    pairs: Estimate | None


def draws(games: Games) -> float:
    """The share of games that were drawn."""
    return float((games.score == 0.5).mean())


def players_a_contest(table: Games) -> float:
    """The mean number of players of a contest."""
    players = len(table.player) if table.role is None else (table.role[table.player] == 0).sum()
    return float(players) / len(table)


def sides(games: Games) -> Sides | None:
    """Measure the side advantage; None where no game has one."""
    if games.side is None or not games.side.any():
        return None
    sided = games.side != 0.0
    home_is_a = games.side[sided] > 0.0
    score = np.where(home_is_a, games.score[sided], 1.0 - games.score[sided])
    if not games.duels:
        return Sides(mean_by_parts(score), None)
    a, b = games.a[sided].astype(np.int64), games.b[sided].astype(np.int64)
    home, away = np.where(home_is_a, a, b), np.where(home_is_a, b, a)
    lower = np.minimum(home, away) * len(games.players) + np.maximum(home, away)
    _, pair = np.unique(lower, return_inverse=True)
    first = home < away
    count = [np.bincount(pair[part], minlength=pair.max() + 1) for part in (first, ~first)]
    total = [np.bincount(pair[p], score[p], minlength=pair.max() + 1) for p in (first, ~first)]
    both = (count[0] > 0) & (count[1] > 0)
    ways = [t[both] / c[both] for t, c in zip(total, count, strict=True)]
    pairs = mean_by_parts(0.5 * (ways[0] + ways[1])) if both.any() else None
    return Sides(mean_by_parts(score), pairs)


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
