"""Views of forecasts of games, series and contests, and of performances, as plain data and text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.places import known_number
from prowess.study.forecasting.contenders import contenders
from prowess.study.forecasting.knockout import forecast_series

if TYPE_CHECKING:
    from prowess.engine.places import Forecasts, Scores
    from prowess.engine.ratings import Forecast, Ratings
    from prowess.engine.text_table import Rows
    from prowess.study.forecasting.knockout import SeriesFormat


def game_data(a: str, b: str, forecast: Forecast, side: str) -> dict[str, Any]:
    """The forecast of a game as plain data, the chances that are known; `side` is a, b or none."""
    found = {name: getattr(forecast, name) for name in ("expected", "win", "draw", "loss")}
    chances = {name: chance for name, chance in found.items() if chance is not None}
    return {"a": a, "b": b, **chances, **score_data(forecast.scores), "side": side}


def score_data(scores: Scores | None) -> dict[str, Any]:
    """The chances of all scores as plain data; nothing where the system has none."""
    if scores is None:
        return {}
    total = scores.totals(scores.line)
    found = {
        "goals": list(scores.goals), "both_score": scores.both_score,
        "line": scores.line, "over": total.over, "under": total.under, "grid": scores.grid.tolist(),
        "likeliest": [
            {"a": a, "b": b, "chance": chance} for a, b, chance in scores.likeliest(5)
        ],
    }  # fmt: skip
    return {"scores": found | ({"note": scores.note} if scores.note else {})}


WORD_OF_SIDE = {1.0: "a", -1.0: "b", 0.0: "none"}


def contest_data(
    found: Forecasts, names: Sequence[Sequence[str]], advantages: Sequence[float]
) -> dict[str, Any]:
    """Forecasts of contests as plain data, their sides as `names` says; one stands alone.

    A game of two has the side with the advantage, and scores where the system foresees them.
    """
    contests = [
        {
            "sides": [*game],
            "win": list(map(known_number, one.win)),
            "expected_place": one.expected_place.tolist(),
            "places": one.places.tolist(),
            "beats": one.beats.tolist(),
            **({"side": WORD_OF_SIDE[ahead]} if len(game) == 2 else {}),
            **score_data(one.scores),
        }
        for game, one, ahead in zip(names, found.contests, advantages, strict=True)
    ]
    return contests[0] if len(contests) == 1 else {"games": contests}


def format_game(a: str, b: str, side: str, chances: Mapping[str, Any]) -> list[str]:
    """Lines on a game: its expected score, the chances where one is of a draw, and scores."""
    lines = [f"{a} against {b}: expected score {chances['expected']:.3f}"]
    if "draw" in chances:
        win, draw, loss = (f"{chances[name]:.1%}" for name in ("win", "draw", "loss"))
        lines.append(f"{a} wins {win}, draw {draw}, {b} wins {loss}")
    if scores := chances.get("scores"):
        (mine, theirs), line = scores["goals"], scores["line"]
        few = (f"{one['a']}:{one['b']} {one['chance']:.1%}" for one in scores["likeliest"])
        lines.append(f"{mine:.2f} to {theirs:.2f} goals expected; likeliest {', '.join(few)}")
        over, both = scores["over"], scores["both_score"]
        lines.append(f"both score {both:.1%}, more than {line:g} goals {over:.1%}")
        lines += [f"note: {scores['note']}"] if "note" in scores else []
    if side != "none":
        lines[0] += f" ({a if side == 'a' else b} at home or with White)"
    return lines


def series_data(
    ratings: Ratings, names: tuple[str, str], course: SeriesFormat, **sampled: Any
) -> dict[str, Any]:
    """A series between two as plain data; `sampled` as `contenders` takes it."""
    pair = contenders(ratings, names, **sampled)
    worlds, first, second = np.arange(pair.worlds, dtype=np.int64), np.array(0), np.array(1)
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


def performance_table(rows: Sequence[Mapping[str, Any]]) -> Rows:
    """Performances, a row a player; those by the tables of FIDE where all players have them."""
    further = ["table", "linear"] if all(one["table"] is not None for one in rows) else []
    lines = [["player", "games", "score", "opponents", "performance", *further]]
    for one in rows:
        exact = "-" if one["exact"] is None else f"{one['exact']:.1f}"
        numbers = [f"{one['games']}", f"{one['score']:g}", f"{one['opponents']:.1f}", exact]
        lines.append([one["player"], *numbers, *(f"{one[name]:.1f}" for name in further)])
    return lines
