"""`prowess compare`, `stack`, `tune` and `table`: systems judged on the same games; `sprt`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from prowess.cli.exits import BAD_DATA, INTERRUPTED
from prowess.cli.options import Option, OptionsOf, verb
from prowess.cli.output import (
    AnswerOptions,
    check_suffix,
    format_csv,
    make_progress_meter,
    note_left_out,
    print_note,
    print_notes,
    write_file,
)
from prowess.cli.rating import (
    AtLeastOne,
    Count,
    Day,
    Level,
    Metric,
    PlayerName,
    Seed,
    WarmUp,
    parse_frozen,
)
from prowess.cli.reading import FileSource, ReadingOptions, read_table, split_csv
from prowess.cli.selection import Period, RatedSystem, Settings, Systems, WorkerOptions
from prowess.cli.verbs.forecast import Side
from prowess.games.reading import format_count
from prowess.verbs.judge import (
    compare,
    plan_sprt,
    rank_side_by_side,
    sprt,
    stack_trials,
    tune,
)

if TYPE_CHECKING:
    from prowess.present.judged import Parts

STACK_MEMBERS = "prowess,elo:k=8,elo,elo:k=64,glicko,glicko2@1mo,trueskill,weng_lin"  # of a stack
# The ten rankings of the bot rumble ("Darkcanuck/RRServer/Ratings", RoboWiki).
PRESETS = {
    "rumble": "aps,pl,rumble_elo,rumble_glicko,rumble_glicko2,batch_elo,schulze,ranked_pairs,"
    "borda,borda_tally",
    "tables": "points,massey,colley,keener,pagerank",
}
LISTED_SYSTEMS = "NAME[:SETTING=VALUE,...][@PERIOD], separated by commas"
Ranges = dict[str, tuple[float, float] | None]
Keywords = dict[str, Any]


def parse_forecasts(values: tuple[str, ...]) -> list[list[str]]:
    """`COLUMN` or `COLUMN,COLUMN,...` each time the option is given; quotes keep a comma."""
    return [split_csv(value) for value in values]


Forecasts = Annotated[
    Any, Option(metavar="COLUMN[,COLUMN...]", multiple=True, parse=parse_forecasts)
]


def check_csv(name: str) -> str:
    """The name of a CSV file to write; raises BadParameter."""
    return check_suffix(name, (".csv",))


COMPARE_OPTIONS = OptionsOf(
    compare,
    systems=(Systems, f"{LISTED_SYSTEMS}; k=8/16/32 is a bank. Default: all that apply."),
    metric=Metric,
    warm_up=(
        WarmUp,
        "Share of the games, the first ones, that are played and not judged [0.2 with dates].",
    ),
    folds=Option(
        "Cross-validate: forecast each of so many parts of the rows from all others [10 without "
        "dates].",
        type=click.IntRange(min=2),
    ),
    by_column=Option("Keep rows with one value of this column, a voter, in one fold.", "COLUMN"),
    frozen=Option(
        "Forecast from the ratings as they stood at the start of each 1d, 7d, 1mo, or value of a "
        "column; auto: of each day whose order is not known; none.",
        "SPAN",
        parse=parse_frozen,
    ),
    level=Level,
)
COMPARE_FURTHER = OptionsOf(
    compare,
    seed=(Seed, "Of the folds."),
    cluster=WorkerOptions,
)
COMPARE_EXAMPLES = """\b
prowess compare games.csv
prowess compare games.csv --systems elo,elo:k=20,advantage=80,glicko2@1mo,bradley_terry
prowess compare games.csv --systems elo,glicko2 --odds B365H,B365D,B365A --forecast our_chance
prowess compare votes.csv --folds 10 --by-column voter
"""


@verb("compare", epilog=COMPARE_EXAMPLES)
def compare_verb(
    reading: ReadingOptions,
    *,
    asked: Annotated[Keywords, COMPARE_OPTIONS],
    calibration: Annotated[
        bool, "Also the calibration of each system: how often forecasts of 70 % come true."
    ] = False,
    split: Annotated[
        Literal["year", "experience", "gap"] | None,
        "Also the scores by year, by games played before, or by expected score.",
    ] = None,
    forecast: Annotated[
        Forecasts,
        "Judge this forecast too: a column with the chance of the first side (0 to 1, or "
        "percent), or EXPECTED,DRAW, or WIN,DRAW,LOSS.",
    ] = (),
    odds: Annotated[
        Forecasts, "Judge these decimal odds too: WIN,DRAW,LOSS, or WIN,LOSS without draws."
    ] = (),
    save_forecasts: Annotated[
        str | None,
        Option(metavar="FILE", type=click.Path(), parse=check_csv),
        "Write every judged game with all forecasts to this CSV file.",
    ] = None,
    further: Annotated[Keywords, COMPARE_FURTHER],
    answer: AnswerOptions,
) -> int:
    """Judge systems by their forecasts of the games of FILE..., made only from earlier games.

    Intervals are about other games of the same players. Forecasts of others and bookmakers' odds
    (--forecast, --odds) are judged on the same games. Ctrl-C shows what is judged so far.
    """
    from prowess.present import judged

    source, given = FileSource(reading), label_forecasts(forecast, odds)
    meter = make_progress_meter()
    comparison = compare(source, **asked, **further, progress=meter, **reading.given, **given)
    note_left_out(comparison.refused)
    print_notes(comparison.notes)
    if save_forecasts:
        from prowess.study.judging import forecast_rows

        tests = [one.test for one in comparison]
        write_file(save_forecasts, format_csv(forecast_rows(tests)))
        counts = format_count(comparison.count, "forecast"), format_count(len(tests), "system")
        print_note(f"{save_forecasts}: {' of '.join(counts)}")

    def render() -> Parts:
        parts = judged.comparison_tables(comparison)
        if split:
            parts.append(judged.split_table(comparison, split))
        if calibration:
            parts += [part for one in comparison for part in judged.calibration_parts(one.test)]
        return parts

    seconds = ", ".join(f"{one.test.name} {one.test.seconds:.2f}" for one in comparison)
    beside = {"seed": further["seed"], "left_out": dict(comparison.refused)}
    notes = (judged.describe_comparison(comparison), f"seconds: {seconds}")

    def data() -> Keywords:
        return judged.comparison_data(comparison, calibration, split) | beside

    answer.give(data, lambda: comparison, render, source.table.reading, notes=notes)
    return INTERRUPTED if comparison.interrupted else 0


def label_forecasts(forecast: Sequence[Any], odds: Sequence[Any]) -> dict[str, Any]:
    """The columns of --forecast and --odds by label, as `read_games` takes them."""
    from prowess.games.formats.reader_options import label_columns

    given: dict[str, Any] = {"forecast": {}, "odds": {}}
    seen: set[str] = set()
    for option, chosen in (("forecast", forecast), ("odds", odds)):
        for columns in chosen:
            label = label_columns("odds" if option == "odds" else "chance", columns)
            if label in seen:
                raise click.UsageError(f"name the forecast of {label!r} once")
            seen.add(label)
            given[option][label] = tuple(columns)
    return {name: some for name, some in given.items() if some}


STACK_EXAMPLES = """\b
prowess stack games.csv
prowess stack games.csv --systems elo,glicko2@1mo,trueskill --save-forecasts mixed.csv
prowess stack games.csv --game "Ada Lovelace" "Alan Turing" --side a
"""


@verb("stack", epilog=STACK_EXAMPLES)
def stack_verb(
    reading: ReadingOptions,
    *,
    systems: Annotated[
        Systems,
        f"The members: {LISTED_SYSTEMS}. Default: {STACK_MEMBERS}; glicko2 without a period in "
        "contests and without dates.",
    ] = None,
    forecast: Annotated[
        Forecasts,
        "A member too: a column with the chance of the first side, or EXPECTED,DRAW, or "
        "WIN,DRAW,LOSS.",
    ] = (),
    odds: Annotated[
        Forecasts, "A member too: decimal odds WIN,DRAW,LOSS, or WIN,LOSS without draws."
    ] = (),
    game: Annotated[
        tuple[str, str] | None, Option("Forecast a further game between two players.", "A B")
    ] = None,
    side: Side = "none",
    save_forecasts: Annotated[
        str | None, Option("Write the forecasts of all games to this file.", "CSV", parse=check_csv)
    ] = None,
    metric: Metric = None,
    warm_up: Annotated[
        WarmUp, "Share of the games, the first ones, that are learnt from and not judged."
    ] = 0.2,
    level: Level = 0.95,
    workers: WorkerOptions,
    answer: AnswerOptions,
) -> int:
    """Mix the forecasts of several systems, with weights learnt game by game from earlier games.

    The mixture is judged beside its members on the same games of FILE..., and forecasts a further
    game with --game.
    """
    from dataclasses import replace

    from prowess.cli.verbs.forecast import SIDES, check_two
    from prowess.games.errors import escape_unprintable
    from prowess.present import judged
    from prowess.present.forecasts import format_game
    from prowess.study.compare import compare as compare_tests
    from prowess.study.lineups import members_of
    from prowess.study.stack import forecast_by_members, forecast_rows
    from prowess.verbs.tables import parse_selections

    if game is None and side != "none":
        raise click.UsageError("add --game A B: --side is of that game")
    if game is not None:
        check_two(game[0] == game[1], game[0])
        if answer.as_csv:
            raise click.UsageError("choose --game or --csv: --json has both")
        if forecast or odds:
            raise click.UsageError("leave --game out: columns have no forecast of a further game")
    chosen = None if systems is None else parse_selections(systems, beside=("base_rate",))
    if chosen == []:
        raise click.UsageError("name a system in --systems: the base rate takes part anyway")
    given = label_forecasts(forecast, odds)
    table = read_table(reading, **given)
    if game is not None and not table.pairwise:
        raise click.UsageError("leave --game out: these are contests of many sides")
    for name in game or ():
        members_of(table.players, name)
    monthly = table.pairwise and table.time is not None
    selected = chosen or parse_selections(
        STACK_MEMBERS if monthly else STACK_MEMBERS.replace("@1mo", "")
    )
    labels = [label for one in given.values() for label in one]
    found, stacked = stack_trials(
        table, selected, labels, warm_up, workers.choice, make_progress_meter()
    )
    note_left_out(found.refused)
    tests = [*found.tests, stacked.test]
    if metric in stacked.test.losses:
        for test in found.tests:
            if metric not in test.losses:
                tests.remove(test)
                print_note(f"left out of the comparison: {test.name} has no {metric}")
    comparison = compare_tests(tests, metric=metric, level=level)
    comparison = replace(comparison, notes=(*found.notes, *comparison.notes))
    print_notes(comparison.notes)
    if save_forecasts is not None:
        write_file(save_forecasts, format_csv(forecast_rows(stacked)))
    parts = [*judged.comparison_tables(comparison), judged.weights_part(stacked)]
    data = judged.comparison_data(comparison) | judged.stack_data(stacked)
    if game is not None:
        by_member = forecast_by_members(table, found.played, *game, SIDES[side])
        further = judged.chances_by_outcome(stacked.forecast(by_member, SIDES[side]))
        data["forecast"] = {"a": game[0], "b": game[1], **further, "side": side}
        a, b = map(escape_unprintable, game)
        parts.append("\n".join(format_game(a, b, side, further)))
    data["left_out"] = found.refused
    notes = [judged.describe_comparison(comparison)]
    answer.give(lambda: data, lambda: comparison, lambda: parts, table.reading, notes=notes)
    return INTERRUPTED if found.interrupted else 0


def parse_ranges(value: str) -> Ranges:
    """`NAME,NAME=LOW:HIGH` as the range of each, None for the declared one."""
    found: Ranges = {}
    for text in filter(None, (part.strip() for part in value.split(","))):
        name, sign, given = text.partition("=")
        low, colon, high = given.partition(":")
        try:
            found[name.strip()] = (float(low), float(high)) if sign else None
        except ValueError:
            colon = ""
        if sign and not colon:
            raise click.BadParameter(f"write NAME=LOW:HIGH, as in k=5:100, not {text!r}")
    if not found:
        raise click.BadParameter("name at least one parameter")
    return found


TUNE_OPTIONS = OptionsOf(
    tune,
    over=Option(
        "NAME or NAME=LOW:HIGH, separated by commas. Default: all that matter.",
        "LIST",
        parse=parse_ranges,
    ),
    params=(Settings, "A value that stays; of a parameter in --over, where to begin."),
    period=Period,
    metric=Option("The score to minimise: log_loss (default), brier, ...", "SCORE"),
    warm_up=(WarmUp, "Share of the games, the first ones, that are only played."),
    until=Option(
        "Share of the games up to which they decide; the later ones judge.",
        type=click.FloatRange(0.0, 1.0, min_open=True),
    ),
    search=(Literal["descent", "optuna"], "The method of the search."),
    seed=(Seed, "Of the search."),
    starts=(AtLeastOne, "Local searches, from places far apart; 1: from --set alone."),
    budget=(AtLeastOne, "Settings to try at most."),
    cluster=WorkerOptions,
    resume=Option(
        "Keep evaluated settings in this file (JSON lines), and reuse those it has.",
        "FILE",
        click.Path(dir_okay=False),
    ),
    level=Level,
)
TUNE_EXAMPLES = """\b
prowess tune games.csv --system elo
prowess tune games.csv --system glicko2 --period 1mo --over tau,start_volatility=0.01:0.2
"""


@verb("tune", epilog=TUNE_EXAMPLES)
def tune_verb(
    reading: ReadingOptions,
    *,
    system: RatedSystem = None,
    asked: Annotated[Keywords, TUNE_OPTIONS],
    answer: AnswerOptions,
) -> None:
    """Find the constants with which a system forecasts the games of FILE... best.

    The first games are only played, the next decide, the last ones judge what was found.
    """
    from prowess.cli.selection import find_system
    from prowess.present.judged import describe_search, search_parts

    source = FileSource(reading)
    chosen = find_system(system, False, "elo", "as prowess has no constants to tune")
    tuned = tune(source, chosen, **asked, progress=make_progress_meter(), **reading.given)
    if tuned.reused:
        print_note(f"{tuned.reused:,} settings were evaluated before")
    notes = [describe_search(tuned)]
    answer.give(
        tuned.plain, lambda: tuned, lambda: search_parts(tuned), source.table.reading, notes=notes
    )


def expand_presets(value: str) -> str:
    """The list of systems, a preset replaced by its systems."""
    return ",".join(PRESETS.get(text.strip(), text) for text in value.split(","))


TABLE_EXAMPLES = """\b
prowess table battles.csv --systems rumble
prowess table games.csv --systems elo:k=20,glicko2,colley --of "Ada Lovelace"
prowess table season.csv --systems points:ties=head_to_head,massey,elo --top 10
"""


@verb("table", epilog=TABLE_EXAMPLES)
def table_verb(
    reading: ReadingOptions,
    *,
    systems: Annotated[
        str,
        Option(
            metavar="NAME,NAME:PARAM=VALUE,...", names=("--systems", "-s"), parse=expand_presets
        ),
        f"Systems, the first sorts (k=8/16 is a bank); or a preset: {', '.join(PRESETS)}.",
    ],
    as_of: Annotated[Day, "Leave out all games after that day."] = None,
    of: Annotated[PlayerName, "How far this player is behind each leader."] = None,
    top: Annotated[Count, "Only the best N."] = None,
    answer: AnswerOptions,
) -> int:
    """Rate FILE... under several systems: place and value of each player, and rank correlations.

    Equal players share a place, shown as 2=. Systems that refuse the table are named below it with
    the reason, and the command then ends with 3; the others are shown all the same.
    """
    from prowess.present.judged import ranking_parts, rankings_data

    source = FileSource(reading)
    comparison, reasons = rank_side_by_side(source, systems, reading.given, as_of)
    refusals = {name: str(reason) for name, reason in reasons.items()}
    player = None if of is None else comparison.index(of)
    refused = (f"{name} refuses this table: {reason}" for name, reason in refusals.items())
    answer.give(
        lambda: {**rankings_data(comparison, top, player), "refused": refusals},
        lambda: comparison.to_table(top),
        lambda: [*ranking_parts(comparison, top, player), *refused],
        source.table.reading,
        notes=[
            f"note: {one.ratings.system.name}: {note}"
            for one in comparison.rankings
            for note in one.ratings.notes
        ],
    )
    return BAD_DATA if refusals else 0


# -- tests of programs --


def parse_counts(text: str) -> list[int]:
    """Counts with commas between them; raises BadParameter."""
    try:
        return [int(one) for one in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"write counts as 30,50,20, not {text!r}") from None


def parse_differences(text: str) -> list[float]:
    """Differences with commas between them; raises BadParameter."""
    try:
        return [float(one) for one in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"write differences as 0,2.5,5, not {text!r}") from None


SPRT_OPTIONS = OptionsOf(
    sprt,
    elo0="The difference that is not worth it.",
    elo1="The difference that is.",
    alpha="The probability of accepting elo1 where elo0 holds.",
    beta="The probability of accepting elo0 where elo1 holds.",
    model=(
        Literal["logistic", "normalised", "bayeselo", "fishtest", "fastchess"],
        "What a difference is; fishtest and fastchess: normalised, by pairs.",
    ),
    unit=(
        Literal["pairs", "games"] | None,
        "Pairs of games with colours exchanged (where all games are in one), or games.",
    ),
)
SPRT_EXAMPLES = """\b
prowess sprt games.pgn --program new --elo0 0 --elo1 5
prowess sprt --counts 412,3005,6210,3120,445 --elo1 2 --model fishtest
prowess sprt --draws 0.6 --elo0 0 --elo1 5
"""


@verb("sprt", epilog=SPRT_EXAMPLES)
def sprt_verb(
    reading: ReadingOptions,
    *,
    asked: Annotated[Keywords, SPRT_OPTIONS],
    program: Annotated[
        PlayerName, Option("The program that is tested. Default: the first one.", "NAME")
    ] = None,
    counts: Annotated[
        Any,
        Option(
            "In place of FILE: pairs that scored 0, 1/2, 1, 3/2, 2, or games lost, drawn, won.",
            "N,N,N[,N,N]",
            parse=parse_counts,
        ),
    ] = None,
    overshoot: Annotated[
        bool, "Bring the bounds nearer by what LLR usually is beyond them (Siegmund)."
    ] = False,
    draws: Annotated[
        float | None,
        Option(
            "Plan a test in place of FILE: the share of the games that even programs draw.",
            "SHARE",
            click.FloatRange(0.0, 1.0, max_open=True),
        ),
    ] = None,
    at: Annotated[
        Any,
        Option("True differences of the plan.", "ELO,ELO,...", parse=parse_differences),
    ] = None,
    answer: AnswerOptions,
) -> None:
    """Test in sequence, after every pair of games in FILE..., whether a program is better.

    Exit code 0 whatever the verdict is: `elo1` (accepted), `elo0`, or `continue`.
    """
    from prowess.present import judged

    if draws is not None:
        if reading.files or counts is not None or program is not None or overshoot:
            raise click.UsageError(
                "leave FILE, --counts, --program and --overshoot out: --draws plans a test"
            )
        plan = plan_sprt(**asked, draws=draws, at=at)
        answer.give(plan.rows, lambda: plan, lambda: [plan.cells()])
        return
    if at is not None:
        raise click.UsageError("give --draws as well: --at belongs to a plan")
    if counts is not None and reading.files:
        raise click.UsageError("give FILE or --counts, not both")
    source = FileSource(reading)
    test = sprt(
        source if counts is None else None, program, counts=counts, overshoot=overshoot,
        **asked, **reading.given,
    )  # fmt: skip
    print_notes(test.notes)
    answer.give(
        lambda: judged.sequential_data(test),
        lambda: test,
        lambda: judged.sequential_parts(test),
        source.table.reading if counts is None else None,
    )
