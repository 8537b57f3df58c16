"""`prowess report`, `site`, `plot`, `diagnose`, `arena`, `benchmark`: pages and figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from prowess.cli.exits import INTERRUPTED
from prowess.cli.options import Argument, Option, OptionsOf, verb
from prowess.cli.output import (
    IMAGE_SUFFIXES,
    PAGE_SUFFIXES,
    TABLE_SUFFIXES,
    AnswerOptions,
    AsJson,
    format_json,
    make_progress_meter,
    note_left_out,
    output_file,
    print_note,
    print_notes,
    print_text,
    refuse_file,
    write_figure,
    write_file,
)
from prowess.cli.rating import (
    AtLeastOne,
    Day,
    Level,
    Metric,
    RatedSource,
    RatingOptions,
    Seed,
    WarmUp,
    parse_first_day,
    parse_frozen,
    rate_table,
)
from prowess.cli.reading import FileSource, ReadingOptions, split_csv, split_names
from prowess.cli.selection import Period, Settings, SystemName, Systems, WorkerOptions
from prowess.games.reading import format_count
from prowess.verbs.judge import arena, benchmark, diagnose
from prowess.verbs.pages import (
    Audience,
    compare_own,
    judge_own,
    list_players,
    read_record,
    report,
    site,
    take_title,
    write_folder,
)
from prowess.verbs.tables import parse_selections

if TYPE_CHECKING:
    from prowess.present.brand import Brand
    from prowess.present.chart import Chart
    from prowess.study.diagnosis.diagnose import Diagnosis

FIGURES = ("history", "leaderboard", "distribution", "calibration", "compare", "pairs", "activity")


def parse_names(value: str) -> list[str]:
    """Names separated by commas, at least one; quotes keep a comma within a name."""
    if not (found := split_names(value)):
        raise click.BadParameter("name at least one player")
    return found


BUILT = Path(__file__).parents[4] / "build" / "try"  # where `make try` builds the page
Players = Annotated[list[str] | None, Option(metavar="NAME,NAME", parse=parse_names)]
Title = Annotated[str | None, Option("Heading of the page. Default: the file's name.", "TEXT")]
Credit = Annotated[str, Option("Source and licence of the data.", "TEXT")]


MinGames = Annotated[
    int | None,
    Option(metavar="N", type=click.IntRange(min=0)),
    "List players with N games or more. Default: a tenth of the mean number.",
]
Since = Annotated[Day, "List players with a game since that day. Default: in the last two years."]

REPORT_OPTIONS = OptionsOf(
    report,
    title=Title,
    credit=Credit,
    players=(Players, "The players whose histories are drawn. Default: the best."),
    top=Option("Rows of the leaderboard.", "N", click.IntRange(1, 500)),
    min_games=MinGames,
    since=Since,
    systems=(Systems, "Compare these: NAME[:SETTING=VALUE,...][@PERIOD], separated by commas."),
    no_compare="Leave the comparison of systems out.",
    audience=(
        Annotated[Audience | None, Option(names=("--for",))],
        "For whom: what stands first, and in whose words. Default: by the table.",
    ),
)
REPORT_EXAMPLES = """\b
prowess report games.csv --open
prowess report games.csv -o report.html --system glicko2 --period 1mo --title "Our league"
prowess report games.csv -o report.html --players "Ada,Ben" --systems elo,elo:k=20,bradley_terry
"""


@verb("report", epilog=REPORT_EXAMPLES)
def report_verb(
    options: RatingOptions,
    *,
    output: Annotated[
        str | None,
        output_file(PAGE_SUFFIXES, "Where to write the page."),
        Option(metavar="FILE.html"),
    ] = None,
    open_page: Annotated[
        bool, Option("Open the page in a browser; a temporary one without -o.", names=("--open",))
    ] = False,
    asked: Annotated[dict[str, Any], REPORT_OPTIONS],
) -> None:
    """Rate FILE... and write a page that works offline, on paper and on a phone."""
    if output is None and not open_page:
        raise click.UsageError("say where to write the page with -o FILE.html, or add --open")
    page = report(RatedSource(options), **asked, level=options.level)
    for note in page.notes[len(page.ratings.notes) :]:
        print_note(note)
    if output is None:
        from tempfile import mkdtemp

        output = str(Path(mkdtemp(prefix="prowess-")) / "report.html")
    write_file(output, page.to_html())
    guessed = "" if asked["audience"] else f", for {page.audience} (--for chooses)"
    print_note(f"{output}: {page.ratings.head()}{guessed}")
    if open_page:
        show_page(output)


def show_page(file: str) -> None:
    """Open a page in the browser; raises ClickException where there is none."""
    import webbrowser

    if not webbrowser.open(Path(file).resolve().as_uri()):
        raise click.ClickException(f"open {file} in a browser: none was found to open it with")


def read_store_brand(store: str) -> Brand:
    """What the owner has set for the site of a live server."""
    from prowess.live.journal.registry import read_brand
    from prowess.live.store.reading import open_to_read

    with open_to_read(store) as opened, opened.read() as connection:
        return read_brand(connection)


SITE_OPTIONS = OptionsOf(
    site,
    title=Title,
    players=Option(
        "Pages of the N best players; the leaderboard has all.",
        "N",
        click.IntRange(min=1),
        names=("--top",),
    ),
    pairs=Option("Pages of the N pairs of them that met most.", "N", click.IntRange(min=0)),
    min_games=MinGames,
    since=Since,
    brand=Option(
        "Take logo, colour and texts from this store of a live server.",
        "FILE|URL",
        parse=read_store_brand,
    ),
)
SITE_EXAMPLES = """\b
prowess site games.csv -o pages --system glicko2
prowess site games.csv -o pages --title "Our league" --top 500
prowess site games.csv -o pages --brand ladder.db
"""


@verb("site", epilog=SITE_EXAMPLES)
def site_verb(
    options: RatingOptions,
    *,
    output: Annotated[
        str,
        Option(metavar="FOLDER", type=click.Path(), names=("--output", "-o")),
        "A new folder, an empty one, or one that an earlier run wrote.",
    ],
    asked: Annotated[dict[str, Any], SITE_OPTIONS],
) -> None:
    """Rate FILE... and write pages that need no server and no network."""
    source = RatedSource(options)
    try:
        first = site(source, output, **asked)
    except OSError as error:
        raise refuse_file(error.filename or output, error) from None
    ratings, count = source.ratings, len(read_record(first.parent))
    print_note(f"{first}: {ratings.head()}; {count:,} files")
    everyone, top = int(ratings.has_played().sum()), asked["players"]
    if everyone > top:
        print_note(f"pages of the best {top:,} of {everyone:,} players (--top {everyone})")


PLOT_EXAMPLES = """\b
prowess plot history games.csv --players "Ada,Ben" -o history.svg
prowess plot leaderboard games.csv --system glicko2 --period 1mo -o leaders.png
prowess plot calibration games.csv --system glicko2 --period 1mo -o calibration.svg
"""


class FigureOptions(NamedTuple):
    """What a figure shows."""

    players: Annotated[Players, "The players that history and pairs show. Default: the best."] = (
        None
    )
    against: Annotated[Literal["date", "game"] | None, "The axis of history (default: date)."] = (
        None
    )
    together: Annotated[bool, "Draw all players of history in one panel."] = False
    first: Annotated[
        Day, Option("Begin history on that day.", parse=parse_first_day, names=("--from",))
    ] = None
    last: Annotated[Day, Option("End history on that day.", names=("--to",))] = None
    top: Annotated[
        int | None, Option("How many players are shown.", "N", click.IntRange(1, 100))
    ] = None
    min_games: MinGames = None
    since: Since = None
    systems: Annotated[
        Systems, "The systems that compare compares, as `prowess compare` names them."
    ] = None

    def refuse_idle(self, what: str) -> None:
        """Raise UsageError for an option that is of other figures."""
        own = ("history",)
        users = {
            "players": ("history", "pairs"), "against": own, "together": own, "first": own,
            "last": own, "systems": ("compare",),
        }  # fmt: skip
        for name, figures in users.items():
            if getattr(self, name) not in (None, False) and what not in figures:
                option = {"first": "from", "last": "to"}.get(name, name)
                raise click.UsageError(f"leave --{option} out: it is for {' and '.join(figures)}")


@verb("plot", epilog=PLOT_EXAMPLES)
def plot_verb(
    *,
    what: Annotated[str, Argument("|".join(FIGURES), click.Choice(FIGURES))],
    options: RatingOptions,
    output: Annotated[
        str | None, output_file(IMAGE_SUFFIXES, "The file of the figure: .svg or .png.")
    ] = None,
    shown: FigureOptions,
    width: Annotated[int, Option("Of the figure.", "PIXELS", click.IntRange(240, 4000))] = 720,
    theme: Annotated[
        Literal["both", "light", "dark"],
        "both: an SVG follows the reader's device, a PNG is light.",
    ] = "both",
    credit: Credit = "",
    as_json: AsJson = False,
) -> None:
    """Rate FILE... and draw one figure; stderr describes it in words."""
    from dataclasses import replace

    if (output is None) == (not as_json):
        raise click.UsageError("name a file with -o FILE, or print the numbers with --json")
    shown.refuse_idle(what)
    judged = what in ("calibration", "compare")
    figure = (draw_judged_figure if judged else draw_figure)(what, options, shown)
    if output is None:
        print_text(format_json({"title": figure.title, "data": figure.data}))
    else:
        write_figure(output, replace(figure, source=credit), width=width, theme=theme)


def draw_figure(what: str, options: RatingOptions, shown: FigureOptions) -> Chart:
    """A figure of the ratings."""
    from prowess.present import figures

    ratings, top, players = rate_table(options), shown.top, shown.players
    listing = list_players(ratings, shown.min_games, shown.since)
    if what == "history":
        names = players or listing.board(ratings, top or 6).columns["player"]
        rest = len(listing.board(ratings).columns["player"]) - len(names)
        if players is None and top is None and rest > 0:
            left = f"{rest:,} {'is' if rest == 1 else 'are'} left out"
            best = f"the best {len(names)} are drawn"
            print_note(f"note: {best}, {left} (--top or --players chooses)")
        return figures.histories(
            ratings, names, against=shown.against, level=options.level, together=shown.together,
            since=shown.first, until=shown.last,
        )  # fmt: skip
    if what == "pairs":
        names = players or listing.board(ratings, top or 12).columns["player"]
        return figures.head_to_head(ratings, players=names)
    if what == "leaderboard":
        return figures.leaders(ratings, top or 20, listing=listing, level=options.level)
    if what == "distribution":
        return figures.distribution(ratings, min_games=shown.min_games or 0)
    return figures.activity(ratings.table)


def draw_judged_figure(what: str, options: RatingOptions, shown: FigureOptions) -> Chart:
    """A figure of the forecasts."""
    from prowess.present import figures
    from prowess.present.svg import Undrawable

    chosen = (
        None if shown.systems is None else parse_selections(shown.systems)
    )  # wrong ones are refused before a long file is read
    ratings = RatedSource(options).rate_with_forecasts()
    own, notes = judge_own(ratings)
    if what == "compare":
        comparison, further = compare_own(ratings, own, chosen)
        notes += further
    for note in notes:
        print_note(note)
    if what == "compare":
        if comparison is None:
            raise Undrawable(
                "give a longer table: there is nothing to compare on this one",
                code="nothing_to_compare",
            )
        return figures.behind_the_best(comparison)
    if own is None:
        raise Undrawable(
            f"choose a system that forecasts, such as elo: {ratings.system.name} gives none "
            "of this table",
            code="no_forecasts",
        )
    return figures.reliability(own, level=options.level)


DIAGNOSE_OPTIONS = OptionsOf(
    diagnose,
    system=(SystemName, "A system that rates game by game."),
    params=Settings,
    period=Period,
    level=(Level, "The probability of any false alarm in a league without faults."),
    seed=(Seed, "Of resamplings."),
)
DIAGNOSE_EXAMPLES = """\b
prowess diagnose games.csv
prowess diagnose games.csv --system elo --set k=20 --set advantage=60 --all
prowess diagnose games.csv -o diagnosis.html
prowess diagnose games.csv --plot "draws by rating" -o draws.svg
"""


@verb("diagnose", epilog=DIAGNOSE_EXAMPLES)
def diagnose_verb(
    reading: ReadingOptions,
    *,
    asked: Annotated[dict[str, Any], DIAGNOSE_OPTIONS],
    output: Annotated[
        str | None,
        output_file(
            (*TABLE_SUFFIXES, ".htm", *IMAGE_SUFFIXES),
            "Write a page (.html), a table of findings (.csv, .json, .parquet, .xlsx, .md), or "
            "with --plot an image (.svg, .png), and print nothing.",
        ),
    ] = None,
    plot: Annotated[
        str | None, Option('Draw one finding, such as "draws by rating".', "CHECK")
    ] = None,
    title: Title = None,
    whole: Annotated[
        bool, Option("Also the methods, and why checks were skipped.", names=("--all",))
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the league of FILE... for faults, as a system rates it.

    With --voter those who judged the games are checked, too.
    """
    from prowess.engine.tabular import json_value
    from prowess.present.judged import diagnosis_parts
    from prowess.present.report import render_diagnosis

    answer = AnswerOptions(as_json, output=output)
    answer.check()
    check_figure(output, plot, title)
    source = FileSource(reading)
    found = diagnose(source, **asked, **reading.given)
    if not as_json:
        print_note(found.head())
    if output is not None and plot is not None:
        write_finding(found, plot, output)
        return
    beside = {"period": asked["period"], "seed": asked["seed"]}
    heading = take_title(title, reading.files[0], "Diagnosis")
    answer.give(
        lambda: json_value(found.as_dict() | beside), lambda: found,
        lambda: diagnosis_parts(found, whole), source.table.reading,
        page=lambda: render_diagnosis(found, heading),
    )  # fmt: skip


def check_figure(output: str | None, plot: str | None, title: str | None) -> None:
    """Refuse options of which no image can be made, before any work is done."""
    from prowess.present.finding_charts import FINDING_CHARTS

    image = Path(output or "").suffix.lower() in IMAGE_SUFFIXES
    if plot is None:
        if image:
            raise click.UsageError(f"add --plot CHECK: {output!r} is an image of one finding")
        check_title(title, output)
        return
    if not image:
        raise click.UsageError(f"end the name of -o FILE in {' or '.join(IMAGE_SUFFIXES)}")
    if title is not None:
        raise click.UsageError("leave --title or --plot out: an image has no title of yours")
    if plot not in FINDING_CHARTS:
        raise click.UsageError(f"choose --plot from {', '.join(FINDING_CHARTS)}, not {plot!r}")


def write_finding(found: Diagnosis, name: str, output: str) -> None:
    """Write the figure of one finding, and its description on stderr."""
    from prowess.present.finding_charts import finding_chart
    from prowess.present.svg import Undrawable

    for one in found.skipped:
        if one.name == name:
            raise click.UsageError(f"choose another --plot: {name} was skipped: {one.why}")
    try:
        figure = finding_chart(found[name])
    except Undrawable as error:
        raise click.UsageError(f"choose another --plot than {name}: {error}") from None
    write_figure(output, figure)


@verb("try", epilog="\b\nprowess try\nprowess try --folder site/try --port 0\n")
def try_verb(
    *,
    folder: Annotated[
        str | None, Option("The folder of the page. Default: where it is built.", "DIR")
    ] = None,
    port: Annotated[int, Option("0 takes a free one.", type=click.IntRange(0, 65535))] = 8001,
) -> None:
    """Serve the page into which one drops a file: a browser computes it, and sends it nowhere.

    The page is the folder that `make try` builds in a checkout. Only this computer reaches it.
    """
    place = BUILT if folder is None else Path(folder)
    if not (place / "worker.js").is_file():
        raise click.UsageError(
            f"run `make try` in a checkout, or name the folder of the page with --folder: "
            f"{place} has none"
        )
    serve_folder(place, port)


def serve_folder(folder: Path, port: int) -> None:
    """Serve the files of a folder to this computer alone, until it is interrupted."""
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    class Quiet(SimpleHTTPRequestHandler):
        """Says nothing of each file."""

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), partial(Quiet, directory=folder))
    except OSError as error:
        raise click.UsageError(
            f"choose another --port, such as 0: {port} is taken ({error.strerror})"
        ) from None
    print_text(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)")
    with server:
        server.serve_forever()


def parse_ridge(value: str | float) -> str | float:
    """A number, or a word."""
    try:
        return float(value)
    except ValueError:
        return str(value)


ARENA_OPTIONS = OptionsOf(
    arena,
    control=(
        Any,
        Option(
            "Take the effect of these out of the ratings: a column, or NAME for NAME_a and NAME_b.",
            "NAME[,NAME]",
            parse=split_csv,
        ),
    ),
    clusters=(
        Any,
        Option("Errors by these columns. Default: the voter.", "COLUMN[,COLUMN]", parse=split_csv),
    ),
    by=Option("The column of categories, which get ratings of their own.", "COLUMN"),
    balance=Option("Let all `pairs`, or all values of a column, count alike.", "pairs|COLUMN"),
    ridge=(
        Any,
        Option(
            "The precision of a normal prior of the ratings, or the one that the votes tell.",
            "NUMBER|fitted",
            parse=parse_ridge,
        ),
    ),
    folds=Option("Forecast each of so many parts from the others.", type=click.IntRange(min=2)),
    level=Level,
    seed=(Seed, "Of folds, permutations and resamplings."),
    bootstrap=Option("Intervals from N resamplings beside the others.", "N", click.IntRange(min=0)),
    blocks=Option("Resample the values of this column. Default: the clusters.", "COLUMN"),
)
ARENA_EXAMPLES = """\b
prowess arena votes.csv -o page.html
prowess arena votes.csv --voter judge --control length,headers,bold
prowess arena votes.csv --voter judge --clusters judge,prompt --by language --json
"""


@verb("arena", epilog=ARENA_EXAMPLES)
def arena_verb(
    reading: ReadingOptions,
    *,
    asked: Annotated[dict[str, Any], ARENA_OPTIONS],
    output: Annotated[
        str | None,
        output_file(
            TABLE_SUFFIXES,
            "Write a page (.html), the whole audit (.json), the board as a table, or with --by a "
            "folder of pages, one for each category, and print nothing.",
            folders=True,
        ),
    ] = None,
    title: Title = None,
    as_json: AsJson = False,
) -> None:
    """Audit the votes of FILE...: who is best, how sure, and what the answer hangs on.

    With --voter errors are by voter, and voters are judged.
    """
    from prowess.games.errors import FavouredSide
    from prowess.present.arena import audit_files, audit_parts, render_audit
    from prowess.study.arena import audit_categories

    answer = AnswerOptions(as_json, output=output)
    folder = output if output is not None and not Path(output).suffix else None
    answer.check()
    if folder is None:
        check_title(title, output)
    if folder is not None and asked["by"] is None:
        raise click.UsageError("give --by COLUMN, or -o FILE.html: a folder has a page a category")
    earlier = set() if folder is None else read_record(Path(folder))
    source = FileSource(reading, (FavouredSide,))  # an audit fits what a position is worth
    found = arena(source, **asked, **reading.given)
    print_notes(found.notes)
    heading = take_title(title, reading.files[0], "Arena")
    if folder is not None:
        categories, notes = audit_categories(source.table, found.question)
        print_notes(notes)
        count = write_folder(Path(folder), audit_files(found, categories, heading), earlier)
        print_note(f"{Path(folder) / 'index.html'}: {format_count(count, 'page')}")
        return
    answer.give(
        found.as_dict, lambda: found, lambda: audit_parts(found), source.table.reading,
        page=lambda: render_audit(found, heading),
    )  # fmt: skip


def check_title(title: str | None, output: str | None) -> None:
    """Refuse the title of a page that is not asked for, before any work is done."""
    if title is not None and Path(output or "").suffix.lower() not in PAGE_SUFFIXES:
        raise click.UsageError("leave --title out: it is for a page (-o FILE.html)")


BENCHMARK_OPTIONS = OptionsOf(
    benchmark,
    systems=(Systems, "Tune these: NAME[:SETTING=VALUE,...][@PERIOD], separated by commas."),
    frozen=Option(
        "Forecast from the ratings as they stood at the start of each 1d, 7d, 1mo, or value of a "
        "column; auto: 7d where ten weeks are judged, else days whose order is not known; none.",
        "SPAN",
        parse=parse_frozen,
    ),
    warm_up=(WarmUp, "Share of the games, the first ones, that are only played."),
    until=Option(
        "Share of the games up to which they tune; the later ones judge.",
        type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    ),
    budget=(AtLeastOne, "Settings of a system to try at most."),
    metric=Metric,
    level=Level,
    cluster=WorkerOptions,
)
BENCHMARK_EXAMPLES = """\b
prowess benchmark games.csv
prowess benchmark games.csv --frozen none --systems elo,glicko2@1mo,bradley_terry
prowess benchmark games.csv -o benchmark.html
"""


@verb("benchmark", epilog=BENCHMARK_EXAMPLES)
def benchmark_verb(
    reading: ReadingOptions,
    *,
    asked: Annotated[dict[str, Any], BENCHMARK_OPTIONS],
    output: Annotated[
        str | None,
        output_file(TABLE_SUFFIXES, "Write a page (.html), all data (.json), or a table."),
    ] = None,
    title: Title = None,
    as_json: AsJson = False,
) -> int:
    """Judge the default system on FILE..., as it is, beside systems that are tuned to FILE....

    The first games are only played, the next tune the others, the last ones judge. Where
    those are of ten weeks or more, no forecast knows a result of its own week.
    """
    from prowess.present import judged
    from prowess.present.report import render_benchmark

    answer = AnswerOptions(as_json, output=output)
    answer.check()
    check_title(title, output)
    source = FileSource(reading)
    found = benchmark(source, **asked, progress=make_progress_meter(), **reading.given)
    note_left_out(found.refused)
    print_notes(found.notes)
    heading = take_title(title, reading.files[0], "Benchmark")
    answer.give(
        lambda: judged.benchmark_data(found), lambda: found, lambda: judged.benchmark_parts(found),
        source.table.reading, notes=[judged.describe_comparison(found)],
        page=lambda: render_benchmark(found, heading),
    )  # fmt: skip
    return INTERRUPTED if found.interrupted else 0
