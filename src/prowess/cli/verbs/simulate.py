"""`prowess simulate`: leagues whose true strengths are known, and claims about leagues."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.output import json_option

if TYPE_CHECKING:
    from prowess.engine.params import Parameter
    from prowess.study.simulation.claims import Claim
    from prowess.study.simulation.league import League

SUFFIXES = {".csv": "csv", ".jsonl": "jsonl"}
EXAMPLES = """\b
prowess simulate league --players 100 --games 10000 --draws 0.3 --seed 1 -o games.csv
prowess simulate league --drift 2 --births 0.2 --life 500 -o games.csv.gz --truth strengths.csv
prowess simulate preset noise
"""


@click.group(
    "simulate", short_help="Make up leagues whose true strengths are known.", epilog=EXAMPLES
)
def command() -> None:
    """Make up games between players of known strength, or try a claim about leagues."""


def setting_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """An option for every setting of a league, from its declaration."""
    from prowess.engine.params import parameters
    from prowess.study.simulation.settings import LEAGUE

    for setting in reversed(parameters(LEAGUE).values()):
        function = setting_option(setting)(function)
    return function


def setting_option(setting: Parameter) -> Callable[..., Any]:
    """The option of one setting; what is not given stays at its default."""
    from prowess.engine.system import Choice

    name = "--" + setting.name.replace("_", "-")
    if setting.name == "first_day":
        return click.option(
            name, type=click.DateTime(["%Y-%m-%d"]), metavar="DATE",
            help="The day of the first game. [2020-01-01]",
        )  # fmt: skip
    default = setting.shown(setting.default)
    if isinstance(setting.domain, Choice):
        return click.option(name, type=click.Choice(setting.domain.words), help=f"[{default}]")
    return click.option(
        name, type=float, metavar="NUMBER", help=f"{setting.described()}. [{default:g}]"
    )


def form_of(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Check that the suffix of a file is known, before any work is done."""
    if value is not None and form(value) not in SUFFIXES:
        raise click.BadParameter(
            f"{value}: the suffix says the form: .csv or .jsonl, also with .gz"
        )
    return value


def form(file: str) -> str:
    """The suffix that says the form: of games.csv.gz it is .csv."""
    return Path(file.lower().removesuffix(".gz")).suffix


def file_option(*names: str, says: str) -> Callable[..., Any]:
    """An option for a file that is written."""
    return click.option(*names, metavar="FILE", type=click.Path(), callback=form_of, help=says)


@command.command("league", short_help="Write the games of a made-up league.")
@setting_options
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of all chance."
)
@file_option("--output", "-o", says="Write the games: .csv or .jsonl, also .gz; else stdout.")
@file_option("--truth", says="Write the players' true strengths.")
@file_option("--true-games", says="Write both true strengths and the expected score of every game.")
@click.option("--quiet", "-q", is_flag=True, help="Nothing on stderr but errors.")
def league_command(
    seed: int,
    output: str | None,
    truth: str | None,
    true_games: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Make up a league and write its games, so that `prowess rate` reads them unasked."""
    from prowess.cli.output import put
    from prowess.cli.talk import say
    from prowess.study.simulation.league import game_lines, player_lines, simulate, true_game_lines
    from prowess.study.simulation.settings import league_settings

    files = [file for file in (output, truth, true_games) if file is not None]
    if len({Path(file).absolute() for file in files}) < len(files):
        raise click.UsageError("--output, --truth and --true-games need files of their own")
    league = simulate(league_settings(**asked(given)), seed)
    if output is None:
        for text in game_lines(league):
            put(text)
    for file, lines in ((output, game_lines), (truth, player_lines), (true_games, true_game_lines)):
        if file is not None:
            write(file, lines(league, SUFFIXES[form(file)]))
    say(f"{output or 'stdout'}: {summary(league)}", quiet)


def asked(given: dict[str, Any]) -> dict[str, Any]:
    """The settings that were given, dates as days."""
    settings = {name: value for name, value in given.items() if value is not None}
    if "first_day" in settings:
        settings["first_day"] = float(settings["first_day"].toordinal() - 719163)  # of 1970-01-01
    return settings


def summary(league: League) -> str:
    """What came of it, in one line."""
    games = league.games
    parts = [
        f"{len(games):,} games of {len(games.players):,} players",
        f"the first side scores {games.score.mean():.3f}",
        f"{(games.score == 0.5).mean():.1%} draws",
    ]
    if league.births or league.deaths:
        parts.append(f"{league.births:,} births, {league.deaths:,} deaths")
    return ", ".join([*parts, f"seed {league.seed}"])


def write(file: str, lines: Iterable[str]) -> None:
    """Write a file, packed if its name says so; the same lines give the same bytes."""
    import gzip

    try:
        with Path(file).open("wb") as raw:
            if file.lower().endswith(".gz"):
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                    packed.writelines(text.encode() for text in lines)
            else:
                raw.writelines(text.encode() for text in lines)
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror or error}") from None


@command.command("preset", short_help="Try what a source claims about leagues.")
@click.argument("name", required=False)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of all chance."
)
@json_option
def preset_command(name: str | None, seed: int, as_json: bool) -> None:
    """Play out the claim NAME and say whether it holds; without NAME list all claims."""
    from difflib import get_close_matches

    from prowess.cli.output import json_text, put
    from prowess.cli.table import drawn, screen
    from prowess.study.simulation.claims import CLAIMS

    if name is None:
        if as_json:
            put(json_text([known(claim) for claim in CLAIMS.values()]))
        else:
            rows = [[claim.name, claim.says] for claim in CLAIMS.values()]
            put(drawn([["name", "claim"], *rows], screen()))
        return
    if name not in CLAIMS:
        near = get_close_matches(name, CLAIMS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise click.UsageError(f"no preset {name!r}{hint} There are: {', '.join(CLAIMS)}")
    data = tried(CLAIMS[name], seed)
    put(json_text(data) if as_json else page(data))


def known(claim: Claim) -> dict[str, Any]:
    """What a claim says, as plain data."""
    return {
        "name": claim.name,
        "claim": claim.says,
        "source": claim.source,
        "system": claim.system,
    }


def tried(claim: Claim, seed: int) -> dict[str, Any]:
    """A claim and what was found, as plain data."""
    from prowess.engine.system import Dynamic
    from prowess.systems.catalogue import find

    system = find(claim.system)
    assert isinstance(system, Dynamic)
    findings = claim.tried(system, seed)
    rows = [{**finding._asdict(), "holds": finding.holds} for finding in findings]
    return {**known(claim), "seed": seed, "findings": rows}


def page(data: dict[str, Any]) -> str:
    """The same for people."""
    from prowess.cli.table import drawn, screen

    rows = [["what", "claimed", "found", "within", "verdict"]]
    rows += [
        [
            row["what"],
            *(f"{row[column]:.4g}" for column in ("claimed", "found", "tolerance")),
            "holds" if row["holds"] else "does not hold",
        ]
        for row in data["findings"]
    ]
    head = f"{data['claim']}\n{data['source']}\nseed {data['seed']}, {data['system']}\n\n"
    return head + drawn(rows, screen())
