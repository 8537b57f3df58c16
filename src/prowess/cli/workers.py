"""Options for where tasks are computed: processes of this machine, or a cluster."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import click

from prowess.cli.options import Option


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
    def chosen(self) -> int | str:
        """What `prowess.engine.cluster.workers.workers_of` takes."""
        return self.jobs if self.cluster is None else self.cluster


NO_WORKERS = WorkerOptions()
