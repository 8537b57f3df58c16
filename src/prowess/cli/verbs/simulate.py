"""`prowess simulate`: leagues whose true strengths are known, and tests of claims about them."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import click

from prowess.cli.options import Argument, GivenOf, Option, make_setting_options, verb
from prowess.cli.output import (
    AnswerOptions,
    Quiet,
    check_folder,
    print_note,
    print_text,
    refuse_file,
)
from prowess.cli.rating import Seed
from prowess.games.whole_files import write_lines
from prowess.study.simulation.settings import LeagueSettings

FORM_OF_SUFFIX = {".csv": "csv", ".jsonl": "jsonl"}  # of a suffix, the form
SIMULATE_EXAMPLES = """\b
prowess simulate league --players 100 --games 10000 --draws 0.3 --seed 1 -o games.csv
prowess simulate league --drift 2 --births 0.2 --life 500 -o games.csv.gz --truth strengths.csv
prowess simulate preset noise
"""


@click.group("simulate", epilog=SIMULATE_EXAMPLES)
def simulate_verb() -> None:
    """Simulate games between players of known strength, or test a claim about leagues."""


def check_form(name: str) -> str:
    """The name of a file to write; raises BadParameter for an unknown suffix or folder."""
    if suffix_of(name) not in FORM_OF_SUFFIX:
        raise click.BadParameter(f"end the name in .csv or .jsonl, also with .gz, not {name!r}")
    return check_folder(name)


def suffix_of(name: str) -> str:
    """The suffix that says the form: of games.csv.gz it is .csv."""
    return Path(name.lower().removesuffix(".gz")).suffix


def parse_first_day(value: datetime) -> float:
    """Days since 1970."""
    return float(value.toordinal() - 719163)


FIRST_DAY = Option(
    "The day of the first game. [2020-01-01]",
    "DATE",
    click.DateTime(["%Y-%m-%d"]),
    parse=parse_first_day,
)
LEAGUE = partial(make_setting_options, LeagueSettings, {"first_day": FIRST_DAY})
WrittenFile = Annotated[str | None, Option(metavar="FILE", type=click.Path(), parse=check_form)]


@verb("league", "Write the games of a simulated league.", group=simulate_verb)
def league_verb(
    *,
    given: Annotated[dict[str, Any], GivenOf(LEAGUE)],
    seed: Annotated[Seed, "Of all random numbers."] = 1,
    output: Annotated[
        WrittenFile,
        Option("Write the games: .csv or .jsonl, also .gz; else stdout.", names=("--output", "-o")),
    ] = None,
    truth: Annotated[WrittenFile, "Write the players' true strengths."] = None,
    true_games: Annotated[
        WrittenFile, "Write both true strengths and the expected score of every game."
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Simulate a league and write its games in a form that `prowess rate` reads without options."""
    from prowess.study.simulation.league import game_lines, player_lines, simulate, true_game_lines
    from prowess.study.simulation.settings import league_settings

    files = [file for file in (output, truth, true_games) if file is not None]
    if len({Path(file).absolute() for file in files}) < len(files):
        raise click.UsageError("give --output, --truth and --true-games files of their own")
    league = simulate(league_settings(**given), seed)
    if output is None:
        for text in game_lines(league):
            print_text(text)
    for file, lines in ((output, game_lines), (truth, player_lines), (true_games, true_game_lines)):
        if file is not None:
            try:
                write_lines(file, lines(league, FORM_OF_SUFFIX[suffix_of(file)]))
            except OSError as error:
                raise refuse_file(file, error) from None
    print_note(f"{output or 'stdout'}: {league.headline}")


@verb("preset", "Test what a source claims about leagues.", group=simulate_verb)
def preset_verb(
    *,
    name: Annotated[str | None, Argument()] = None,
    seed: Annotated[Seed, "Of all random numbers."] = 1,
    answer: AnswerOptions,
) -> None:
    """Simulate the claim NAME and print whether it holds; without NAME list all claims."""
    from difflib import get_close_matches

    from prowess.engine.system import Dynamic
    from prowess.present.declarations import claim_data, findings_data, findings_parts
    from prowess.study.simulation.claims import CLAIMS
    from prowess.systems.catalogue import find

    if name is None:
        claims = [claim_data(claim) for claim in CLAIMS.values()]
        body = [[claim["name"], claim["claim"]] for claim in claims]
        answer.give_rows(claims, claims, lambda _: [[["name", "claim"], *body]])
        return
    if name not in CLAIMS:
        near = get_close_matches(name, CLAIMS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"name one of {', '.join(CLAIMS)}:"
        raise click.UsageError(f"{hint} there is no preset {name!r}")
    claim, system = CLAIMS[name], find(CLAIMS[name].system)
    assert isinstance(system, Dynamic)  # every claim is about one
    data = findings_data(claim, claim.tried(system, seed), seed)
    answer.give_rows(data, data["findings"], findings_parts)
