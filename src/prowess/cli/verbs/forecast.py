"""`prowess forecast`, `assess` and `performance`: forecasts of games and performance ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from prowess.cli.completion import complete_players
from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.rating import Count, Day, PlayerName, RatingOptions, parse_first_day, rate_table
from prowess.cli.selection import find_system

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.games.formats.small_files import FixtureList
    from prowess.study.forecasting.knockout import SeriesFormat

SIDES = {"a": 1.0, "b": -1.0, "none": 0.0}
SideWord = Literal["a", "b", "none"]
SIDE_HELP = "The side that will have White, or play at home."
Side = Annotated[SideWord, SIDE_HELP]
Player = Annotated[str, Argument(complete=complete_players)]


class SeriesOptions(NamedTuple):
    """Several games between two, and how they are simulated."""

    best_of: Annotated[
        int | None,
        Option(metavar="N", type=click.IntRange(1, 999)),
        "A series of at most N games, over when one side has more than half of the points.",
    ] = None
    first_to: Annotated[
        int | None, Option("A series until one side has N points.", "N", click.IntRange(1, 500))
    ] = None
    side_order: Annotated[
        str | None,
        Option(metavar="LETTERS", names=("--order",)),
        "The side advantage game by game, repeated: a, b or n; ab alternates.",
    ] = None
    replay_draws: Annotated[
        bool, Option("Drawn games of a series are played again; else they count half a point each.")
    ] = False
    draws: Annotated[
        float | None,
        Option(metavar="SHARE", type=click.FloatRange(0.0, 0.999)),
        "Draw rate of equal players where the system has no model of draws. Default: measured.",
    ] = None
    runs: Annotated[
        int,
        Option(
            "Simulated tournaments, or samples of strengths.", "N", click.IntRange(1, 1_000_000)
        ),
    ] = 10_000


def find_series(series: SeriesOptions, order: str) -> SeriesFormat | None:
    """The series that is asked for; None for single games."""
    from prowess.study.forecasting.knockout import best_of, first_to

    if series.best_of is not None and series.first_to is not None:
        raise click.UsageError("choose --best-of or --first-to")
    if series.best_of is not None:
        return best_of(series.best_of, series.replay_draws, order)
    if series.first_to is not None:
        return first_to(series.first_to, series.replay_draws, order)
    return None


class SidesOptions(NamedTuple):
    """The sides of a contest, or a file of games."""

    lineup: Annotated[
        tuple[str, ...],
        Option(metavar="SIDE_HELP", multiple=True, complete=complete_players),
        'A side in place of A B...: a player, or members, "Ann & Bob"; once for each side.',
    ] = ()
    fixtures: Annotated[
        str | None, Option("The games of a file: a row each, a column for every side.", "CSV")
    ] = None
    new: Annotated[
        tuple[str, ...],
        Option("A newcomer, where the name looks like a player's.", "NAME", multiple=True),
    ] = ()


FORECASTS = """\b
prowess forecast games.csv "Ada Lovelace" "Alan Turing" --side a
prowess forecast games.csv "Ada Lovelace" "Alan Turing" --best-of 7 --order aabbaba
prowess forecast races.csv Ann Bob Cid Dee
prowess forecast doubles.csv --lineup "Ann & Bob" --lineup "Cid & Dee" --system trueskill
"""


@verb("forecast", epilog=FORECASTS, files="FILE... A B...")
def forecast_verb(
    options: RatingOptions,
    *,
    sides: SidesOptions,
    side: Annotated[
        SideWord | None, f"{SIDE_HELP} Default: none; of --fixtures by home, away."
    ] = None,
    in_context: Annotated[str | None, Option("The surface, map, ... of the game.", "WORD")] = None,
    of_variant: Annotated[str | None, Option("The variant of the game.", "WORD")] = None,
    series: SeriesOptions,
    answer: AnswerOptions,
) -> None:
    """Rate FILE... and forecast the result when A plays B, or the places of a contest of many.

    A and B are players, or line-ups such as "Ann & Bob" where the system rates sides of several.

    A series (--best-of, --first-to) is computed exactly from the probabilities of its games. Where
    a system gives the uncertainty of ratings, strengths are sampled --runs times (--seed) and hold
    for all games of the series.
    """
    asked = find_series(series, series.side_order or (side or "n")[0])
    if asked is None and (series.side_order or series.replay_draws or series.draws is not None):
        raise click.UsageError(
            "add --best-of: --order, --replay-draws and --draws are for a series"
        )
    options, told = find_games(options, sides, side)
    games = told.games
    many = sides.fixtures is not None or len(games[0]) > 2
    if many and (asked is not None or in_context or of_variant):
        raise click.UsageError("name two sides: a series, a context or a variant is of one game")
    if not many:
        check_two(games[0][0] == games[0][1], games[0][0])
    ratings = rate_table(options)
    if many:
        answer_contests(ratings, told, sides.new, answer)
    else:
        game = GameAsked(
            games[0][0], games[0][1], side or "none", in_context, of_variant, sides.new
        )
        answer_game(ratings, game, asked, series, options, answer)


def find_games(
    options: RatingOptions, sides: SidesOptions, side: SideWord | None
) -> tuple[RatingOptions, FixtureList]:
    """The options with the files alone, and the games that are asked for; raises UsageError.

    The names of sides are the last two arguments, and those before them that are no files.
    """
    from prowess.games.formats.small_files import FixtureList, read_fixtures

    words = list(options.reading.files)
    advantage = None if side is None else SIDES[side]
    names: list[str] = []
    if sides.fixtures is not None:
        if sides.lineup:
            raise click.UsageError("choose --lineup or --fixtures")
        told = read_fixtures(sides.fixtures, advantage)
    elif sides.lineup:
        told = FixtureList([sides.lineup], [advantage or 0.0])
    else:
        least = 0 if options.continued else 1
        count = min(2, len(words) - least)
        while len(words) - count > least and not is_file(words[-count - 1]):
            count += 1
        names = words[len(words) - count :]
        told = FixtureList([tuple(names)], [advantage or 0.0])
    if not all(one.strip() for one in sides.lineup):
        raise click.UsageError("name the players of each --lineup: one is empty")
    if not all(len(one) > 1 for one in told.games):
        context = click.get_current_context()
        if sides.lineup:
            raise click.UsageError("name each side by a --lineup: there are two or more")
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    files = tuple(words[: len(words) - len(names)])
    return options._replace(reading=options.reading._replace(files=files)), told


def is_file(word: str) -> bool:
    """Whether an argument is a file or an address, not the name of a side."""
    return word == "-" or "://" in word or Path(word).exists()


class GameAsked(NamedTuple):
    """The game of two sides that a user asks about."""

    a: str
    b: str
    side: SideWord
    in_context: str | None
    of_variant: str | None
    new: tuple[str, ...]


def answer_game(
    ratings: Ratings,
    game: GameAsked,
    asked: SeriesFormat | None,
    series: SeriesOptions,
    options: RatingOptions,
    answer: AnswerOptions,
) -> None:
    """Print the forecast of a game of two sides, or of a series."""
    from prowess.engine.game_forecast import WITHOUT_DRAWS
    from prowess.engine.places import ContestForecast, Forecasts
    from prowess.engine.tabular import ResultTable
    from prowess.games.errors import escape_unprintable
    from prowess.present.forecasts import format_game, format_series, game_data, series_data
    from prowess.verbs.predict import find_new

    a, b, side = game.a, game.b, game.side
    mine, theirs = name_members(ratings, (a, b))
    forecast = ratings.forecast(
        mine, theirs, SIDES[side],
        context=game.in_context, variant=game.of_variant, new=game.new,
    )  # fmt: skip
    contest = ContestForecast.of_two((mine, theirs), forecast.expected, None, None)
    known = Forecasts({}, "", (contest,), find_new(ratings, [contest]))
    chances = game_data(a, b, forecast, side)
    head = chances | {"system": ratings.system.name}
    head |= {"new": list(known.new)} if known.new else {}
    one, other = escape_unprintable(a), escape_unprintable(b)
    lines, notes = format_game(one, other, side, chances), [ratings.head()]
    notes += [f"note: {known.note}"] if known.note else []
    notes += [f"note: {WITHOUT_DRAWS}"] if forecast.win is None else []
    found = {}
    if asked is not None:
        sampled = {"worlds": series.runs, "seed": options.seed, "draws": series.draws}
        found = {"series": series_data(ratings, (a, b), asked, **sampled)}
        kind = f"best of {series.best_of}" if series.best_of else f"first to {series.first_to}"
        lines += format_series(found["series"], one, other, kind)
        notes += [f"note: {text}" for text in found["series"]["notes"]]
    answer.give(
        lambda: head | found,
        lambda: ResultTable.of_rows(
            [table_row(head) | ({"new": ", ".join(known.new)} if known.new else {})], "Forecast"
        ),
        lambda: ["\n".join(lines)],
        ratings.table.reading,
        notes=notes,
    )


def table_row(head: dict[str, Any]) -> dict[str, Any]:
    """The forecast of a game as a row: what is known of scores but their grid."""
    row = {name: value for name, value in head.items() if name != "scores"}
    known = head.get("scores", {})
    return row | {name: known[name] for name in ("both_score", "line", "over") if name in known}


def answer_contests(
    ratings: Ratings,
    told: FixtureList,
    new: tuple[str, ...],
    answer: AnswerOptions,
) -> None:
    """Print the forecasts of contests of many sides, or of the games of a file."""
    from prowess.present.forecasts import contest_data
    from prowess.verbs.predict import forecast

    asked = [name_members(ratings, game) for game in told.games]
    found = forecast(ratings, asked, side=told.sides, new=new)
    head = {"new": list(found.new)} if found.new else {}
    answer.give(
        lambda: (
            contest_data(found, told.games, told.sides) | head | {"system": ratings.system.name}
        ),
        lambda: found,
        lambda: [found.cells()],
        ratings.table.reading,
        notes=[ratings.head(), *(f"note: {one}" for one in (told.note, found.note) if one)],
    )


def name_members(ratings: Ratings, names: Sequence[str]) -> list[str | list[str]]:
    """The sides by the names of their members; a player alone is a name."""
    from prowess.study.lineups import lineups, names_in

    split = [names_in(ratings.players, name) for name in names]
    if any(name not in ratings for one in split for name in one):
        return [one[0] if len(one) == 1 else list(one) for one in split]
    sides = [[ratings.players[k] for k in ids] for ids in lineups(ratings, names)]
    return [one[0] if len(one) == 1 else one for one in sides]


def check_two(same: bool, name: str) -> None:
    """Raise UsageError where both players are one."""
    if same:
        raise click.UsageError(f"name two players: A and B are both {name!r}")


@verb("assess", epilog="\b\nprowess assess games.csv Ada Ben --system glicko --side a\n")
def assess_verb(
    options: RatingOptions, *, a: Player, b: Player, side: Side = "none", answer: AnswerOptions
) -> None:
    """Rate FILE... and compute the change of both ratings for each result of a game of A against B.

    The game is played on the day of the ratings by the system itself; a whole-table system is
    fitted again with it.
    """
    from prowess.engine.fit import NoModel
    from prowess.games.errors import escape_unprintable
    from prowess.study.forecasting.performance import WHAT
    from prowess.study.lineups import check_duels
    from prowess.verbs.predict import assess

    ratings = rate_table(options)
    check_duels(ratings.table, WHAT)
    check_two(ratings.index(a) == ratings.index(b), a)
    table = assess(ratings, a, b, side=SIDES[side])
    rows = table.rows()
    try:
        expected = ratings.forecast(a, b, SIDES[side]).expected
    except NoModel:
        expected = None
    head = {"a": a, "b": b, "side": side, "system": ratings.system.name, "expected": expected}
    values = [{name: row[name] for name in [*row][2:]} for row in rows]  # but result and player
    changes = [
        {"result": row["result"], "a": mine, "b": theirs}
        for row, mine, theirs in zip(rows[::2], values[::2], values[1::2], strict=True)
    ]
    cells = [
        [f"{value:+.2f}" if isinstance(value, float) else value for value in row.values()]
        for row in rows
    ]
    chance = "" if expected is None else f": expected score {expected:.3f}"
    title = f"{escape_unprintable(a)} against {escape_unprintable(b)}{chance}"
    answer.give(
        lambda: head | {"changes": changes},
        lambda: table,
        lambda: [(title, [list(rows[0]), *cells])],
        ratings.table.reading,
        notes=[ratings.head()],
    )


PERFORMANCES = """\b
prowess performance games.csv --since 2024-06-01 --until 2024-07-31
prowess performance games.csv --of "Ada Lovelace" --perfect 800
"""


@verb("performance", epilog=PERFORMANCES)
def performance_verb(
    options: RatingOptions,
    *,
    of: Annotated[PlayerName, "Only this player."] = None,
    since: Annotated[
        float | None, Option("Only games from that day on.", "DATE", str, parse=parse_first_day)
    ] = None,
    until: Annotated[Day, "Only games up to that day."] = None,
    perfect: Annotated[
        Literal["half", "800", "none"],
        "All games won or lost: half a point is moved, 800 points are taken, or no value is given.",
    ] = "half",
    min_games: Annotated[
        int, Option("Only players with so many games or more.", type=click.IntRange(min=1))
    ] = 1,
    top: Annotated[Count, "Only the best N."] = None,
    answer: AnswerOptions,
) -> None:
    """Rate FILE... and solve for the rating at which the expected score equals the score.

    Opponents have their ratings before each game (with a whole-table system, their rating).
    `table` adds FIDE's d_p, `linear` 400 (wins - losses) / games to their mean, where the ratings
    have Elo's scale.
    """
    from prowess.engine.tabular import ResultTable
    from prowess.present.forecasts import performance_table
    from prowess.verbs.predict import performance

    if options.system is None and options.continued is None:
        find_system(None, False, "elo", "as prowess has no expected score of a rating")
        options = options._replace(system="elo")
    ratings = rate_table(options)
    found = performance(ratings, of, since=since, until=until, perfect=perfect).rows()
    rows = [one for one in found if one["games"] >= min_games][:top]
    answer.give(
        lambda: {"system": ratings.system.name, "perfect": perfect, "players": rows},
        lambda: ResultTable.of_rows(rows, "Performance"),
        lambda: [performance_table(rows)],
        ratings.table.reading,
        notes=[ratings.head(), *([] if rows else ["note: no games in that span"])],
    )
