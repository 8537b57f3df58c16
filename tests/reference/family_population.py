"""The reference cases of populations, learning, generations and the report's tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.numeric import LN10
from prowess.theory import histograms
from prowess.theory.histograms import Histogram, death_rate
from prowess.theory.learning import Exponential, Fallible, Gompertz, LinearFallible
from prowess.theory.population import Curve, Population
from tests.theory.played_leagues import generation


def floats(values: list[float]) -> Floats:
    return np.array(values, np.float64)


def constant(value: float) -> Curve:
    return lambda x: np.full_like(x, value)


def normal(total: float, mu: float, sd: float) -> Curve:
    scale = total / (sd * np.sqrt(2.0 * np.pi))
    return lambda x: scale * np.exp(-0.5 * ((x - mu) / sd) ** 2)


def eq60(inputs: dict[str, Any]) -> dict[str, Any]:
    law, rating = Gompertz(inputs["c8"]), floats(inputs["R"])
    return {
        "pdf": law.density(rating).tolist(),
        "cdf": law.cdf(rating).tolist(),
        "mean": law.mean,
        "mode": law.mode,
        "median": law.median,
    }


def eq60_scaled(inputs: dict[str, Any]) -> dict[str, Any]:
    law = Gompertz(inputs["c8"], inputs["Q"], inputs["birth"])
    pdf = law.density(floats(inputs["R"])).tolist()
    return {"pdf": pdf, "mean": law.mean, "mode": law.mode}


def development(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"x": Exponential(inputs["c7"]).rating(floats(inputs["t"])).tolist()}


def fallible_as_printed(inputs: dict[str, Any]) -> dict[str, Any]:
    law = LinearFallible(inputs["c9"], inputs["Rmax"])
    return {
        "development": law.rating(floats(inputs["t"])).tolist(),
        "pdf": law.density(floats(inputs["x"]), inputs["D"]).tolist(),
    }


def fallible_exact(inputs: dict[str, Any]) -> dict[str, Any]:
    law = Fallible(inputs["pmax"], inputs["p0"], inputs["k"])
    t = floats(inputs["t"])
    return {
        "p": law.chance(t).tolist(),
        "R_minus_Rhalf": law.rating(t).tolist(),
        "Rmax_minus_Rhalf": law.top,
        "quadratic_coefficient": law.quadratic_coefficient,
    }


def steady_state_100(inputs: dict[str, Any]) -> dict[str, Any]:
    b = inputs["b"]
    if inputs["L"] == "constant":
        learning, births = constant(inputs["l"]), normal(b, inputs["mu"], inputs["sd"])
        edges = np.arange(-20.0, 1200.0, 4.0)  # e^-30 of the players live longer
    else:
        assert (inputs["L"], inputs["p_in"]) == ("c7*exp(-x)", "b uniform density on [0,1]")
        learning = Exponential(inputs["c7"]).rate
        births = lambda x: np.where((x >= 0.0) & (x <= 1.0), b, 0.0)  # noqa: E731
        edges = np.linspace(0.0, 6.0, 61)
    league = Population(learning, constant(inputs["D"]), edges, births)
    return {"p": league.density(floats(inputs["x"])).tolist(), "total": league.total()}


def relaxation(inputs: dict[str, Any]) -> dict[str, Any]:
    edges = np.arange(-20.0, 300.0, 4.0)  # 2 points a unit of time: nobody comes to the end
    births = normal(inputs["b"], 10.0, 3.0)
    league = Population(constant(2.0), constant(inputs["D"]), edges, births)
    return {"total": [league.total(time) for time in inputs["t"]]}


def ics_table(inputs: dict[str, Any]) -> dict[str, Any]:
    table = Histogram(floats(inputs["bins"]), floats(inputs["population"]))
    assert table.bins.tolist() == histograms.printed_population().bins.tolist()
    assert table.players.tolist() == histograms.printed_population().players.tolist()
    log_learning = np.log(table.learning).tolist()
    print_rows = histograms.PRINTED
    return {
        "L_over_D_bins": table.learning.tolist(),
        "log": log_learning,
        "printed_L_over_D": [row.learning for row in print_rows],
        "printed_log": [row.log_learning for row in print_rows],
        "mismatching_rows": [
            row.rating
            for row, value in zip(print_rows, log_learning, strict=True)
            if abs(row.log_learning - value) > 1e-4
        ],
    }


def ics_average(inputs: dict[str, Any]) -> dict[str, Any]:
    assert inputs["rows"] == "1200..2499"
    rows = histograms.printed_population().between(*histograms.FITTED)
    return {"average_L_over_D": rows.mean_learning, "population": float(rows.players.sum())}


def ics_tracking(inputs: dict[str, Any]) -> dict[str, Any]:
    columns = zip(inputs["bins"], inputs["population"], inputs["increase"], strict=True)
    gains = histograms.tracked_gains(tuple(histograms.Gain(*row) for row in columns))
    assert gains == histograms.tracked_gains()
    return {
        "total": gains.players,
        "mean": gains.mean,
        "lower68": gains.lower,
        "upper68": gains.higher,
    }


def ics_death_rate(inputs: dict[str, Any]) -> dict[str, Any]:
    gain, days = inputs["tracking_points"], inputs["days"]
    learning, width = inputs["average_L_over_D_bins"], inputs["bin_width"]
    right = death_rate(gain, days, learning, width)
    printed = death_rate(gain, days, learning, 1.0)
    return {
        "as_printed_D": printed * days,
        "as_printed_days": 1.0 / printed,
        "right_D_per_77_days": right * days,
        "right_days": 1.0 / right,
    }


def ics_learning_scale(inputs: dict[str, Any]) -> dict[str, Any]:
    rate = Exponential(1.0, LN10 / 400.0).rate(floats([0.0, 100.0]))
    return {"points_per_e": float(-100.0 / np.log(rate[1] / rate[0]))}


def generations(inputs: dict[str, Any]) -> dict[str, Any]:
    return generation(inputs["g"])._asdict()


FAMILIES = {
    "smith.eq60": eq60,
    "smith.eq60_scaled": eq60_scaled,
    "smith.development": development,
    "smith.fallible_as_printed": fallible_as_printed,
    "smith.fallible_exact": fallible_exact,
    "smith.steady_state_100": steady_state_100,
    "smith.relaxation": relaxation,
    "smith.ics_table": ics_table,
    "smith.ics_average": ics_average,
    "smith.ics_tracking": ics_tracking,
    "smith.ics_death_rate": ics_death_rate,
    "smith.ics_learning_scale": ics_learning_scale,
    "smith.generations": generations,
}
