"""`prowess forecast`, `assess` and `performance`: forecasts of games and performance ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from prowess.cli.completion import complete_players
from prowess.cli.csv_files import read_contests
from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.rating import Count, Day, RatingOptions, parse_first_day

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.study.forecasting.knockout import SeriesFormat

SIDES = {"a": 1.0, "b": -1.0, "none": 0.0}
Side = Annotated[Literal["a", "b", "none"], "The side that will have White, or play at home."]
Player = Annotated[str, Argument(complete=complete_players)]


class SeriesOptions(NamedTuple):
    """Several games between two, and how they are simulated."""

    best_of: Annotated[
        int | None,
        Option(
            "A series of at most N games, over when one side has more than half of the points.",
            "N",
            click.IntRange(1, 999),
        ),
    ] = None
    first_to: Annotated[
        int | None,
        Option("A series until one side has N points.", "N", click.IntRange(1, 500)),
    ] = None
    side_order: Annotated[
        str | None,
        Option(
            "The side advantage game by game, repeated: a, b or n; ab alternates.",
            "LETTERS",
            names=("--order",),
        ),
    ] = None
    replay_draws: Annotated[
        bool,
        Option("Drawn games of a series are played again; else they count half a point each."),
    ] = False
    draws: Annotated[
        float | None,
        Option(
            "Draw rate of equal players where the system has no model of draws. Default: measured.",
            "SHARE",
            click.FloatRange(0.0, 0.999),
        ),
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
        Option(
            'A side in place of A B...: a player, or members, "Ann & Bob"; once for each side.',
            "SIDE",
            multiple=True,
            complete=complete_players,
        ),
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


@verb("forecast", epilog=FORECASTS)
def forecast_verb(
    options: RatingOptions,
    *,
    sides: SidesOptions,
    side: Side = "none",
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
    from prowess.cli.rating import rate_table

    asked = find_series(series, series.side_order or side[0])
    if asked is None and (series.side_order or series.replay_draws or series.draws is not None):
        raise click.UsageError(
            "add --best-of: --order, --replay-draws and --draws are for a series"
        )
    options, games = find_games(options, sides)
    many = sides.fixtures is not None or len(games[0]) > 2
    if many and (asked is not None or in_context or of_variant):
        raise click.UsageError("name two sides: a series, a context or a variant is of one game")
    if not many:
        check_two(games[0][0] == games[0][1], games[0][0])
    ratings = rate_table(options)
    if many:
        answer_contests(ratings, games, side, sides.new, options.quiet, answer)
    else:
        game = GameAsked(games[0][0], games[0][1], side, in_context, of_variant, sides.new)
        answer_game(ratings, game, asked, series, options, answer)


def name_arguments() -> None:
    """Say in the usage that sides follow the files."""
    files = next(one for one in forecast_verb.params if one.name == "files")
    files.metavar = "FILE... A B..."


name_arguments()


def find_games(
    options: RatingOptions, sides: SidesOptions
) -> tuple[RatingOptions, list[list[str]]]:
    """The options with the files alone, and the sides of every game; raises UsageError.

    The names of sides are the last two arguments, and those before them that are no files.
    """
    words = list(options.reading.files)
    if sides.fixtures is not None or sides.lineup:
        if sides.fixtures is not None and sides.lineup:
            raise click.UsageError("choose --lineup or --fixtures")
        games = [list(sides.lineup)] if sides.lineup else read_contests(sides.fixtures or "")
        names = []
    else:
        least = 0 if options.continued else 1
        count = min(2, len(words) - least)
        while len(words) - count > least and not is_file(words[-count - 1]):
            count += 1
        names = words[len(words) - count :]
        games = [names]
    if not all(len(one) > 1 for one in games):
        context = click.get_current_context()
        if sides.lineup:
            raise click.UsageError("name each side by a --lineup: there are two or more")
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    files = tuple(words[: len(words) - len(names)])
    return options._replace(reading=options.reading._replace(files=files)), games


def is_file(word: str) -> bool:
    """Whether an argument is a file or an address, not the name of a side."""
    return word == "-" or "://" in word or Path(word).exists()


class GameAsked(NamedTuple):
    """The game of two sides that a user asks about."""

    a: str
    b: str
    side: Side
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
    from prowess.cli.output import print_note, print_notes, print_text
    from prowess.engine.game_forecast import WITHOUT_DRAWS
    from prowess.engine.places import ContestForecast, Forecasts
    from prowess.engine.tabular import ResultTable
    from prowess.games.errors import escape_unprintable
    from prowess.verbs.predict import find_new

    a, b, side = game.a, game.b, game.side
    mine, theirs = name_members(ratings, (a, b))
    forecast = ratings.forecast(
        mine, theirs, SIDES[side],
        context=game.in_context, variant=game.of_variant, new=game.new,
    )  # fmt: skip
    contest = ContestForecast.of_two((mine, theirs), forecast.expected, None, None)
    known = Forecasts({}, "", (contest,), find_new(ratings, [contest]))
    chances = {
        name: chance
        for name in ("expected", "win", "draw", "loss")
        if (chance := getattr(forecast, name)) is not None
    }
    found = {}
    if asked is not None:
        found = forecast_rows(ratings, (a, b), asked, series, options.seed)
    head = {"a": a, "b": b, **chances, "side": side, "system": ratings.system.name}
    head |= {"new": list(known.new)} if known.new else {}

    def render() -> None:
        print_note(ratings.head(), options.quiet)
        if known.note:
            print_note(f"note: {known.note}", options.quiet)
        if forecast.win is None:
            print_note(f"note: {WITHOUT_DRAWS}", options.quiet)
        one, other = escape_unprintable(a), escape_unprintable(b)
        lines = format_game(one, other, side, chances)
        if found:
            kind = f"best of {series.best_of}" if series.best_of else f"first to {series.first_to}"
            lines += format_series(found, one, other, kind)
            print_notes(found["notes"], options.quiet)
        print_text("\n".join(lines))

    answer.give(
        lambda: head | ({"series": found} if found else {}),
        lambda: ResultTable.of_rows([head], "Forecast"),
        render,
        reading=ratings.table.reading,
    )


def answer_contests(
    ratings: Ratings,
    games: list[list[str]],
    side: Side,
    new: tuple[str, ...],
    quiet: bool,
    answer: AnswerOptions,
) -> None:
    """Print the forecasts of contests of many sides, or of the games of a file."""
    from prowess.cli.output import print_note, print_table
    from prowess.engine.places import known_number
    from prowess.verbs.predict import forecast

    asked = [name_members(ratings, game) for game in games]
    found = forecast(ratings, asked, side=SIDES[side], new=new)

    def data() -> dict[str, Any]:
        contests = [
            {
                "sides": game,
                "win": list(map(known_number, one.win)),
                "expected_place": one.expected_place.tolist(),
                "places": one.places.tolist(),
                "beats": one.beats.tolist(),
            }
            for game, one in zip(games, found.contests, strict=True)
        ]
        alone = contests[0] if len(contests) == 1 else {"games": contests}
        return {
            **alone, **({"new": list(found.new)} if found.new else {}),
            "system": ratings.system.name,
        }  # fmt: skip

    def render() -> None:
        print_note(ratings.head(), quiet)
        if found.note:
            print_note(f"note: {found.note}", quiet)
        print_table(found.cells())

    answer.give(data, lambda: found, render, reading=ratings.table.reading)


def name_members(ratings: Ratings, names: Sequence[str]) -> list[str | list[str]]:
    """The sides by the names of their members; a player alone is a name."""
    from prowess.study.lineups import lineups, names_in

    split = [names_in(ratings.players, name) for name in names]
    if ratings.takes_newcomers and any(name not in ratings for one in split for name in one):
        return [one[0] if len(one) == 1 else list(one) for one in split]
    sides = [[ratings.players[k] for k in ids] for ids in lineups(ratings, names)]
    return [one[0] if len(one) == 1 else one for one in sides]


def format_game(a: str, b: str, side: str, chances: Mapping[str, float]) -> list[str]:
    """Lines on a game: its expected score, and the chances where one is of a draw."""
    lines = [f"{a} against {b}: expected score {chances['expected']:.3f}"]
    if "draw" in chances:
        win, draw, loss = (f"{chances[name]:.1%}" for name in ("win", "draw", "loss"))
        lines.append(f"{a} wins {win}, draw {draw}, {b} wins {loss}")
    if side != "none":
        lines[0] += f" ({a if side == 'a' else b} at home or with White)"
    return lines


def check_two(same: bool, name: str) -> None:
    """Raise UsageError where both players are one."""
    if same:
        raise click.UsageError(f"name two players: A and B are both {name!r}")


def forecast_rows(
    ratings: Ratings,
    names: tuple[str, str],
    course: SeriesFormat,
    options: SeriesOptions,
    seed: int,
) -> dict[str, Any]:
    """The series as plain data."""
    import numpy as np

    from prowess.study.forecasting.contenders import contenders
    from prowess.study.forecasting.knockout import forecast_series

    pair = contenders(ratings, names, worlds=options.runs, seed=seed, draws=options.draws)
    worlds, first, second = np.arange(pair.worlds), np.array(0), np.array(1)
    sides = {course.side(game) for game in range(course.most)}
    odds = {side: pair.odds(worlds, first, second, np.array(side)) for side in sides}
    found = forecast_series([odds[course.side(game)] for game in range(course.most)], course)
    error = float(found.win.std()) / pair.worlds**0.5
    how = "are replayed" if course.replayed else "count half a point each"
    note = f"a strength holds for a whole series; standard error at most {error:.4f}"
    return {
        "win": float(found.win.mean()),
        "level": float(found.level.mean()),
        "loss": float(found.loss.mean()),
        "games": float(found.length.mean()),
        "scores": [
            {"a": score[0], "b": score[1], "chance": float(chance.mean())}
            for score, chance in found.scores.items()
        ],
        "notes": [*pair.notes, f"drawn games {how}", *([note] if pair.worlds > 1 else [])],
    }


def format_series(data: dict[str, Any], a: str, b: str, kind: str) -> list[str]:
    """The series in two lines of text."""
    level = f", level {data['level']:.1%}" if data["level"] else ""
    likeliest = sorted(data["scores"], key=lambda one: -one["chance"])[:3]
    scores = ", ".join(f"{one['a']:g}:{one['b']:g} {one['chance']:.1%}" for one in likeliest)
    return [
        f"{kind}: {a} wins {data['win']:.1%}{level}, {b} wins {data['loss']:.1%}",
        f"{data['games']:.2f} games expected; likeliest scores {scores}",
    ]


@verb("assess", epilog="\b\nprowess assess games.csv Ada Ben --system glicko --side a\n")
def assess_verb(
    options: RatingOptions, *, a: Player, b: Player, side: Side = "none", answer: AnswerOptions
) -> None:
    """Rate FILE... and compute the change of both ratings for each result of a game of A against B.

    The game is played on the day of the ratings by the system itself; a whole-table system is
    fitted again with it.
    """
    from prowess.cli.output import print_note, print_text, render_table
    from prowess.cli.rating import rate_table
    from prowess.engine.fit import NoModel
    from prowess.engine.tabular import ResultTable
    from prowess.games.errors import escape_unprintable
    from prowess.study.forecasting.performance import WHAT, assess_game
    from prowess.study.lineups import check_duels

    ratings = rate_table(options)
    check_duels(ratings.table, WHAT)
    check_two(ratings.index(a) == ratings.index(b), a)
    changes = assess_game(ratings, a, b, SIDES[side])
    try:
        expected = ratings.forecast(a, b, SIDES[side]).expected
    except NoModel:
        expected = None
    head = {"a": a, "b": b, "side": side, "system": ratings.system.name, "expected": expected}
    reverse = {"win": "loss", "draw": "draw", "loss": "win"}
    rows: list[dict[str, Any]] = []
    for change in changes:
        rows.append({"result": change.result, "player": a, **change.a})
        rows.append({"result": reverse[change.result], "player": b, **change.b})

    def data() -> dict[str, Any]:
        made = [{"result": one.result, "a": dict(one.a), "b": dict(one.b)} for one in changes]
        return head | {"changes": made}

    def render() -> None:
        print_note(ratings.head(), options.quiet)
        cells = [
            [f"{value:+.2f}" if isinstance(value, float) else value for value in row.values()]
            for row in rows
        ]
        chance = "" if expected is None else f": expected score {expected:.3f}"
        title = f"{escape_unprintable(a)} against {escape_unprintable(b)}{chance}"
        print_text(f"{title}\n{render_table([list(rows[0]), *cells])}")

    answer.give(
        data,
        lambda: ResultTable.of_rows(rows, f"Changes by a game of {a} against {b}"),
        render,
        reading=ratings.table.reading,
    )


PERFORMANCES = """\b
prowess performance games.csv --since 2024-06-01 --until 2024-07-31
prowess performance games.csv --of "Ada Lovelace" --perfect 800
"""


@verb("performance", epilog=PERFORMANCES)
def performance_verb(
    options: RatingOptions,
    *,
    of: Annotated[
        str | None, Option("Only this player.", "NAME", complete=complete_players)
    ] = None,
    since: Annotated[
        float | None,
        Option("Only games from that day on.", "DATE", str, parse=parse_first_day),
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
    from prowess.cli.output import print_note, print_table
    from prowess.cli.rating import rate_table
    from prowess.cli.selection import find_system
    from prowess.engine.tabular import ResultTable
    from prowess.study.forecasting.performance import performances

    if options.system is None and options.continued is None:
        find_system(None, options.quiet, "elo", "as prowess has no expected score of a rating")
        options = options._replace(system="elo")
    ratings = rate_table(options)
    found = performances(ratings, since=since, until=until, perfect=perfect, player=of)
    found = [one for one in found if one.games >= min_games][:top]
    rows = [one._asdict() for one in found]

    def render() -> None:
        print_note(ratings.head(), options.quiet)
        if not found:
            print_note("note: no games in that span", options.quiet)
        further = ["table", "linear"] if all(one.table is not None for one in found) else []
        lines = [["player", "games", "score", "opponents", "performance", *further]]
        for one in found:
            exact = "-" if one.exact is None else f"{one.exact:.1f}"
            rest = [f"{getattr(one, name):.1f}" for name in further]
            lines.append(
                [one.player, f"{one.games}", f"{one.score:g}", f"{one.opponents:.1f}", exact, *rest]
            )
        print_table(lines)

    answer.give(
        lambda: {"system": ratings.system.name, "perfect": perfect, "players": rows},
        lambda: ResultTable.of_rows(rows, "Performance"),
        render,
        reading=ratings.table.reading,
    )
