"""One player as plain values: standing, history game by game, opponents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.explain import histories
from prowess.engine.fit import NoModel
from prowess.engine.played import find_contests
from prowess.engine.rate import DynamicRatings
from prowess.engine.steps import Step, separate_meetings
from prowess.engine.system import Unratable
from prowess.engine.whole_table import two_sided_quantile
from prowess.games.dates import format_date
from prowess.present.boards import (
    COVERAGE,
    build_standing,
    has_lineage,
    keep_for_player,
    rank_listed,
    rating_digits,
)
from prowess.present.drawings import draw_careers, draw_form
from prowess.present.histories import Career, change_since, cut_career, last_members, scores_of
from prowess.present.layers import YEAR_DAYS
from prowess.present.listing import Listing
from prowess.present.pairs import (
    Meeting,
    Person,
    are_apart,
    build_meetings,
    count_opponents,
    find_opponents,
    find_stakes,
    forecast_grounds,
    games_between,
    games_by_opponent,
    person,
    read_points,
)
from prowess.present.rendering import why
from prowess.present.svg import isolate_name

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.study.forecasting.performance import Performance

RECENT = 20  # games
PROFILE_FORM, BEST_WINS = 10, 4  # last results and wins on the page of a player
MAX_OPPONENTS = 60  # of a profile; a page may show fewer


def profile_values(
    ratings: Ratings,
    k: int,
    rule: Listing,
    among: Listing,
    played: Sequence[Step],
) -> dict[str, Any]:
    """Rating, rank and percentile (of 0 to 100, the best at 100) among those listed, and peak.

    A player who is not among them has no rank; without steps there is no peak.
    """
    listed = rank_listed(ratings, among)
    place = listed.find_place(k)
    others = len(listed.order) - 1
    below = int((ratings.strength[listed.order] < ratings.strength[k]).sum())
    percentile = None if place is None else 100.0 * below / others if others else 100.0
    standing = build_standing(ratings, listed, rule, k, place)
    return (
        {"rank": standing["rank"], "percentile": percentile}
        | standing
        | {"of": len(listed.order), "peak": find_peak(played)}
    )


def player_steps(ratings: Ratings, k: int) -> tuple[Step, ...]:
    """Every game of a player in order of play, of contests every meeting of two sides.

    Raises NoModel for a whole-table system.
    """

    def work(earlier: tuple[Step, ...] | None) -> tuple[Step, ...]:
        if has_lineage(ratings):
            extended: tuple[Step, ...] = ratings.extend_steps(k, earlier or ())
            return extended
        return separate_meetings(ratings.history(ratings.players[k]).steps)

    return keep_for_player(ratings, k, "steps", work)


def steps_of_players(ratings: Ratings, players: Sequence[int]) -> dict[int, tuple[Step, ...]]:
    """Every game of several players by number, from one replay.

    Empty for a whole-table system, which has no past ratings.
    """
    if not isinstance(ratings, DynamicRatings):
        return dict.fromkeys(players, ())
    if has_lineage(ratings):
        return {k: player_steps(ratings, k) for k in players}
    found = (separate_meetings(one.steps) for one in ratings.histories(players))
    return dict(zip(players, found, strict=True))


def find_peak(played: Sequence[Step]) -> dict[str, Any] | None:
    """The highest rating after a round, and the highest lower end of its interval where known."""
    later = (*(step.round for step in played[1:]), None)
    ends = [step for step, number in zip(played, later, strict=False) if number != step.round]
    if not ends:
        return None
    best = max(ends, key=lambda step: step.after)
    found = {"rating": best.after, "date": _date(best.time)}
    if "deviation" in best.values._fields:
        z = two_sided_quantile(COVERAGE)

        def low(step: Step) -> float:
            return float(step.after - z * step.values.deviation)

        surest = max(ends, key=low)
        found |= {"low": low(surest), "low_date": _date(surest.time)}
    return found


def recent_performances(ratings: Ratings, players: Sequence[int]) -> dict[int, Performance]:
    """The performance of players in their last `RECENT` games, by number; from one replay.

    Players without a finite performance are left out, and all players where the system has none.
    """
    if not has_lineage(ratings):
        return _performances(ratings, players)
    found = {
        k: keep_for_player(ratings, k, "lately", lambda _, k=k: _performances(ratings, [k]).get(k))  # type: ignore[misc]
        for k in players
    }
    return {k: one for k, one in found.items() if one is not None}


def _performances(ratings: Ratings, players: Sequence[int]) -> dict[int, Performance]:
    from prowess.study.forecasting.performance import performances

    names = {ratings.players[k]: k for k in players}
    if not ratings.table.duels:  # a performance is one against players
        return {}
    try:
        found = performances(ratings, last=RECENT, player=list(names))
    except (NoModel, Unratable):
        return {}
    return {names[one.player]: one for one in found if one.exact is not None}


def build_history(
    ratings: Ratings, k: int, played: Sequence[Step], results: Sequence[int], first: int = 1
) -> list[dict[str, Any]]:
    """The results of a player in order of play: expected, before, after, and the terms between.

    `results` are the numbers of the player's results in the same order, of which the first stands
    in place `first`. A contest is one entry with the sum of its terms; `opponents` are the other
    sides, `partners` the other members of the own side.
    """
    return [
        {"result": results[at] if at < len(results) else None}
        | history_entry(first + at, some)
        | find_company(ratings, k, some)
        for at, some in enumerate(group_by_result(played))
    ]


def find_company(ratings: Ratings, k: int, some: Sequence[Step]) -> dict[str, Any]:
    """Opponents and partners of player k in the result of some steps.

    A member of a side is a name, with a share where it is not the whole, as in results; a side of
    one player is also that `player`.
    """
    table = ratings.table
    if table.duels:
        alone = some[0].opponent
        opponent = {"player": alone, "players": [alone], "rating": some[0].opponent_rating}
        return {"opponents": [opponent], "partners": []}
    row = some[0].row
    if not table.pairwise:  # the steps of a contest have the number of the member
        side = int(np.searchsorted(table.ends, row, side="right")) - 1
        row = int(np.searchsorted(table.start, side, side="right")) - 1
    partners: list[Any] = []
    sides: list[list[Any]] = []
    for side in range(int(table.start[row]), int(table.start[row + 1])):
        members = range(int(table.ends[side]), int(table.ends[side + 1]))
        if k in table.player[members.start : members.stop]:
            partners = [_seat(ratings, one) for one in members if table.player[one] != k]
        else:
            sides.append([_seat(ratings, one) for one in members])
    opponents = [
        ({"player": side[0]} if len(side) == 1 and isinstance(side[0], str) else {})
        | {"players": side, "rating": step.opponent_rating}
        for side, step in zip(sides, some, strict=True)  # both in the order of the sides
    ]
    return {"opponents": opponents, "partners": partners}


def _seat(ratings: Ratings, member: int) -> Any:
    """A member of a side as in the results of the API."""
    table = ratings.table
    name = ratings.players[int(table.player[member])]
    share = 1.0 if table.share is None else float(table.share[member])
    return name if share == 1.0 else {"player": name, "share": share}


def history_entry(number: int, some: Sequence[Step]) -> dict[str, Any]:
    """The steps of one result, the player's `number`th, as one."""
    first, last = some[0], some[-1]
    names = sorted({name for step in some for name in step.terms})
    return {
        "number": number,
        "date": _date(first.time),
        "score": _mean([step.score for step in some]),
        "expected": _mean([step.expected for step in some]),
        "before": first.before,
        "after": last.after,
        "change": last.after - first.before,
        "terms": {name: fsum(step.terms.get(name, 0.0) for step in some) for name in names},
        "values": last.values._asdict(),
    }


def _mean(values: Sequence[float]) -> float:
    """The mean; a single value, as of most results, skips NumPy's overhead."""
    return float(values[0] if len(values) == 1 else np.mean(values))


def group_by_result(played: Sequence[Step]) -> list[list[Step]]:
    """Group steps by result: those of one row of the table."""
    found: list[list[Step]] = []
    for step in played:
        if found and found[-1][0].row == step.row:
            found[-1].append(step)
        else:
            found.append([step])
    return found


def _date(day: float | None) -> str | None:
    return None if day is None else format_date(day)


GameLine = dict[str, Any]
"""One result: as `history_entry`, with its `row` of the table, `time` (days since 1970),
`partners` (a text), `opponent` (None: a side of several, or the field of a contest, in words in
`against`), `field` (how many sides it was against), `their_rating` and `why`."""


class PlayedGames(NamedTuple):
    """Values computed from the games of a player and the ratings before them."""

    lines: tuple[GameLine, ...]  # the oldest first
    best: GameLine | None  # the win against the strongest
    worst: GameLine | None  # the loss against the weakest


class Profile(NamedTuple):
    """The values of a player's page."""

    who: Person
    standing: dict[str, Any]  # as `profile_values`
    others: dict[str, float]  # the system's numbers beside the rating
    lines: tuple[GameLine, ...]  # the newest first
    met: int  # opponents
    opponents: tuple[Meeting, ...]  # the `MAX_OPPONENTS` most met, the most met first
    best: GameLine | None  # the win against the strongest
    worst: GameLine | None  # the loss against the weakest
    lately: Performance | None  # in the last games


def build_profiles(
    ratings: Ratings, players: Sequence[int], listing: Listing, among: Listing | None = None
) -> dict[int, Profile]:
    """The pages of players by number, ranked `among` others; their games come from one replay."""
    known = steps_of_players(ratings, players)
    lately = recent_performances(ratings, players)
    found = {}
    for k in players:
        steps = known[k]
        lines = _step_lines(ratings, steps) if steps else _fitted_lines(ratings, k)
        if steps:  # they depend on this player's games alone; the lines are made when asked for
            past = keep_for_player(ratings, k, "lines", lambda _, lines=lines: _summarize(lines))  # type: ignore[misc]
        else:
            past = _summarize(lines)
        standing = profile_values(ratings, k, listing, among or listing, steps)
        found[k] = Profile(
            who=person(ratings, k),
            standing=standing,
            others={n: v for n, v in standing["values"].items() if n != ratings.fields[0]},
            lines=tuple(reversed(past.lines)),
            met=count_opponents(ratings, k) if ratings.table.duels else 0,
            opponents=tuple(find_opponents(ratings, k, MAX_OPPONENTS)),
            best=past.best,
            worst=past.worst,
            lately=lately.get(k),
        )
    return found


def _summarize(found: Iterable[GameLine]) -> PlayedGames:
    """Summarise lines, the oldest first: best win, worst loss."""
    lines = tuple(found)
    against = [one for one in lines if one["opponent"]]
    wins = [one for one in against if one["score"] == 1.0]
    losses = [one for one in against if one["score"] == 0.0]
    strength = itemgetter("their_rating")
    return PlayedGames(
        lines,
        best=max(wins, key=strength, default=None),
        worst=min(losses, key=strength, default=None),
    )


def result_steps(ratings: DynamicRatings, k: int, place: int) -> list[Step]:
    """The meetings of result number `place` of a player, from 0, without those of all others."""
    row = int(find_contests(ratings.table, k)[place])
    (history,) = histories(ratings.whole, (k,), 1, row)
    return [step for step in separate_meetings(history.steps) if step.row == row]


def build_line(ratings: DynamicRatings, k: int, place: int) -> GameLine:
    """The line of result number `place` of a player, from 0."""
    (line,) = _step_lines(ratings, result_steps(ratings, k, place), place + 1)
    return line


def _step_lines(ratings: Ratings, played: Sequence[Step], first: int = 1) -> Iterable[GameLine]:
    """The results of a player, the oldest first, of a system that rates game by game."""
    games = ratings.table.pairwise
    places = {name: k for k, name in enumerate(ratings.players)}
    for number, some in enumerate(group_by_result(played), first):
        one = history_entry(number, some)
        step = some[0]
        alone = games and step.opponent in places
        yield (
            one
            | {
                "row": step.row,
                "time": step.time,
                "opponent": Person(places[step.opponent], step.opponent) if alone else None,
                "against": step.opponent if games else f"a field of {len(some) + 1}",
                "partners": step.partners,
                "field": len(some),
                "their_rating": fsum(each.opponent_rating for each in some) / len(some),
                "why": why(one),
            }
            | find_points(ratings, step.row, step.opponent)
        )


def find_points(ratings: Ratings, row: int, opponent: str) -> dict[str, Any]:
    """The points of a game between two, those of the opponent last, and on whose ground it was.

    `points` is None where they are not known, `ground` 1 on the player's own, -1, or 0 for neither.
    """
    table = ratings.table
    if not table.duels:
        return {"points": None, "ground": 0.0}
    mine = ratings.players[int(table.b[row])] == opponent
    ground = 0.0 if table.side is None else float(table.side[row]) * (1.0 if mine else -1.0)
    return {"points": read_points(table, row, in_order=mine), "ground": ground}


def _fitted_lines(ratings: Ratings, k: int) -> Iterable[GameLine]:
    """The games of a player, the oldest first, with what today's ratings expect of them."""
    if not ratings.table.duels:
        return
    found = [
        (row, met, n)
        for met in games_by_opponent(ratings, k)
        for n, row in enumerate(met.rows.tolist())
    ]
    rating = ratings.columns[ratings.fields[0]]
    nothing = dict.fromkeys(("before", "after", "change"))
    for number, (row, met, n) in enumerate(sorted(found, key=lambda one: one[0]), 1):
        try:
            expected: float | None = ratings.chances(k, met.b, float(met.side[n])).expected
        except NoModel:
            expected = None
        yield (
            nothing
            | {
                "number": number,
                "row": row,
                "time": None if met.day is None else float(met.day[n]),
                "opponent": person(ratings, met.b),
                "against": ratings.players[met.b],
                "partners": "",
                "field": 1,
                "their_rating": float(rating[met.b]),
                "score": float(met.score[n]),
                "expected": expected,
                "why": "",
            }
            | find_points(ratings, row, ratings.players[met.b])
        )


def find_best_wins(lines: Sequence[GameLine], since: float | None, most: int) -> list[GameLine]:
    """The wins since a day, the best against each opponent, the strongest first."""
    found: dict[int, GameLine] = {}
    for one in lines:
        recent = since is None or (one["time"] is not None and one["time"] >= since)
        if one["opponent"] and one["score"] == 1.0 and recent:
            k = one["opponent"].k
            if k not in found or found[k]["their_rating"] < one["their_rating"]:
                found[k] = one
    return sorted(found.values(), key=itemgetter("their_rating"), reverse=True)[:most]


def draw_player(
    ratings: Ratings, one: Profile, career: Career | None, since: float | None = None
) -> dict[str, Any]:
    """What the page of a player shows beside the profile: drawings, 12 months, best wins.

    The history is drawn from the day `since` on.
    """
    digits = rating_digits(ratings)
    yearly = drawing = year = None
    if ratings.last is not None and np.isfinite(ratings.last[one.who.k]):
        year = float(ratings.last[one.who.k]) - YEAR_DAYS
    if career is not None and career.games > 1:
        yearly = None if year is None else change_since(career, year)
        shown = career if since is None else cut_career(career, since)
        best = int(shown.rating.argmax())
        peak = float(shown.rating[best])
        first, day = "", None
        if shown.time is not None:
            first, day = (format_date(float(shown.time[at])) for at in (0, best))
        told = one.standing["peak"]  # after a game; a career has the ratings before the next
        if told and (told["date"] or "") >= first and told["rating"] >= shown.rating[-1]:
            peak, day = told["rating"], told["date"]
        label = (
            f"from {shown.rating[0]:.{digits}f} to {shown.rating[-1]:.{digits}f}, "
            f"peak {peak:.{digits}f}"
        )
        if day is not None:
            label += f" on {day[:10]}"
        reaches = two_sided_quantile(0.5), two_sided_quantile(COVERAGE)
        drawing = draw_careers([shown], label, reaches, digits, peak)
    own = last_members(ratings.table, [one.who.k], PROFILE_FORM).get(one.who.k)
    form = () if own is None else scores_of(ratings.table, own)
    return {
        "digits": digits,
        "drawing": drawing,
        "yearly": yearly,
        "form": draw_form(form),
        "wins": find_best_wins(one.lines, year, BEST_WINS),
    }


# Two players.


class PairGame(NamedTuple):
    """A game of two players: who was at home or had White, else the first, stands first."""

    line: GameLine  # as the first player saw it
    sides: tuple[Person, Person]
    points: tuple[float, float]


def list_games(a: Profile, b: Profile) -> list[PairGame]:
    """The games of two players from the page of the first, the newest first."""
    found = []
    for line in a.lines:
        if line["opponent"] == b.who:
            points = line["points"] or (line["score"], 1.0 - line["score"])
            game = PairGame(line, (a.who, b.who), points)
            if line["ground"] < 0.0:
                game = PairGame(line, (b.who, a.who), points[::-1])
            found.append(game)
    return found


def find_notable(games: Sequence[PairGame], a: str, b: str) -> list[tuple[str, PairGame]]:
    """The last and, where there are points, the largest win of each: words, game.

    The games are the newest first, and their scores as seen by a.
    """
    found = []
    for name, won in ((a, 1.0), (b, 0.0)):
        wins = [one for one in games if one.line["score"] == won]
        found += [(f"Last win of {name}", one) for one in wins[:1]]
        scored = sorted(wins, key=lambda one: -abs(one.points[0] - one.points[1]))
        if len(scored) > 1 and scored[0].line["points"]:
            found.append((f"Largest win of {name}", scored[0]))
    return found


def describe_pair(
    ratings: Ratings, a: Profile, b: Profile, found: Sequence[Career], most: int
) -> dict[str, Any]:
    """What the page of two players shows: profiles, drawing, forecasts, stakes, games.

    `games` are the `most` newest, `notable` those of all that are told in words.
    """
    digits = rating_digits(ratings)
    drawing = None
    if found and all(one.games for one in found):
        ends = [f"{isolate_name(one.player)} {one.rating[-1]:.{digits}f}" for one in found]
        drawing = draw_careers(found, f"ratings now: {' and '.join(ends)}", digits=digits)
    i, j, listed = a.who.k, b.who.k, list_games(a, b)
    return {
        "a": a,
        "b": b,
        "digits": digits,
        "drawing": drawing,
        "met": build_meetings(ratings, [games_between(ratings, i, j)])[0] if listed else None,
        "apart": not listed and are_apart(ratings, i, j),
        "grounds": forecast_grounds(ratings, i, j),
        "stakes": find_stakes(ratings, i, j),
        "games": listed[:most],
        "notable": find_notable(listed, a.who.name, b.who.name),
    }
