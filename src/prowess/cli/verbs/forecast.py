"""`prowess forecast`: what to expect of the next game of two players, or of a series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.output import json_option
from prowess.cli.rating import rating_options
from prowess.cli.series import series_options

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.study.forecasting.knockout import SeriesFormat

SIDES = {"a": 1.0, "b": -1.0, "none": 0.0}
EXAMPLES = """\b
prowess forecast games.csv "Ada Lovelace" "Alan Turing" --side a
prowess forecast games.csv "Ada Lovelace" "Alan Turing" --best-of 7 --order aabbaba
prowess forecast doubles.csv "Ann & Bob" "Cid & Dee" --system trueskill
"""


@click.command(
    "forecast",
    short_help="What to expect when two players meet, once or in a series.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@rating_options
@click.argument("a")
@click.argument("b")
@click.option(
    "--side", type=click.Choice(list(SIDES)), default="none", show_default=True,
    help="Who will have White, or play at home.",
)  # fmt: skip
@series_options
@json_option
def command(
    a: str,
    b: str,
    side: str,
    best_of: int | None,
    first_to: int | None,
    order: str | None,
    replay_draws: bool,
    draws: float | None,
    runs: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Rate FILE... and say what to expect when A plays B.

    A and B are players, or line-ups such as "Ann & Bob" where the system rates sides of several.

    A series (--best-of, --first-to) is computed exactly from the chances of its games. Where a
    system says how sure ratings are, strengths are drawn --runs times (--seed) and hold for all
    games of the series.
    """
    from prowess.cli.output import json_text, put
    from prowess.cli.rating import rated
    from prowess.cli.series import course
    from prowess.cli.table import safe
    from prowess.cli.talk import say
    from prowess.study.lineups import lineups

    asked = course(best_of, first_to, order or side[0], replay_draws)
    if asked is None and (order or replay_draws or draws is not None):
        raise click.UsageError("--order, --replay-draws and --draws belong to a series: --best-of")
    ratings = rated(options)
    if a == b:
        raise click.UsageError(f"{a} cannot play against himself: name two players")
    one, other = ([ratings.players[k] for k in side] for side in lineups(ratings, (a, b)))
    forecast = ratings.forecast(_single(one), _single(other), SIDES[side])
    chances = {
        name: chance
        for name in ("expected", "win", "draw", "loss")
        if (chance := getattr(forecast, name)) is not None
    }
    told = {} if asked is None else _series(ratings, a, b, asked, runs, options["seed"], draws)
    if as_json:
        head = {"a": a, "b": b, **chances, "side": side, "system": ratings.system.name}
        put(json_text(head | ({"series": told} if told else {})))
        return
    say(ratings.head(), options["quiet"])
    a, b = safe(a), safe(b)
    lines = [f"{a} against {b}: expected score {chances['expected']:.3f}"]
    if "draw" in chances:
        win, draw, loss = (f"{chances[name]:.1%}" for name in ("win", "draw", "loss"))
        lines.append(f"{a} wins {win}, draw {draw}, {b} wins {loss}")
    if side != "none":
        lines[0] += f" ({a if side == 'a' else b} at home or with White)"
    if told:
        lines += _shown(told, a, b, f"best of {best_of}" if best_of else f"first to {first_to}")
        for note in told["notes"]:
            say(f"note: {note}", options["quiet"])
    put("\n".join(lines))


def _single(names: list[str]) -> str | list[str]:
    """One name alone stands for itself."""
    return names[0] if len(names) == 1 else names


def _series(
    ratings: Ratings, a: str, b: str, asked: SeriesFormat, runs: int, seed: int, draws: float | None
) -> dict[str, Any]:
    """The series as plain data."""
    import numpy as np

    from prowess.study.forecasting.contenders import contenders
    from prowess.study.forecasting.knockout import forecast_series

    pair = contenders(ratings, (a, b), worlds=runs, seed=seed, draws=draws)
    worlds, first, second = np.arange(pair.worlds), np.array(0), np.array(1)
    sides = {asked.side(game) for game in range(asked.most)}
    odds = {side: pair.odds(worlds, first, second, np.array(side)) for side in sides}
    found = forecast_series([odds[asked.side(game)] for game in range(asked.most)], asked)
    error = float(found.win.std()) / pair.worlds**0.5
    how = "are replayed" if asked.replayed else "count half a point each"
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


def _shown(told: dict[str, Any], a: str, b: str, name: str) -> list[str]:
    """The series as people read it."""
    level = f", level {told['level']:.1%}" if told["level"] else ""
    likeliest = sorted(told["scores"], key=lambda one: -one["chance"])[:3]
    scores = ", ".join(f"{one['a']:g}:{one['b']:g} {one['chance']:.1%}" for one in likeliest)
    return [
        f"{name}: {a} wins {told['win']:.1%}{level}, {b} wins {told['loss']:.1%}",
        f"{told['games']:.2f} games to expect; likeliest scores {scores}",
    ]
