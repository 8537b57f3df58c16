"""How well does `prowess` forecast beside other programs and beside our other systems?

    python benchmarks/forecasts.py [TABLE ...] [--quick] [--seconds 30] [--refitted]

One protocol for all (benchmarks/peers/protocol.py): the first 20 % of the games only play, every
game is forecast from earlier ones, the last 40 % are judged. `prowess` is not tuned; the settings
of everybody else are searched on the games from 20 to 60 %, for at most `--seconds` a program, and
slope, side advantage and width of draws of their forecasts are fitted there. Log losses are in nats
a game (contests of many have Brier scores); beside them stands how far a system is behind
`prowess`, with its 95 % interval (paired, the scatter of blocks of consecutive games). Prints
Markdown.

`--refitted` takes the last 3,000 games of each table instead and adds programs that fit all games
again before every 50th: kickscore, TrueSkill Through Time, Whole-History Rating. Every system is
then judged on these games alone. Without a program's package its row says so:
pip install "prowess[bench]" riix
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from peers import online, refitted
from peers.duels import Duels, OutOfTime, Races
from peers.protocol import UNTIL, WARM_UP, Forecasts, Outcomes, judge, judge_calibrated, search
from stopwatch import machine, markdown

import prowess
from prowess.engine.system import Dynamic, Unratable
from prowess.games.games import Games
from prowess.study.backtest import NoForecast, backtest
from prowess.study.tuning.tune import tune
from prowess.systems.catalogue import find

EXAMPLES = Path(__file__).parent.parent / "examples"
RECENT = 3_000  # games of each table that refitted programs are judged on
SCORES = {"log_loss": "two-way", "log_loss_3": "three-way", "brier": "Brier score"}
TRIES = 25  # settings of a program
PATIENCE = 20  # times the seconds of the search, for the forecasts of a whole table
COARSE = 4  # times as many games between two fits in the search
QUICK = {"games": 100, "seconds": 1.0, "tries": 2, "budget": 4, "refits": 2}


class Source(NamedTuple):
    """A table of the examples: how `prowess` reads it, and what other systems take of that."""

    file: str
    options: Mapping[str, Any] = {}
    rich: Mapping[str, Any] = {}  # further options, for columns that only `prowess` uses
    without: str = ""  # what other systems do not see


F1 = {
    "player": "driver",
    "place": "display_order",
    "contest": ("season", "round"),
    "exclude": {"position": ("DNS", "DNQ", "DNPQ", "DNP", "EX"), "shared_car": "true"},
}
SOURCES = {
    "international": Source("international_football_results.csv.gz"),
    "league": Source("league_football.csv.gz"),
    "engines": Source("tcec_engine_games.csv.gz", rich={"family": True}, without="families"),
    "votes": Source("llmfao_votes.csv.gz", {"side": "a"}),
    "lichess": Source("lichess_games_2012_12_31.csv.gz"),
    "bots": Source("axelrod_bot_rumble.csv.gz"),
    "races": Source("f1_race_results.csv.gz", F1, {"with_": "constructor"}, "constructors"),
}
OVER: Mapping[str, Mapping[str, tuple[float, float]]] = {  # what is searched; else all that matters
    "trueskill": {
        "beta": (0.5, 400.0),
        "tau": (0.001, 10.0),
        "tau_per_day": (0.0001, 10.0),
        "advantage": (-10.0, 30.0),
    }
}
OURS = ("elo", "glicko", "glicko2", "trueskill", "weng_lin", "bradley_terry", "map")


class Peer(NamedTuple):
    """A program: its package, its forecasts, where the search of its settings begins."""

    package: str
    forecast: Callable[..., Any]
    start: Mapping[str, float]
    fixed: Mapping[str, Any] = {}


OF_SIDES = ("ground", "side")  # settings of the side advantage
SIDES = {"beta": 1.0, "tau": 0.03, "ground": 0.3}
ONLINE = {
    "trueskill": Peer("trueskill", online.trueskill, SIDES),
    "openskill, Plackett-Luce": Peer(
        "openskill", online.openskill, SIDES, {"model": "PlackettLuce"}
    ),
    "openskill, Thurstone-Mosteller": Peer(
        "openskill", online.openskill, SIDES, {"model": "ThurstoneMostellerFull"}
    ),
    "riix, Glicko": Peer(
        "riix", online.riix_glicko, {"deviation": 150.0, "drift": 2.0, "side": 50.0}
    ),
    "riix, Kalman filter": Peer(
        "riix", online.riix_kalman, {"variance": 0.2, "drift": 1e-4, "side": 0.15}
    ),
    "riix, Yuksel 2024": Peer(
        "riix", online.riix_yuksel, {"step": 100.0, "alpha": 2.0, "side": 50.0}
    ),
}
REFITTED = {
    "kickscore": Peer(
        "kickscore", refitted.kickscore,
        {"level": 0.5, "form": 0.2, "days": 500.0, "ground": 0.1},
    ),
    "TrueSkill Through Time": Peer(
        "trueskillthroughtime", refitted.through_time,
        {"beta": 2.0, "drift": 0.015, "ground": 0.3},
    ),
    "Whole-History Rating": Peer(
        "whole-history-rating", refitted.whole_history, {"drift": 20.0, "prior": 1.0}
    ),
}  # fmt: skip
RACING = {
    "trueskill": Peer("trueskill", online.trueskill_races, {"beta": 2.0, "tau": 0.05}),
    **{
        f"openskill, {words}": Peer(
            "openskill", online.openskill_races, {"beta": 2.0, "tau": 0.05}, {"model": model}
        )
        for words, model in (
            ("Plackett-Luce", "PlackettLuce"),
            ("Bradley-Terry", "BradleyTerryFull"),
            ("Thurstone-Mosteller", "ThurstoneMostellerFull"),
        )
    },
}


def read_table(source: Source, games: int | None, *, rich: bool) -> Games:
    """A table of the examples, or its last games."""
    options = {**source.options, **(source.rich if rich else {})}
    table = prowess.read_games(EXAMPLES / source.file, warn=False, **options)
    return table if games is None else table.select(slice(max(0, len(table) - games), None))


def outcomes_of(table: Games) -> Outcomes:
    """What is forecast of a table."""
    if table.pairwise:
        side = np.zeros(len(table)) if table.side is None else table.side
        return Outcomes(table, table.score, side, np.arange(len(table)))
    return Outcomes(table, table.outcome, np.zeros(len(table.place)), table.contest_of_side)


def games_of(table: Games, outcomes: Outcomes) -> Duels | Races:
    """The table as other programs get it, its players numbered from 0."""
    known, number = np.unique(table.player, return_inverse=True)
    time_of = np.zeros(len(table)) if table.time is None else table.time - table.time[0]
    days = time_of.astype(np.int64).astype(float).tolist()
    if not table.pairwise:
        sides = np.split(number, table.start[1:-1]), np.split(table.place, table.start[1:-1])
        who, place = ([one.tolist() for one in column] for column in sides)
        return Races(len(known), who, place, days)
    early = outcomes.score[: round(WARM_UP * len(table))]
    draws = float((early == 0.5).mean()) if outcomes.draws else 0.0
    of_sides = number.reshape(-1, 2)
    return Duels(
        players=len(known),
        a=of_sides[:, 0].tolist(),
        b=of_sides[:, 1].tolist(),
        score=np.where(table.score > 0.5, 1.0, np.where(table.score < 0.5, 0.0, 0.5)).tolist(),
        day=days,
        side=outcomes.side.tolist(),
        draws=max(draws, 0.01) if outcomes.draws else 0.0,
    )


def judge_peer(
    name: str, peer: Peer, games: Duels | Races, outcomes: Outcomes, seconds: float, tries: int
) -> Forecasts:
    """Search the settings of a program, then judge it; raises OutOfTime, ImportError."""
    early = games.first(outcomes.cut)
    if isinstance(early, Duels):
        early = replace(early, refit=COARSE * early.refit)

    def run(of: Any, setting: Mapping[str, float]) -> Any:
        return np.hstack(peer.forecast(of, **peer.fixed, **setting)).astype(np.float64)

    begun = time.monotonic()
    of_sides = {} if outcomes.side.any() else {n: 1.0 for n in OF_SIDES if n in peer.start}
    start = {name: value for name, value in peer.start.items() if name not in of_sides}
    best = search(
        lambda setting, until: run(replace(early, until=until), {**setting, **of_sides}),
        start, outcomes, seconds, tries,
    )  # fmt: skip
    expected = run(
        replace(games, until=time.monotonic() + PATIENCE * seconds), {**best, **of_sides}
    )
    return judge_calibrated(name, words(best), outcomes, expected, time.monotonic() - begun)


def judge_ours(name: str, table: Games, outcomes: Outcomes, budget: int, refits: int) -> Forecasts:
    """Search the parameters of one of our systems, then judge it."""
    system = find(name)
    begun = time.monotonic()
    if not isinstance(system, Dynamic):
        expected = backtest(table, system, refits=refits).expected
        return judge_calibrated(
            f"`{name}`", f"fitted {refits} times", outcomes, expected, time.monotonic() - begun
        )
    period = "1mo" if system.rounds == "period" and table.time is not None else None
    over = OVER.get(name)
    if over and table.time is None:
        over = {one: bounds for one, bounds in over.items() if one != "tau_per_day"}
    found = tune(table, system, over=over, until=UNTIL, period=period, budget=budget)
    params = {one.name: one.value for one in found.parameters}
    expected = backtest(table, system, period=period, params=params).expected
    setting = words(params) + (f", a round a {period}" if period else "")
    return judge_calibrated(f"`{name}`", setting, outcomes, expected, time.monotonic() - begun)


def judge_prowess(name: str, table: Games, outcomes: Outcomes) -> Forecasts:
    """Judge `prowess` as it is."""
    begun = time.monotonic()
    test = backtest(table, find("prowess"))
    return judge(name, outcomes, test.expected, test.draw, time.monotonic() - begun)


def words(setting: Mapping[str, Any]) -> str:
    """Settings in a cell."""
    return ", ".join(f"{name} {value:.3g}" for name, value in setting.items())


def judge_everybody(
    source: Source, games: int | None, peers: Mapping[str, Peer], limits: Mapping[str, Any]
) -> Iterator[Forecasts | tuple[str, str]]:
    """The forecasts of all systems, `prowess` first; without one its name and the reason."""
    table, rich = (read_table(source, games, rich=rich) for rich in (False, True))
    outcomes = outcomes_of(table)
    yield judge_prowess("`prowess`", rich, outcomes)
    if source.rich:
        yield judge_prowess(f"`prowess` without {source.without}", table, outcomes)
    for name in OURS:
        try:
            yield judge_ours(name, table, outcomes, limits["budget"], limits["refits"])
        except (Unratable, NoForecast) as reason:
            yield f"`{name}`", str(reason).partition(": ")[0]
    plain = games_of(table, outcomes)
    for name, peer in peers.items():
        try:
            yield judge_peer(name, peer, plain, outcomes, limits["seconds"], limits["tries"])
        except ImportError:
            yield name, f"{peer.package} is not installed"
        except OutOfTime:
            yield name, "no setting ended in time"
        except ArithmeticError as error:
            yield name, f"fails: {error}"


def print_table(name: str, source: Source, games: int | None, found: Iterator[Any]) -> None:
    """One table of results, in Markdown, each system as soon as it is judged."""
    first = next(found)
    print(f"\n### {name}: {source.file}{'' if games is None else f', the last {games:,} games'}\n")
    played = len(next(iter(first.tests.values())).table)
    print(f"{played - ceil(UNTIL * played):,} judged games\n")
    head = ["system", *(cell for by in first.tests for cell in (SCORES[by], "behind"))]
    print(markdown([*head, "s", "settings"], []).strip(), flush=True)
    print_row(first, first)
    for one in found:
        print_row(one, first)


def print_row(one: Forecasts | tuple[str, str], first: Forecasts) -> None:
    """A row of a table."""
    if isinstance(one, tuple):
        print(f"| {one[0]} |{' |' * (1 + 2 * len(first.tests))} {one[1]} |", flush=True)
        return
    cells = [one.name]
    for by in first.tests:
        cells.append(f"{one.tests[by].scores[by]:.4f}")
        cells.append("" if one is first else "{:+.4f} +- {:.4f}".format(*one.behind(first, by)))
    print(f"| {' | '.join([*cells, f'{one.seconds:.0f}', one.setting])} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table", nargs="*", help=f"of {', '.join(SOURCES)}; all if none is named")
    parser.add_argument("--quick", action="store_true", help="few games, few settings")
    parser.add_argument("--smallest", action="store_true", help="only whether it runs")
    parser.add_argument("--seconds", type=float, default=30.0, help="for a program's settings")
    parser.add_argument(
        "--refitted", action="store_true", help="the last games, programs that refit"
    )
    asked = parser.parse_args()
    if asked.smallest:
        asked.quick, asked.table = True, ["lichess", "races"]
    if unknown := set(asked.table) - set(SOURCES):
        parser.error(f"choose tables of {', '.join(SOURCES)}, not {', '.join(sorted(unknown))}")
    limits = {"seconds": asked.seconds, "tries": TRIES, "budget": 1_000, "refits": 40}
    limits = {**limits, **QUICK} if asked.quick else limits
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    packages = sorted({peer.package for peer in (ONLINE | REFITTED).values()})
    print("Programs: " + ", ".join(f"{name} {installed(name)}" for name in packages))
    for name in asked.table or SOURCES:
        races = name == "races"
        if races and asked.refitted:
            continue
        peers = RACING if races else ONLINE | (REFITTED if asked.refitted or asked.quick else {})
        games = RECENT if asked.refitted else None
        if asked.quick:
            games = QUICK["games"] // (4 if races else 1)
        source = SOURCES[name]
        print_table(name, source, games, judge_everybody(source, games, peers, limits))


def installed(package: str) -> str:
    """The version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


if __name__ == "__main__":
    main()
