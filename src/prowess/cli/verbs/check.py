"""`prowess check`: proves that what is shown equals the replay of the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from prowess.cli.output import json_option, json_text, put
from prowess.cli.stores import store_option

if TYPE_CHECKING:
    from prowess.live.journal.verify import Served, Verification

SHOWN = 10  # differences that are told one by one
ANOTHER = "give the address of the server that keeps this store, and its --token if it is private"


@click.command("check", short_help="Prove that a store's ladders equal the replay of their log.")
@store_option
@click.option(
    "--url", metavar="URL",
    help="Compare what this running server shows, not what a start from the store would.",
)  # fmt: skip
@click.option(
    "--token", envvar="PROWESS_TOKEN", metavar="SECRET", help="For a server that is private."
)
@json_option
def command(store: str, url: str | None, token: str | None, as_json: bool) -> int:
    """Play the whole log of every category with the batch program and compare every value.

    Works while a server runs. Exit code 0: all equal to the last bit (whole-table fits to
    1e-9), or a log that cannot be rated, and why; 1: something differs, and what.
    """
    from prowess.live.journal.verify import verify_store

    found = verify_store(store, None if url is None else server_values(url, token))
    if as_json:
        put(json_text([told(one) for one in found]))
    else:
        for proof in found:
            click.echo(line(proof))
            for one in proof.differences[:SHOWN]:
                click.echo(
                    f"  {one.player}: {one.column} is shown as {one.shown!r}, the log says "
                    f"{one.replayed!r}"
                )
    return int(any(one.differences for one in found))


def line(proof: Verification) -> str:
    """One category in one line."""
    if proof.trouble is not None:
        return f"{proof.category}: {proof.results:,} results: cannot be rated: {proof.trouble}"
    verdict = f"{len(proof.differences):,} values differ" if proof.differences else "equal"
    return f"{proof.category}: {proof.results:,} results, {proof.players:,} players: {verdict}"


def told(proof: Verification) -> dict[str, Any]:
    """One category as data."""
    return {
        "category": proof.category,
        "results": proof.results,
        "players": proof.players,
        "equal": None if proof.trouble is not None else not proof.differences,
        "trouble": proof.trouble,
        "differences": [one._asdict() for one in proof.differences],
    }


def server_values(url: str, token: str | None) -> Served:
    """What a server shows of a category: the revision, and the values by player."""
    from prowess.live.client import Away, Client, Problem

    try:
        client = Client(url, token)
    except ValueError as error:
        raise click.UsageError(str(error)) from None

    def values(category: str) -> tuple[int, dict[str, dict[str, float]]]:
        try:
            revision = client.revision()
            rows = client.leaderboard(category, revision=revision, everyone=True)
            return revision, {row["player"]: row["values"] for row in rows}
        except Away as error:
            raise click.UsageError(f"{error}; does it run there?") from None
        except Problem as error:
            raise click.UsageError(f"{url}: {error.detail}; {ANOTHER}") from None
        except (KeyError, TypeError, ValueError):
            raise click.UsageError(f"{url} does not answer as Prowess does; {ANOTHER}") from None

    return values
