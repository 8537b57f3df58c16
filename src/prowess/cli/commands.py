"""`prowess`: the table of verbs; the module of a verb is imported only when the verb runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module

import click

from prowess.version import __version__

# A stream frees what its decoding threads allocate in another one, which Arrow's own allocator
# answers with fresh pages for every batch: a second of the processor for 10^8 games.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

VERB_GROUPS = {  # heading -> verb -> its module, and what the list of verbs says of it
    "Rate and ask": {
        "rate": ("verbs.rate", "Rate games or contests and print the leaderboard."),
        "shard": ("verbs.rate", "Cut games by players, for rating periods on a cluster."),
        "history": ("verbs.rate", "Show every game of a player, and why the rating moved."),
        "forecast": ("verbs.forecast", "Forecast a game or a series between two players."),
        "teams": ("verbs.pairs", "Split players into teams with even chances."),
        "tournament": (
            "verbs.tournament",
            "Forecast the places of a round robin, season, bracket or Swiss.",
        ),
        "performance": ("verbs.forecast", "Compute performance ratings of a span of dates."),
        "assess": ("verbs.forecast", "Compute what a win, a draw and a loss would change."),
        "table": ("verbs.judge", "Show one league under several systems, side by side."),
        "pairings": ("verbs.pairs", "Compare score and expected score of pairs, suggest games."),
        "next": ("verbs.pairs", "List the games worth playing next, or plan rounds."),
        "triangles": ("verbs.pairs", "List circles A > B > C > A, which no rating can explain."),
    },
    "Judge": {
        "compare": ("verbs.judge", "Compare systems by how well they forecast these games."),
        "benchmark": ("verbs.pages", "Judge the default beside systems tuned to these games."),
        "tune": ("verbs.judge", "Find the constants that forecast these games best."),
        "stack": ("verbs.judge", "Mix the forecasts of several systems, and judge the mixture."),
        "diagnose": ("verbs.pages", "Diagnose a league: noise, inflation, farming, pools, ..."),
        "arena": ("verbs.pages", "Audit votes: ranks, voters, covariates, what they hang on."),
        "sprt": ("verbs.judge", "Test in sequence whether one program is better than another."),
        "simulate": ("verbs.simulate", "Simulate leagues whose true strengths are known."),
    },
    "Pictures and pages": {
        "report": ("verbs.pages", "Write a page: leaderboard, histories, calibration."),
        "plot": ("verbs.pages", "Draw one figure as SVG or PNG."),
        "site": ("verbs.pages", "Write a folder of pages: leaderboard, players, pairs, method."),
        "try": ("verbs.pages", "Serve the page into which one drops a file, which computes there."),
    },
    "Theory": {
        "systems": ("verbs.help", "List the rating systems, or describe one."),
        "theory": ("verbs.theory", "Print tables that explain how rating systems behave."),
    },
    "Server": {
        "serve": ("verbs.serve", "Run the server of a live ladder."),
        "import": ("verbs.importing", "Import a table of results into the store of a live ladder."),
        "add-players": ("verbs.importing", "Add players to a live ladder before their first game."),
        "check": ("verbs.store", "Check that a store's ladders equal the replay of their log."),
        "token": ("verbs.store", "Make, list and revoke the tokens of a live ladder."),
        "backup": ("verbs.store", "Copy the store of a live ladder into one file."),
        "restore": ("verbs.store", "Fill an empty store from a backup."),
        "upgrade": ("verbs.store", "Bring the store of an earlier Prowess up to date."),
    },
    "Help": {
        "look": ("verbs.help", "Show how a table is read: columns, what is left out, games."),
        "demo": ("verbs.help", "Rate a small table of real matches and show what to ask."),
        "doctor": ("verbs.help", "Check the installation and rate a tiny table."),
        "completion": ("verbs.help", "Print the completion script of a shell."),
    },
}


class LazyGroup(click.Group):
    """A group that knows the names and short helps of its commands, and imports one to run it.

    `groups` gives the module and the short help of each name, under the headings of the help
    text; the module, inside `package`, has the command of `best-step` as `best_step_verb`.
    """

    def __init__(
        self, package: str, groups: Mapping[str, Mapping[str, tuple[str, str]]], **how: object
    ):
        super().__init__(**how)  # type: ignore[arg-type]
        self.package, self.groups = package, groups
        self.commands_of = {name: one for group in groups.values() for name, one in group.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the help text."""
        return list(self.commands_of)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None, or an error with the nearest known ones, where none is."""
        if cmd_name not in self.commands_of:
            if ctx.resilient_parsing or cmd_name.startswith("-"):
                return None
            from difflib import get_close_matches

            near = get_close_matches(cmd_name, self.commands_of, n=2)
            hint = f"did you mean {' or '.join(near)}?" if near else "see the list of --help:"
            ctx.fail(f"{hint} {ctx.command_path} has no {cmd_name!r}")
        module = import_module(f"{self.package}.{self.commands_of[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_verb")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write names and short helps, without loading any command."""
        widest = max(map(len, self.commands_of))
        for heading, commands in self.groups.items():
            with formatter.section(heading):
                rows = [(name.ljust(widest), text) for name, (_, text) in commands.items()]
                formatter.write_dl(rows)


prowess = click.version_option(__version__, prog_name="prowess", message="%(prog)s %(version)s")(
    LazyGroup(
        "prowess.cli",
        VERB_GROUPS,
        name="prowess",
        help="Turn game results into ratings.",
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        epilog="Start with: prowess demo, or prowess rate FILE",
    )
)
