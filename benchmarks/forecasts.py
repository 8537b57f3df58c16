"""How well does `prowess` forecast, as it is, beside other systems that are tuned?

    python benchmarks/forecasts.py [TABLE ...] [--write]    our other systems
    python benchmarks/forecasts.py [TABLE ...] --packages   other programs, too
    python benchmarks/forecasts.py [TABLE ...] --refitted   and those that fit all games again

The protocol is that of `prowess benchmark`: the first 20 % of the games only play, on those from 20
to 60 % all others are tuned, the last 40 % judge. First no forecast knows a result of its own week,
then it knows all earlier rows; other programs are judged in this second way alone, and searched for
at most `--seconds` each. Log losses are in nats a game; behind a score stands in brackets how far a
system is behind `prowess`, with its 95 % interval. Prints Markdown; `--write` puts it into
docs/peers.md.

`--refitted` takes the last 3,000 games of each table, before every 50th of which kickscore,
TrueSkill Through Time and Whole-History Rating fit all games again. Every system is then judged on
these games alone. Without a program's package its row says so: pip install "prowess[bench]" riix
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from peers import online, refitted
from peers.duels import Duels, OutOfTime, Races
from peers.protocol import UNTIL, WARM_UP, Outcomes, search
from stopwatch import machine, markdown

import prowess
from prowess.games.games import Games
from prowess.present.judged import describe_lags
from prowess.study.backtest import Backtest
from prowess.study.compare import ComparedSystem, compare
from prowess.study.judging import Protocol, backtest_selection, choose_week, run_protocol
from prowess.verbs.tables import take_selections

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PAGE, TABLES = ROOT / "docs" / "peers.md", "<!-- tables -->"
RECENT = 3_000  # games of each table that refitted programs are judged on
SCORES = {
    "log_loss": "log loss",
    "log_loss_3": "win, draw, loss",
    "brier": "Brier score",
    "accuracy": "accuracy",
    "log_loss_pairs": "log loss of pairs",
    "concordance": "concordance",
}
TRIES = 25  # settings of a program
PATIENCE = 20  # times the seconds of the search, for the forecasts of a whole table
COARSE = 4  # times as many games between two fits in the search
QUICK = {"games": 100, "seconds": 1.0, "tries": 2, "budget": 4}


class Source(NamedTuple):
    """A table of the examples: how `prowess` reads it, and what other systems take of that."""

    file: str
    options: Mapping[str, Any] = {}
    rich: Mapping[str, Any] = {}  # further options, for columns that only `prowess` uses
    names: str = ""  # of these columns


F1 = {
    "player": "driver",
    "place": "display_order",
    "contest": ("season", "round"),
    "exclude": {"position": ("DNS", "DNQ", "DNPQ", "DNP", "EX"), "shared_car": "true"},
}
SOURCES = {
    "international": Source("international_football_results.csv.gz"),
    "league": Source("league_football.csv.gz"),
    "engines": Source("tcec_engine_games.csv.gz", rich={"family": True}, names="families"),
    "votes": Source("llmfao_votes.csv.gz", {"side": "a"}),
    "lichess": Source("lichess_games_2012_12_31.csv.gz"),
    "bots": Source("axelrod_bot_rumble.csv.gz"),
    "races": Source("f1_race_results.csv.gz", F1, {"with_": "constructor"}, "constructors"),
}
OURS = ("elo", "glicko", "glicko2", "trueskill", "weng_lin", "map")
FEW = ("elo", "map")  # one that is tuned on every table, and one that refuses races


class Peer(NamedTuple):
    """A program: its package, its forecasts, where the search of its settings begins."""

    package: str
    forecast: Callable[..., Any]
    start: Mapping[str, float]
    fixed: Mapping[str, Any] = {}


OF_SIDES = ("ground", "side")  # settings of the side advantage
SIDES = {"beta": 1.0, "tau": 0.03, "ground": 0.3}
ONLINE = {
    "trueskill (package)": Peer("trueskill", online.trueskill, SIDES),
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
    "trueskill (package)": Peer("trueskill", online.trueskill_races, {"beta": 2.0, "tau": 0.05}),
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
        return Outcomes(table, table.score, side, np.arange(len(table), dtype=np.int64))
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
) -> Backtest:
    """Search the settings of a program, then judge it; raises OutOfTime, ImportError."""
    early = games.first(outcomes.cut)
    if isinstance(early, Duels):
        early = replace(early, refit=COARSE * early.refit)

    def run(of: Any, setting: Mapping[str, float]) -> Any:
        return np.hstack(peer.forecast(of, **peer.fixed, **setting)).astype(np.float64)

    of_sides = {} if outcomes.side.any() else {n: 1.0 for n in OF_SIDES if n in peer.start}
    start = {name: value for name, value in peer.start.items() if name not in of_sides}
    best = search(
        lambda setting, until: run(replace(early, until=until), {**setting, **of_sides}),
        start, outcomes, seconds, tries,
    )  # fmt: skip
    expected = run(
        replace(games, until=time.monotonic() + PATIENCE * seconds), {**best, **of_sides}
    )
    return replace(outcomes.calibrate(expected), name=name, params=best)


def judge_ours(
    source: Source, systems: Sequence[str], games: int | None, budget: int
) -> Iterator[tuple[str | None, list[Backtest], dict[str, str]]]:
    """The span of forecasts, the backtests, the refusals: by the week where there are weeks, then
    row by row. Systems are tuned once.
    """
    table = read_table(source, games, rich=False)
    rich = read_table(source, games, rich=True) if source.rich else table
    (default,), tuned = take_selections(["prowess"]), take_selections(list(systems))
    protocol = Protocol(default, tuned, WARM_UP, UNTIL, budget=budget)
    for span in dict.fromkeys((choose_week(table, protocol), None)):
        protocol = protocol._replace(frozen=span)
        found = run_protocol(table, protocol)
        tests = found.tests
        if source.rich:
            test = backtest_selection(rich, default, UNTIL, span)
            tests.append(replace(test, name=f"prowess with {source.names}", table=table))
        yield span, tests, found.refused
        tuned = [one._replace(label=one.system.name) for one in found.played[1:]]
        protocol = protocol._replace(tuned=tuned)


def judge_peers(
    table: Games, peers: Mapping[str, Peer], seconds: float, tries: int
) -> Iterator[Backtest | tuple[str, str]]:
    """The backtest of each program, or its name and the reason why there is none."""
    outcomes, plain = outcomes_of(table), games_of(table, outcomes_of(table))
    for name, peer in peers.items():
        try:
            yield judge_peer(name, peer, plain, outcomes, seconds, tries)
        except ImportError:
            yield name, f"{peer.package} is not installed"
        except OutOfTime:
            yield name, "no setting ended in time"
        except ArithmeticError as error:
            yield name, f"fails: {error}"


def write_table(name: str, span: str | None, tests: list[Backtest], left_out: Any) -> str:
    """A comparison as a Markdown table under a heading, below it what is won and lost."""
    found = compare(tests, reference="prowess")
    how = "row by row" if span is None else f"forecasts of {span} from its start"
    scores = [one for one in SCORES if one in found.origin.scores]
    head = ["system", *(SCORES[one] for one in scores), "settings"]
    rows = [[f"`{one.test.name}`", *write_row(one, scores)] for one in found]
    rivals = compare(
        [one for one in tests if not one.name.startswith("prowess with")], reference="prowess"
    )
    said = [*describe_lags(rivals), *(f"left out is {who}: {why}" for who, why in left_out.items())]
    return "\n".join(
        [
            f"### {name}: {found.count:,} forecasts, {how}\n",
            markdown(head, rows).strip(),
            "",
            *(f"- {text[0].upper()}{text[1:]}." for text in said),
        ]
    )


def write_row(one: ComparedSystem, scores: list[str]) -> list[str]:
    """The scores of a system with their distances, and the settings that were found."""
    cells = []
    for score in scores:
        value, lag = one.scores.get(score), one.lags.get(score)
        apart = "" if lag is None or not lag.high > lag.low else (
            f" ({lag.mean:+.4f} ± {lag.high - lag.mean:.4f})"
        )  # fmt: skip
        cells.append("" if value is None else f"{value:.4f}{apart}")
    return [*cells, words(one.test.params) if one.test.name in OURS else ""]


def words(setting: Mapping[str, Any]) -> str:
    """Settings in a cell."""
    return ", ".join(f"{name} {value:.3g}" for name, value in setting.items())


def make_tables(name: str, asked: argparse.Namespace) -> Iterator[str]:
    """The tables of a source, each as soon as it is there."""
    races = name == "races"
    if races and asked.refitted:
        return
    games, peers = RECENT if asked.refitted else None, RACING if races else ONLINE
    if asked.refitted or (asked.quick and not races):
        peers = peers | REFITTED
    limits = {"seconds": asked.seconds, "tries": TRIES, "budget": 1_000}
    if asked.quick:
        games = int(QUICK["games"]) // (4 if races else 1)
        limits = {one: QUICK[one] for one in limits}
    source = SOURCES[name]
    systems = FEW if asked.smallest else OURS
    for span, tests, refused in judge_ours(source, systems, games, limits.pop("budget")):
        if span is None and (asked.packages or asked.refitted):
            table = tests[0].table
            for one in judge_peers(table, peers, **limits):
                if isinstance(one, Backtest):
                    tests.append(one)
                else:
                    refused |= {one[0]: one[1]}
        yield write_table(name, span, tests, refused)
        if asked.smallest:
            return  # row by row is the same road


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table", nargs="*", help=f"of {', '.join(SOURCES)}; all if none is named")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    parser.add_argument("--packages", action="store_true", help="judge other programs, too")
    parser.add_argument("--refitted", action="store_true", help="and those that refit")
    parser.add_argument("--seconds", type=float, default=30.0, help="for a program's settings")
    parser.add_argument("--quick", action="store_true", help="few games, few settings")
    parser.add_argument("--smallest", action="store_true", help="only whether it runs")
    asked = parser.parse_args()
    if asked.smallest:
        asked.quick = asked.packages = True
        asked.table = ["lichess", "races"]
    if unknown := set(asked.table) - set(SOURCES):
        parser.error(f"choose tables of {', '.join(SOURCES)}, not {', '.join(sorted(unknown))}")
    about = [", ".join(f"{name} {value}" for name, value in machine().items())]
    if asked.packages or asked.refitted:
        packages = sorted({peer.package for peer in (ONLINE | REFITTED).values()})
        about.append("Programs: " + ", ".join(f"{name} {installed(name)}" for name in packages))
    print("\n".join(about), flush=True)
    tables = []
    for name in asked.table or SOURCES:
        for text in make_tables(name, asked):
            tables.append(text)
            print(f"\n{text}", flush=True)
    if asked.write:
        page = PAGE.read_text(encoding="utf-8").partition(TABLES)[0]
        PAGE.write_text("\n\n".join([page + TABLES, *tables]) + "\n", encoding="utf-8")


def installed(package: str) -> str:
    """The version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


if __name__ == "__main__":
    main()
