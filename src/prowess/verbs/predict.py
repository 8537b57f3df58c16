"""Forecasts from ratings: games, seasons, brackets, Swiss tournaments; pairings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prowess.games.arguments import (
    BadArgument,
    check_choice,
    check_count,
    check_day,
    check_flag,
    check_level,
    check_series,
    refuse,
)
from prowess.verbs.rating import take_ratings
from prowess.verbs.tables import (
    check_side_names,
    refuse_repeated,
    take_games,
    take_pairs,
    take_sides,
)

if TYPE_CHECKING:
    from prowess.engine.places import ContestForecast, Forecasts
    from prowess.engine.ratings import Ratings
    from prowess.engine.tabular import ResultTable
    from prowess.games.games import Games
    from prowess.study.forecasting.contenders import Contenders
    from prowess.study.forecasting.prospects import Prospects
    from prowess.study.matchmaking import FairTeams

NAMES = '["Ann", "Bob", "Cleo"]'


def forecast(
    ratings: Any, games: Any, *, when: Any = None, side: float | Sequence[float] = 0.0,
    new: Sequence[str] = (), system: Any = None, **keywords: Any,
) -> Forecasts:  # fmt: skip
    """Forecast games: the expected score of a, and the chances of win, draw and loss, a row each.

    `ratings` are those of `rate`, or a table, which is rated under `system` with `keywords`.
    `games` are tuples of two or more players or line-ups (names, or names with shares). `when` is a
    date (also as ISO text) to which idle players are aged; a season that begins by then on a day of
    the year (`season="07-01"`) has begun. `side` is +1 where a has the advantage of White or home,
    -1 where b has it; a list has one a game. Where a game has three sides or more, every side is a
    row, with its chance to win and of every place; `win`, `places`, `expected_place` and `beats`
    are arrays.

    A name that is not in the table is a newcomer of the system, marked `new`, unless it looks like
    a player's: then `new=["Bib"]` says that it is one.

    Of a table with draws, a system without a model of them leaves win, draw and loss empty. A
    system of goals, such as poisson_goals, foresees `scores` as well: the mean goals of both sides,
    the chances that both score and that there are more goals than a `line`; of one game a grid, and
    with it `totals(2.5)` and `both_score`.

    >>> import prowess
    >>> r = prowess.rate([("Ann", "Bob", 1), ("Bob", "Cleo", 1)], "elo")
    >>> prowess.forecast(r, [("Ann", "Bob"), ("Ann", "Cleo")])
    <Forecasts under elo: 2 rows>
    a    b     expected    win  draw   loss
    Ann  Bob      0.522  0.522        0.478
    Ann  Cleo     0.547  0.547        0.453
    >>> prowess.forecast(r, ("Ann", "Bob", "Cleo"))
    <Forecasts under elo: 3 rows>
    side    win  expected_place  place_1  place_2  place_3
    Ann   0.364            1.93    0.364    0.340    0.295
    Bob   0.334            2.00    0.334    0.336    0.331
    Cleo  0.302            2.07    0.302    0.324    0.374
    """
    from prowess.engine.places import ContestForecast, Forecasts, columns_of_scores

    made = at_time(take_ratings(ratings, system, keywords, "forecast"), when)
    named = [isinstance(one, str) for one in games] if isinstance(games, list | tuple) else []
    if named and (all(named) or (isinstance(games, tuple) and any(named))):
        games = [games]
    asked = take_sides("games", games)
    sides = take_advantages(side, asked)
    new = check_series("new", new, NAMES)
    title = f"Forecasts under {made.system.name}"
    rows = [
        made.forecast(one[0], one[1], ahead, new=new) if len(one) == 2 else None
        for one, ahead in zip(asked, sides, strict=True)
    ]
    contests = tuple(
        made.forecast_contest(one, new)
        if row is None
        else ContestForecast.of_two((row.a, row.b), row.expected, row.win, row.loss, row.scores)
        for one, row in zip(asked, rows, strict=True)
    )
    if None in rows:
        return Forecasts.of_contests(contests, title, find_new(made, contests))
    columns: dict[str, Any] = {}
    for k, name in enumerate(("a", "b")):
        columns[name] = [one.names[k] for one in contests]
    if len({*sides}) > 1:
        columns["side"] = sides
    for name in ("expected", "win", "draw", "loss"):
        columns[name] = [getattr(one, name) for one in rows]
    if all(one.scores is not None for one in contests):
        columns |= columns_of_scores([one.scores for one in contests if one.scores is not None])
    added = find_new(made, contests)
    if added:
        names = [one.members(0) + one.members(1) for one in contests]
        columns["new"] = [", ".join(name for name in row if name in added) for row in names]
    return Forecasts(columns, title, contests, added)


def take_advantages(side: Any, games: Sequence[Any]) -> list[float]:
    """The side advantage of each game, from one number or one a game; raises BadArgument."""
    from prowess.engine.ratings import check_side

    if hasattr(side, "__len__") and not isinstance(side, str):
        sides = [check_side(one) for one in side]
    else:
        sides = [check_side(side)] * len(games)
    if len(sides) != len(games):
        raise BadArgument.of("sizes_do_not_fit.side", sides=len(sides))
    if any(ahead and len(one) > 2 for one, ahead in zip(games, sides, strict=True)):
        raise BadArgument.of("side_of_contest", side=side)
    return sides


def find_new(ratings: Ratings, contests: Sequence[ContestForecast]) -> tuple[str, ...]:
    """The members of contests who are not in the table of the ratings."""
    named = (name for one in contests for k in range(len(one.sides)) for name in one.members(k))
    return tuple(name for name in dict.fromkeys(named) if name not in ratings)


def balance(
    ratings: Any,
    players: Sequence[str],
    *,
    into: int | None = None,
    size: int | None = None,
    together: Sequence[Any] = (),
    apart: Sequence[Any] = (),
    captains: Sequence[str] = (),
    new: Sequence[str] = (),
    seed: int = 0,
    system: Any = None,
    **keywords: Any,
) -> FairTeams:
    """Split players into the sides whose chances to win are nearest to even: a row a side.

    The worst of a split is the largest distance of a side's chance from 1/n; the split with the
    least is returned. `into` is their number (default 2), or `size` that of the players of each;
    where players are left over, the first sides have one more. `together` are players of one side,
    `apart` players of different sides (a list of names, or several lists), `captains` those of the
    sides in order. `ratings` and `new` as of `forecast`.

    Up to 12 players every split is looked at. Of more the split is found by search (`seed`), and
    `worst` says how much better another could be at most. Raises BadArgument, UnknownPlayer, and
    Unratable for a system without teams.

    >>> import prowess
    >>> r = prowess.rate([("Ann", "Bob", 1), ("Bob", "Cid", 1), ("Ann", "Dee", 1)], "trueskill")
    >>> teams = prowess.balance(r, ["Ann", "Bob", "Cid", "Dee"])
    >>> teams.teams
    (('Ann', 'Cid'), ('Bob', 'Dee'))
    >>> round(teams.quality, 2), teams.splits
    (0.78, 3)
    """
    from prowess.study.matchmaking import Conditions, FairTeams, balance_teams

    made = take_ratings(ratings, system, keywords, "balance")
    names = list(map(check_player, check_series("players", players, NAMES)))
    if len(names) < 2:
        raise BadArgument.of("too_few_players.named", names=len(names))
    refuse_repeated(names)
    added: list[str] = []
    new = check_series("new", new, NAMES)
    ids = [made.find_or_add(name, new, added) for name in names]
    number = {name: k for k, name in enumerate(names)}

    def find(given: str, group: Sequence[Any]) -> tuple[int, ...]:
        if lost := [one for one in group if one not in number]:
            raise BadArgument.of("not_of_the_match", given=given, name=lost[0])
        return tuple(number[one] for one in group)

    captain = find("captains", check_series("captains", captains, NAMES))
    conditions = Conditions(
        find_sizes(len(names), into, size, len(captain)),
        tuple(find("together", one) for one in take_groups("together", together)),
        tuple(find("apart", one) for one in take_groups("apart", apart)),
        captain,
    )
    split, judged, exact = balance_teams(made, ids, conditions, check_count("seed", seed))
    members = [[k for k, side in enumerate(split) if side == one] for one in range(max(split) + 1)]
    teams = tuple(tuple(names[k] for k in one) for one in members)
    contest = made.forecast_contest(teams, new)
    chances = tuple(contest.places[:, 0].tolist())
    columns = {
        "players": contest.names,
        "chance": list(chances),
    }
    title = f"Fair teams under {made.system.name}"
    return FairTeams(columns, title, teams, chances, exact, judged, find_new(made, [contest]))


def check_player(name: Any) -> str:
    """The name of a player; raises BadArgument."""
    from prowess.games.arguments import check_text

    return check_text("players", name, NAMES)


def take_groups(name: str, groups: Any) -> list[list[str]]:
    """Lists of names, or one list; raises BadArgument."""
    found = check_series(name, groups, NAMES)
    if all(isinstance(one, str) for one in found):
        return [found] if found else []
    return [check_series(name, one, NAMES) for one in found]


def find_sizes(players: int, into: Any, size: Any, captains: int) -> tuple[int, ...]:
    """The sizes of the sides; raises BadArgument."""
    from prowess.games.reading import format_count

    count = check_count("into", 2 if into is None else into, 2)
    if size is not None:
        each = check_count("size", size, 1)
        count = players // each if into is None else count
        if count * each != players or count < 2:
            raise BadArgument.of(
                "sizes_do_not_fit.sides",
                players=players,
                sides=f"{format_count(count, 'side')} of {each}",
            )
    if not captains <= count <= players:
        raise refuse(
            f"give into as a number from {max(2, captains)} to {players}, for {players} players "
            f"and {captains} captains", count, code="sizes_do_not_fit",
        )  # fmt: skip
    least, more = divmod(players, count)
    return tuple(least + (k < more) for k in range(count))


def at_time(ratings: Ratings, when: Any) -> Ratings:
    """The ratings as they stand at a later time; raises BadArgument for an earlier one.

    A fit of strengths that move, made of all games, has a forecast of any time.
    """
    from dataclasses import replace

    from prowess.engine.rate import DynamicRatings, moment
    from prowess.engine.state import reach_season

    if when is None:
        return ratings
    day = check_day("when", when)
    if ratings.day is None:
        raise BadArgument.of("no_dates.predict")
    if day < ratings.day and not getattr(ratings.system, "moves", False):
        raise BadArgument.of("not_a_day.predict", when=when)
    if not isinstance(ratings, DynamicRatings):
        return replace(ratings, day=day)
    table, period = ratings.played_table, ratings.period
    now, day_of = moment(ratings.system, table, ratings.rounds, period, day)
    state = reach_season(ratings.state, ratings.table.season, day)
    return replace(ratings, state=state, now=now, day=day_of)


def enter(ratings: Ratings, entrants: Any, best: Any, runs: int, seed: int) -> Contenders:
    """The participants, named or the best rated, with their strengths."""
    from prowess.study.forecasting.contenders import contenders

    if (entrants is None) == (best is None):
        raise BadArgument.of("entrants_needed", names=NAMES)
    if entrants is None:
        entrants = ratings.leaderboard(check_count("best", best, 2)).columns["player"]
    names = [check_side_names(one) for one in check_series("entrants", entrants, NAMES)]
    names = [one if isinstance(one, str) else tuple(one) for one in names]
    runs, seed = check_count("runs", runs, 1), check_count("seed", seed)
    return contenders(ratings, names, worlds=runs, seed=seed)


def season(
    ratings: Any,
    entrants: Sequence[Any] | None = None,
    *,
    best: int | None = None,
    times: int = 2,
    fixtures: Sequence[tuple[str, str]] | None = None,
    played: Any = None,
    award: tuple[float, float, float] = (1.0, 0.5, 0.0),
    ties: Sequence[str] = (),
    neutral: bool = False,
    runs: int = 10_000,
    seed: int = 0,
    cluster: Any = None,
    system: Any = None,
    **keywords: Any,
) -> Prospects:
    """Simulate a season: the chance of every place for each participant.

    Each pair meets `times` times, or exactly `fixtures` (pairs, home first) are played. `played`
    are results so far (anything `read_games` reads); `award` the points for win, draw and loss;
    `ties` tie-breaks in order (wins, head_to_head, berger, buchholz). `cluster` shares the runs, as
    in `tune`; the k-th run is the same wherever it is simulated.

    >>> import prowess
    >>> r = prowess.rate([("Ann", "Bob", 1), ("Bob", "Cleo", 0.5)], "elo")
    >>> table = prowess.season(r, ["Ann", "Bob", "Cleo"], runs=200)
    >>> round(float(sum(table.to_columns()["place_1"])), 6)
    1.0
    """
    from prowess.engine.cluster.workers import workers_of
    from prowess.study.forecasting import season as seasons

    made = take_ratings(ratings, system, keywords, "season")
    rows: list[Any] = []
    if fixtures is not None:
        rows = take_pairs("fixtures", fixtures)
        if entrants is None and best is None:
            entrants = list(dict.fromkeys(check_side_names(name) for one in rows for name in one))
    field = enter(made, entrants, best, runs, seed)
    sided = field.sided and not check_flag("neutral", neutral)
    if fixtures is None:
        planned = seasons.round_robin(len(field), check_count("times", times, 1), sided)
    else:
        number = {name: k for k, name in enumerate(field.names)}
        if lost := [name for one in rows for name in one if name not in number]:
            raise BadArgument.of("fixtures_of_others", name=lost[0])
        planned = seasons.fixtures([(number[a], number[b], float(sided)) for a, b in rows])
    if played is not None:
        planned = seasons.with_results(planned, take_played(played), field.sides)
    scale = seasons.PointScale(*check_award(award))
    ties = check_series("ties", ties, '["wins", "head_to_head"]')
    with workers_of(cluster) as workers:
        return seasons.simulate_season(
            field, planned, scale=scale, ties=ties, runs=runs, seed=seed, workers=workers
        )


def take_played(played: Any) -> Games:
    """Results so far, of games of two sides."""
    table = take_games(played)
    if not table.pairwise:
        raise BadArgument.of("contests_not_taken.predict")
    return table


def check_award(award: Any) -> list[float]:
    """Points for win, draw and loss; raises BadArgument."""
    from prowess.games.arguments import check_number

    points = check_series("award", award, "(3, 1, 0)")
    if len(points) != 3:
        raise BadArgument.of("not_an_award", award=award)
    return [check_number("award", one) for one in points]


def bracket(
    ratings: Any,
    entrants: Sequence[Any] | None = None,
    *,
    best: int | None = None,
    best_of: int = 1,
    shoot_out: bool = False,
    played: Any = None,
    runs: int = 10_000,
    seed: int = 0,
    system: Any = None,
    **keywords: Any,
) -> Prospects:
    """The chances of a knock-out, computed exactly; entrants in the order of their seeds.

    Ties are a game, or the best of `best_of`; a level one is replayed, or decided by a `shoot_out`.

    >>> import prowess
    >>> r = prowess.rate([("Ann", "Bob", 1), ("Cleo", "Dan", 1)], "elo")
    >>> chances = prowess.bracket(r, ["Ann", "Cleo", "Bob", "Dan"]).to_columns()["winner"]
    >>> round(float(sum(chances)), 6)
    1.0
    """
    from prowess.study.forecasting import knockout

    made = take_ratings(ratings, system, keywords, "bracket")
    field = enter(made, entrants, best, runs, seed)
    rules = knockout.best_of(check_count("best_of", best_of, 1))
    tie = knockout.Tie(rules, check_flag("shoot_out", shoot_out))
    scores = None if played is None else knockout.scores_met(take_played(played), field.sides)
    slots = knockout.seed_bracket(len(field))
    return knockout.forecast_knockout(field, slots, tie=tie, played=scores)


def swiss(
    ratings: Any,
    rounds: int,
    entrants: Sequence[Any] | None = None,
    *,
    best: int | None = None,
    played: Any = None,
    award: tuple[float, float, float] = (1.0, 0.5, 0.0),
    ties: Sequence[str] = (),
    runs: int = 10_000,
    seed: int = 0,
    cluster: Any = None,
    system: Any = None,
    **keywords: Any,
) -> Prospects:
    """Simulate a Swiss tournament of so many rounds; arguments as of `season`.

    >>> import prowess
    >>> games = [("Ann", "Bob", 1), ("Cid", "Dan", 1), ("Ann", "Cid", 1)]
    >>> prowess.swiss(games, 2, best=4, system="elo", runs=50).names[0]
    'Ann'
    """
    from prowess.engine.cluster.workers import workers_of
    from prowess.study.forecasting.season import PointScale
    from prowess.study.forecasting.swiss import simulate_swiss

    made = take_ratings(ratings, system, keywords, "swiss")
    field = enter(made, entrants, best, runs, seed)
    with workers_of(cluster) as workers:
        return simulate_swiss(
            field, check_count("rounds", rounds, 1), scale=PointScale(*check_award(award)),
            played=None if played is None else take_played(played), runs=runs, seed=seed,
            ties=check_series("ties", ties, '["wins", "buchholz"]'), workers=workers,
        )  # fmt: skip


def pairings(
    ratings: Any, player: str | None = None, *, level: float = 0.95, system: Any = None,
    **keywords: Any,
) -> ResultTable:  # fmt: skip
    """The score of every pair that met beside the expected one, a row a pair, with intervals.

    >>> import prowess
    >>> table = prowess.pairings([("Ann", "Bob", 1), ("Bob", "Ann", 0.5)], system="elo")
    >>> table["score"]
    [0.75]
    """
    from prowess.engine.tabular import ResultTable
    from prowess.study.pairings import PairRecord, pairing_table

    made = take_ratings(ratings, system, keywords, "pairings")
    pairs = pairing_table(made, player, check_level(level)).pairs
    columns = {name: [getattr(one, name) for one in pairs] for name in PairRecord._fields}
    return ResultTable(columns, f"Pairings under {made.system.name}")


def next_games(
    ratings: Any,
    player: str | None = None,
    *,
    goal: str = "ranking",
    top: int = 10,
    among: Sequence[str] | None = None,
    rounds: int | None = None,
    system: Any = None,
    **keywords: Any,
) -> ResultTable:
    """The games worth playing next, the best first, each with its reason: of a player, or of all.

    `goal` is what they are to do: `ranking` the most informative ones for the ranking, E (1 - E)
    times the variance of the difference of the ratings; `closeness` the most even ones; `rest`
    those of pairs who have not met for longest; `coverage` those of pairs who met least; `balance`
    everybody plays once before anybody twice. `among` are the players who are there (default: all
    with games). `days` are those since they met, at the day of the ratings.

    With `rounds` it is a plan in which everybody plays once a round and no pair meets twice; of an
    odd number one is free in each round (no opponent), and free rounds are shared.

    Raises Unratable for games of others than two players, BadArgument, UnknownPlayer.

    >>> import prowess
    >>> games = [("Ann", "Bob", 1), ("Bob", "Cid", 1), ("Cid", "Dee", 0.5)]
    >>> r = prowess.rate(games, "glicko2")
    >>> prowess.next_games(r, "Ann", top=1)["opponent"]
    ['Dee']
    >>> plan = prowess.next_games(r, rounds=3)
    >>> list(zip(plan["round"], plan["player"], plan["opponent"]))[:3]
    [(1, 'Dee', 'Cid'), (1, 'Ann', 'Bob'), (2, 'Bob', 'Dee')]
    """
    from typing import cast, get_args

    from prowess.engine.tabular import ResultTable
    from prowess.study.pairings import Goal, SuggestedGame, next_battles, plan_rounds

    made = take_ratings(ratings, system, keywords, "next_games")
    chosen = cast("Goal", check_choice("goal", goal, get_args(Goal)))
    here = [] if among is None else list(map(check_player, check_series("among", among, NAMES)))
    if among is not None and (count := len({*here} | ({player} if player else set()))) < 2:
        raise BadArgument.of("too_few_players.among", count=count)
    there = None if among is None else [made.index(name) for name in dict.fromkeys(here)]
    title = f"Next games under {made.system.name}"
    free = dict.fromkeys(SuggestedGame._fields)
    rows: list[dict[str, Any]] = []
    if rounds is None:
        if there is not None and player is not None:
            there = [*there, made.index(player)]
        found = next_battles(made, check_count("top", top, 1), player, chosen, there)
        rows = [one._asdict() for one in found]
    elif player is not None:
        raise BadArgument.of("player_of_rounds", player=player)
    else:
        plan = plan_rounds(made, check_count("rounds", rounds, 1), chosen, there)
        for number, one in enumerate(plan, 1):
            rows += [{"round": number, **game._asdict()} for game in one.games]
            if one.bye is not None:
                rows.append({"round": number, **free, "player": one.bye, "why": "free"})
    names = list(rows[0] if rows else free)
    return ResultTable({name: [row[name] for row in rows] for name in names}, title)


def assess(
    ratings: Any, a: str, b: str, *, side: float = 0.0, system: Any = None, **keywords: Any
) -> ResultTable:
    """What a win, a draw and a loss of a against b would change: a row a result and player.

    `side` is +1 where a has White or plays at home. Raises Unratable for other than games between
    two players.

    >>> import prowess
    >>> table = prowess.assess([("Ann", "Bob", 1)], "Ann", "Bob", system="elo")
    >>> [round(change, 1) for change in table["rating"]]
    [14.5, -14.5, -1.5, 1.5, -17.5, 17.5]
    """
    from prowess.engine.ratings import check_side
    from prowess.engine.tabular import ResultTable
    from prowess.study.forecasting.performance import RESULT_SCORES, assess_game

    made = take_ratings(ratings, system, keywords, "assess")
    if made.index(a) == made.index(b):
        raise BadArgument.of("too_few_players.pair", a=a)
    reverse = dict(zip(RESULT_SCORES, reversed(RESULT_SCORES), strict=True))
    rows = []
    for one in assess_game(made, a, b, check_side(side)):
        rows.append({"result": one.result, "player": a, **one.a})
        rows.append({"result": reverse[one.result], "player": b, **one.b})
    return ResultTable.of_rows(rows, f"Changes by a game of {a} against {b}")


def performance(
    ratings: Any,
    player: str | Sequence[str] | None = None,
    *,
    since: Any = None,
    until: Any = None,
    last: int | None = None,
    perfect: str = "half",
    system: Any = None,
    **keywords: Any,
) -> ResultTable:
    """Performance ratings: those at which the expected score equals the score, the best first.

    Of all players, one or some, in the games from `since` to `until` (dates, both included), or
    their `last` games. Where all games are won or lost, `perfect` moves half a point, takes 800
    points, or gives none. A table without a system is rated by elo. Raises NoModel for a system
    without an expected score, Unratable.

    >>> import prowess
    >>> table = prowess.performance([("Ann", "Bob", 1), ("Ann", "Bob", 0)], "Ann", system="elo")
    >>> table["score"]
    [1.0]
    """
    from prowess.engine.ratings import Ratings
    from prowess.engine.tabular import ResultTable
    from prowess.study.forecasting.performance import PERFECT, Performance, performances
    from prowess.verbs.tables import reader_options

    if (
        system is None
        and not isinstance(ratings, Ratings)
        and reader_options().issuperset(keywords)
    ):
        system = "elo"  # a bank of settings has no expected score of a rating
    made = take_ratings(ratings, system, keywords, "performance")
    if player is not None and not isinstance(player, str):
        player = check_series("player", player, NAMES)
    perfect = check_choice("perfect", perfect, PERFECT)
    found = performances(
        made,
        since=None if since is None else check_day("since", since, end=False),
        until=None if until is None else check_day("until", until),
        last=None if last is None else check_count("last", last, 1),
        perfect=perfect,
        player=player,
    )
    columns = {name: [getattr(one, name) for one in found] for name in Performance._fields}
    return ResultTable(columns, f"Performances under {made.system.name}")
