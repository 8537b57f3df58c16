"""Systems, settings and banks as options name them: `elo:k=20,glicko2@1mo`; who computes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import click

from prowess.cli.completion import complete_settings, complete_systems
from prowess.cli.options import Option
from prowess.cli.output import print_note, read_display
from prowess.verbs.tables import split_values

if TYPE_CHECKING:
    from prowess.engine.check import System


def parse_settings(values: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` pairs, a name once."""
    given: dict[str, str] = {}
    for text in values:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"write NAME=VALUE, not {text!r}")
        if name.strip() in given:
            raise click.BadParameter(f"give {name.strip()} once: it is set twice")
        given[name.strip()] = value.strip()
    return given


def parse_bank(values: Sequence[str]) -> dict[str, list[str]]:
    """`NAME=VALUE,VALUE,...` as the values of each parameter, a name once."""
    given: dict[str, list[str]] = {}
    for text in values:
        name, sign, listed = (part.strip() for part in text.partition("="))
        if not sign or not name:
            raise click.BadParameter(f"write NAME=VALUE,VALUE,..., not {text!r}")
        if name in given:
            raise click.BadParameter(f"give {name} once, with all its values in one list")
        given[name] = split_values(text, listed, ",")
    return given


SystemName = Annotated[
    str | None, Option(metavar="NAME", names=("--system", "-s"), complete=complete_systems)
]
RatedSystem = Annotated[
    SystemName, "A name from `prowess systems`, or a system of your own, FILE.py:NAME."
]
Settings = Annotated[
    Mapping[str, str],
    Option(
        metavar="NAME=VALUE",
        names=("--set",),
        multiple=True,
        parse=parse_settings,
        complete=complete_settings,
    ),
    "Another value for a parameter of the system.",
]
Bank = Annotated[
    Mapping[str, list[str]],
    Option(metavar="NAME=VALUE,VALUE", multiple=True, parse=parse_bank, complete=complete_settings),
    "Several values of a parameter at once, mixed by how well each forecasts.",
]
Period = Annotated[str | None, Option("Rate the games of a period together.", "7d|1mo|round")]
Systems = Annotated[str | None, Option(metavar="LIST", complete=complete_systems)]


def find_system(
    name: str | None, quiet: bool = True, default: str | None = None, why: str = "the default"
) -> System:
    """A system by name or `FILE.py:NAME`; without a name the default, and `why` it is."""
    from prowess.systems.catalogue import find
    from prowess.verbs.tables import DEFAULT_SYSTEM

    if name is not None:
        return find(name)
    system = find(default or DEFAULT_SYSTEM)
    if not quiet and (default is not None or read_display("verbose")):
        print_note(f"system {system.name}, {why} (--system chooses)")
    return system


# Where tasks are computed: processes of this machine, or a cluster.


class WorkerOptions(NamedTuple):
    """Who shares the work; the answer is the same."""

    jobs: Annotated[
        int,
        Option(metavar="N", type=click.IntRange(min=1), names=("--jobs", "-j")),
        "Processes that share the work; the answer is the same.",
    ] = 1
    cluster: Annotated[
        str | None,
        Option(metavar="ADDRESS"),
        "Share the work on a Dask cluster: the address of its scheduler (tcp://head:8786), or "
        "local for all cores here.",
    ] = None

    def check(self) -> None:
        """Raise UsageError for a cluster and processes at once."""
        if self.cluster is not None and self.jobs != 1:
            raise click.UsageError("leave --jobs out: --cluster has workers of its own")

    @property
    def choice(self) -> int | str:
        """The number of processes, or the address of a cluster, as `workers_of` takes it."""
        return self.jobs if self.cluster is None else self.cluster


NO_WORKERS = WorkerOptions()
