"""The options of all verbs that rate a table, and the ratings made with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from prowess.cli.completion import complete_anchors, complete_players
from prowess.cli.options import NO_VALUES, Option
from prowess.cli.output import make_progress_meter, print_note, print_notes
from prowess.cli.reading import ReadingOptions, read_shards_or_table, split_csv
from prowess.cli.selection import (
    NO_WORKERS,
    Bank,
    Period,
    RatedSystem,
    Settings,
    WorkerOptions,
    find_system,
)
from prowess.verbs.tables import check_settings, keep_facts_apart, name_columns

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.engine.fit import WholeTableRatings
    from prowess.engine.inflation import Rule
    from prowess.engine.ratings import Ratings

GAMES_OF_SLOW_BANK = (
    2_000  # games; with a bank of settings and no compiler more take over 5 seconds
)


def parse_day(value: str) -> float:
    """A date as the end of that day, in days since 1970; raises BadParameter."""
    from prowess.games.dates import end_of_day

    try:
        return end_of_day(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def parse_first_day(value: str) -> float:
    """A date as the beginning of that day, a date with a time as that moment."""
    end = parse_day(value)
    return float(end // 1) if len(value.strip()) <= len("2024-06-30") else end


def parse_frozen(value: str) -> str | None:
    """A span; None for `none`."""
    return None if value == "none" else value


def check_probability(value: float) -> float:
    """A number between 0 and 1; percents are refused."""
    if not 1e-6 <= value <= 1.0 - 1e-6:
        raise click.BadParameter(f"give a probability between 0 and 1, such as 0.95, not {value:g}")
    return value


def parse_anchors(values: Sequence[str]) -> dict[str, float]:
    """`NAME=RATING` pairs, or CSV files with the columns player and rating."""
    anchors: dict[str, float] = {}
    for text in values:
        name, sign, value = text.rpartition("=")
        if not sign:
            from prowess.games.formats.small_files import read_anchors
            from prowess.games.formats.sources import find_format

            if find_format(text) == "csv":
                anchors |= read_anchors(text)
                continue
        if not sign or not name:
            raise click.BadParameter(
                f"write NAME=RATING, or name a CSV file with player and rating, not {text!r}"
            )
        if name.strip() in anchors:
            raise click.BadParameter(f"give {name.strip()!r} one rating, not two")
        try:
            rating = float(value)
        except ValueError:
            rating = nan
        if not isfinite(rating):
            raise click.BadParameter(f"write a number behind =, not {value!r} (in {text!r})")
        anchors[name.strip()] = rating
    return anchors


Day = Annotated[float | None, Option(metavar="DATE", type=str, parse=parse_day)]
Count = Annotated[int | None, Option(metavar="N", type=click.IntRange(min=1))]
AtLeastOne = Annotated[int, click.IntRange(min=1)]
PlayerName = Annotated[str | None, Option(metavar="NAME", complete=complete_players)]
Level = Annotated[float, Option("Probability of the intervals.", parse=check_probability)]
Seed = Annotated[int, click.IntRange(min=0)]
WarmUp = Annotated[float, click.FloatRange(0.0, 1.0, max_open=True)]
Metric = Annotated[
    Literal[
        "log_loss", "brier", "accuracy", "log_loss_3", "brier_3", "ranked_probability",
        "log_loss_pairs", "log_loss_winner", "log_loss_order",
    ]
    | None,
    Option("The score that decides; default: log_loss, of contests brier.", "SCORE"),
]  # fmt: skip


class RatingOptions(NamedTuple):
    """How a table is read and rated."""

    reading: ReadingOptions
    system: RatedSystem = None
    params: Settings = NO_VALUES
    bank: Bank = NO_VALUES
    period: Annotated[
        Period, "Rate the games of a period together: 12h, 7d, 2w, 1mo, 1y, or round."
    ] = None
    continued: Annotated[
        str | None,
        Option(metavar="STATE", type=click.Path(), names=("--continue",)),
        "Go on from ratings that --save-state wrote; FILE... has the further games, if any.",
    ] = None
    as_of: Annotated[Day, "Leave out all games after that day."] = None
    start: Annotated[
        str | None,
        Option("Ratings to begin with: player, rating, deviation, ...", "CSV", click.Path()),
    ] = None
    anchors: Annotated[
        Mapping[str, float],
        Option(
            metavar="NAME=RATING",
            names=("--anchor",),
            multiple=True,
            parse=parse_anchors,
            complete=complete_anchors,
        ),
        "A player whose rating is known and stays (whole-table systems).",
    ] = NO_VALUES
    level: Annotated[Level, "Probability of the intervals (whole-table systems)."] = 0.95
    reference: Annotated[
        str | None,
        Option(metavar="NAME", complete=complete_players),
        "Measure uncertainty relative to this player, or to the mean of all (mean).",
    ] = None
    bootstrap: Annotated[
        int | None,
        Option("Intervals from N resamplings of the results.", "N", click.IntRange(min=2)),
    ] = None
    blocks: Annotated[
        str | None,
        Option("Resample the values of this column, such as voters, in place of games.", "COLUMN"),
    ] = None
    clusters: Annotated[
        Any,
        Option(
            "Errors that allow for games with one value of these columns, such as voters.",
            "COLUMN[,COLUMN]",
            parse=split_csv,
        ),
    ] = None
    seed: Annotated[Seed, "Of the resampling."] = 0
    workers: WorkerOptions = NO_WORKERS
    departed_after: Annotated[
        str | None,
        Option(metavar="SPAN"),
        "Players idle this long (1y, 6mo) count as departed: the points they gained are shared "
        "among the rest.",
    ] = None
    departures: Annotated[
        str | None, Option("Departures of players: player, date.", "CSV", click.Path())
    ] = None
    newcomers_mean: Annotated[
        float | None, Option("Shift the newcomers of every month to this mean.", "RATING")
    ] = None
    rules_every: Annotated[
        str, Option("How often the rules for departures and newcomers apply.", "SPAN")
    ] = "1mo"

    def refuse_all_but(self, allowed: Collection[str], remedy: str) -> None:
        """Raise UsageError for an option that is given and not among the fields allowed."""
        flags = {"params": "set", "anchors": "anchor", "continued": "continue"}
        for name, default in self._field_defaults.items():
            if name not in allowed and getattr(self, name) != default:
                flag = flags.get(name, name).replace("_", "-")
                raise click.UsageError(f"leave --{flag} out{remedy}")


def rate_table(
    options: RatingOptions,
    forecasts: bool = False,
    frozen: str | None = None,
    checkpoints: Mapping[str, Any] = NO_VALUES,
) -> Ratings:
    """Read and rate as the options say, and print what was assumed on stderr.

    `checkpoints` are the options of them, for a folder of shards.
    """
    from prowess.compile import kernel
    from prowess.engine.periods import BadRounds
    from prowess.engine.streams.file_sources import StreamOptions
    from prowess.engine.system import Dynamic
    from prowess.verbs.rating import rate_games

    if options.continued is not None:
        from prowess.cli.streaming import continue_ratings

        refuse_beside_state(options, options.continued)
        return continue_ratings(options.reading, options.continued)
    period = options.period
    rules = read_rules(options)
    system, params = choose_system(options)
    check_choice(options, system, params)
    reading = options.reading
    grouped = {"clusters": options.clusters, "blocks": options.blocks}
    kept = [*(options.clusters or []), *([options.blocks] if options.blocks else [])]
    if kept:
        reading = reading._replace(given=keep_facts_apart(reading.given, kept))
    with name_columns(**grouped):
        table = read_shards_or_table(reading)
    find_system(options.system, quiet=False)  # says which one it is
    start = read_starting_values(options.start, table.players, system) if options.start else None
    bank = getattr(system, "bank", None)
    if bank and len(table) > GAMES_OF_SLOW_BANK and not kernel.available():
        print_note("note: this takes minutes without a compiler: pip install 'prowess[fast]'")
    own = options.workers == NO_WORKERS or bool(options.bootstrap)  # else resamplings are shared
    cluster = None if own else options.workers.choice
    try:
        ratings = rate_games(
            table, system, cluster, StreamOptions(**checkpoints), {}, period=period,
            as_of=options.as_of, start=start, rules=rules, forecasts=forecasts, frozen=frozen,
            anchors=dict(options.anchors) or None, level=options.level, compiled=None,
            reference=options.reference, params=params, progress=make_progress_meter() or None,
        )  # fmt: skip
    except BadRounds as error:
        by_game = isinstance(system, Dynamic) and system.rounds == "game"
        if period is None or not table.pairwise or by_game:
            raise click.UsageError(str(error)) from None
        raise
    if options.bootstrap:
        ratings = resample(ratings, options)
    if options.clusters:
        ratings = whole_table(ratings).cluster_errors(options.clusters)
    print_notes(ratings.notes)
    return ratings


def choose_system(options: RatingOptions, quiet: bool = True) -> tuple[System, dict[str, Any]]:
    """The system and its settings, those of a bank with all their values.

    Raises UsageError for a setting that is in both, BadSetting, BadPeriod.
    """
    for name in options.bank:
        if name in options.params:
            raise click.UsageError(f"give {name} by --set or by --bank, not by both")
    system, params = find_system(options.system, quiet), {**options.params, **options.bank}
    check_settings(system, params, options.period, options.bank)
    return system, params


def check_choice(options: RatingOptions, system: System, params: Mapping[str, Any]) -> None:
    """Refuse wrong settings, and work that cannot be shared, before a long file is read."""
    from prowess.engine.whole_table import WholeTable
    from prowess.verbs.streaming import check_sharing

    if options.blocks is not None and not options.bootstrap:
        raise click.UsageError("give --bootstrap N beside --blocks: it says what is resampled")
    if options.clusters and options.bootstrap:
        raise click.UsageError("leave --clusters or --bootstrap out: --blocks resamples clusters")
    if isinstance(system, WholeTable):
        return
    for flag in ("bootstrap", "clusters"):
        if getattr(options, flag):
            raise click.UsageError(
                f"give --{flag} with a whole-table system such as bradley_terry: "
                f"{system.name} rates game by game"
            )
    if options.workers != NO_WORKERS:
        check_sharing(system, params, options.period)


@dataclass
class RatedSource:
    """Ratings that a verb of the library makes once it has checked its other arguments."""

    options: RatingOptions
    ratings: Ratings = field(init=False)

    @property
    def name(self) -> str:
        """The first file, or the saved state where there are none."""
        return (*self.options.reading.files, self.options.continued or "")[0]

    def rate_with_forecasts(self) -> Ratings:
        """The ratings, with forecasts where the system makes them as it rates."""
        from prowess.engine.periods import SPAN_BY_TABLE
        from prowess.engine.whole_table import WholeTable

        name = self.options.system
        at_once = name is not None and isinstance(find_system(name), WholeTable)
        forecasts = not at_once and self.options.continued is None
        frozen = SPAN_BY_TABLE if forecasts else None
        self.ratings = rate_table(self.options, forecasts, frozen)
        return self.ratings


def refuse_beside_state(options: RatingOptions, state: str) -> None:
    """Raise UsageError for what a saved state says: system, settings, period, starting values."""
    options.refuse_all_but(
        ("continued", "level", "seed", "workers"), f": --continue rates on as {state} says"
    )


def resample(ratings: Ratings, options: RatingOptions) -> Ratings:
    """The ratings with intervals from as many resamplings as the options ask for."""
    assert options.bootstrap is not None
    whole = whole_table(ratings)
    return whole.bootstrap(
        options.bootstrap, options.seed, blocks=options.blocks, cluster=options.workers.choice
    )


def whole_table(ratings: Ratings) -> WholeTableRatings:
    """The same ratings, which `check_choice` has made sure are of a whole table."""
    from prowess.engine.fit import WholeTableRatings

    assert isinstance(ratings, WholeTableRatings)
    return ratings


def read_rules(options: RatingOptions) -> list[Rule]:
    """The rules against inflation that the options ask for."""
    from prowess.engine.inflation import NewcomersMean, Redistribution
    from prowess.engine.periods import parse_period
    from prowess.games.formats.small_files import read_departures

    every = options.rules_every
    for span in (every, options.departed_after):
        if span is not None:
            parse_period(span)
    rules: list[Rule] = []
    if options.newcomers_mean is not None:
        rules.append(NewcomersMean(options.newcomers_mean, every))
    if options.departed_after or options.departures:
        departures = read_departures(options.departures) if options.departures else ()
        rules.append(Redistribution(options.departed_after, every, departures))
    return rules


def read_starting_values(
    file: str, players: Sequence[str] | None, system: System
) -> dict[str, dict[str, float]]:
    """Starting values by name from a CSV file; notes on it are printed on stderr."""
    from prowess.engine.fit import refuse_priors
    from prowess.engine.state import displayed_fields
    from prowess.engine.whole_table import WholeTable
    from prowess.games.formats.small_files import read_start

    fields: Sequence[str] = ("rating", "deviation")  # a prior
    inner: set[str] = set()
    if isinstance(system, WholeTable):
        refuse_priors(system)
    else:
        fields, inner = displayed_fields(system), set(system.inner)
    start = read_start(file, players, system.name, fields, inner)
    for note in start.notes:
        print_note(note)
    return start.values
