"""`prowess theory markov`: what the chance of a point means for the game."""

from __future__ import annotations

from typing import Any

import click

from prowess.cli.output import json_option
from prowess.cli.theory.chosen import at_option, game, scale_option, shown
from prowess.cli.theory.plot import plot_option, save

DIFFERENCES = (-2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0)  # natural units


@click.command("markov", short_help="A game described by its points: its exact win probability.")
@click.argument("name", metavar="[GAME]", required=False)
@click.option("--points", type=int, metavar="N", help="Instead of GAME: first to so many points,")
@click.option("--lead", type=int, metavar="N", default=1, help="... so many ahead (default 1).")
@click.option("--states", is_flag=True, help="The chances from every state, not the start only.")
@click.option("--toml", "as_file", is_flag=True, help="Print the game as a file, to begin one.")
@scale_option
@at_option("-2 to 2 natural units")
@plot_option
@json_option
def command(
    name: str | None,
    points: int | None,
    lead: int,
    states: bool,
    as_file: bool,
    scale: float | None,
    at: list[float] | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """Solve a game: its chance of winning by rating difference, its exact formula and tail.

    GAME is point, two_ahead, best_of_three, tennis_game, streak, or FILE.toml or FILE.json of a
    game of yours: states, and with what chance each leads where, as ratios of forms in X and Y
    (`prowess theory markov two_ahead --toml` prints one).
    """
    from prowess.cli.output import json_text, put
    from prowess.theory.markov import BadGame
    from prowess.theory.markov_models import format_toml, match

    if (name is None) == (points is None):
        raise click.UsageError("give a GAME or --points, one of them")
    try:
        solved = match(points, lead) if points is not None else game(name or "")
    except BadGame as error:
        raise click.UsageError(str(error)) from None
    if as_file:
        put(format_toml(solved))
        return
    if scale is not None and not 0.0 < scale < float("inf"):
        raise click.UsageError(f"--scale {scale:g} is not above 0")
    from prowess.engine.numeric import LN10

    q = 1.0 if scale is None else LN10 / scale
    xs = at if at is not None else [x / q for x in DIFFERENCES]
    data = described(solved, q, xs, states)
    if plot is not None:
        from prowess.present.theory_charts import difference_unit, game_chart

        save(plot, game_chart(solved, q, difference_unit(scale)))
    put(json_text(data) if as_json else page(data))


def described(solved: Any, q: float, xs: list[float], states: bool) -> dict[str, Any]:
    """All about a game, as plain data."""
    from prowess.theory.updates import largest_h

    wp, tail = solved.win_probability(q), solved.tail(q)
    data: dict[str, Any] = {
        "game": solved.name,
        "states": len(solved.moves),
        "formula": str(solved.formula),
        "symmetric": solved.symmetric(),
        "tail": {"slope": tail.slope, "constant": tail.constant},
        "slope_at_0": wp.slope(0.0),
        "largest_h": largest_h(wp),
    }
    if not states:
        data["rows"] = [{"x": x, "wp": wp(x)} for x in xs]
        return data
    try:
        chances = [solved.chances(q * x) for x in xs]
    except ValueError as error:
        raise click.UsageError(f"--at: {error}") from None
    data["rows"] = [{"x": x, **row} for x, row in zip(xs, chances, strict=True)]
    return data


def page(data: dict[str, Any]) -> str:
    """The same for people."""
    from prowess.cli.table import drawn

    m, c = data["tail"]["slope"], data["tail"]["constant"]
    about = [
        ["name", "value"],
        ["game", f"{data['game']}, {data['states']} states"],
        ["wp", data["formula"]],
        ["symmetric", "yes, exactly" if data["symmetric"] else "NO: wp(x) + wp(-x) is not 1"],
        ["tail", f"wp(x) ~ {c:.6g} e^({m:.6g} x) for x -> -inf"],
        ["wp'(0)", shown(data["slope_at_0"])],
        ["h below", f"{data['largest_h']:.7g} (2 / max wp')"],
    ]
    rows = data["rows"]
    if set(rows[0]) == {"x", "wp"}:
        table = [["x", "wp"], *([f"{row['x']:g}", shown(row["wp"])] for row in rows)]
    else:  # states are many and differences few
        table = [["name", *(f"x = {row['x']:g}" for row in rows)]]
        table += [
            [state, *(f"{row[state]:.6g}" for row in rows)] for state in rows[0] if state != "x"
        ]
    return f"{drawn(about)}\n\n{drawn(table)}"
