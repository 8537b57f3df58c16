"""Results sent to the server that has a store open: only that server may write there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from prowess.live.client import Client, Problem
    from prowess.live.errors import Refused, StoreInUse
    from prowess.live.journal.registry import Category
    from prowess.live.journal.submission import LineUp, Submission

PART = 100_000  # results in one request, which takes them whole or not at all
PATIENCE = 300.0  # seconds for the answer to one part
COMMAND = "prowess token add NAME --scope submit --source SOURCE --store STORE"


class SentResults(NamedTuple):
    """The server's answer to all parts of an import."""

    counts: Counter[str]  # by status
    revision: int
    refused: list[Refused]  # rows that were left out


class StoreServer(NamedTuple):
    """The server that has a store open, and the category of the store that is asked for."""

    address: str
    category: Category


def find_server(store: str, key: str, in_use: StoreInUse) -> StoreServer:
    """The server of a store; raises `in_use` where the store has no address of one."""
    from prowess.live.journal.registry import categories_at
    from prowess.live.store.store import noted_address, open_store

    with closing(open_store(store, create=False)) as ladder, ladder.read() as connection:
        address = noted_address(connection)
        found = {one.key: one for one in categories_at(connection)}
    if address is None:
        raise in_use
    if key not in found:
        known = ", ".join(found) or "none yet"
        raise click.UsageError(
            f"make the category {key} first, on the page {address}/admin/categories: the server "
            f"there has the store open, and knows {known}"
        )
    return StoreServer(address, found[key])


def send_results(
    server: StoreServer,
    token: str,
    rows: Sequence[Submission],
    *,
    skip: bool,
    dry_run: bool,
    look_alikes: bool,
) -> SentResults:
    """Send results to a server in parts; raises Refused, StoreOutOfReach, UsageError.

    The number of a result follows from its values, so a part that is sent again doubles nothing.
    """
    from prowess.live.client import Away, Client, Problem
    from prowess.live.errors import Refused, StoreOutOfReach
    from prowess.live.journal.imports import name_error

    count: Counter[str] = Counter()
    refused: list[Refused] = []
    revision, done = 0, 0
    with closing(Client(server.address, token, timeout=PATIENCE)) as client:
        for part in split_parts(rows):
            try:
                answer = send_part(client, part, skip, dry_run, look_alikes)
            except Away as error:
                raise StoreOutOfReach(
                    f"run the same command again, which doubles nothing: {error}, and "
                    f"{done:,} of {len(rows):,} results are acknowledged"
                ) from None
            except Problem as error:
                if error.status in (401, 403) and not error.errors:
                    raise click.UsageError(
                        f"give a --token that may submit: the server at {server.address} says: "
                        f"{error.detail}"
                    ) from None
                raise refusal_of(error, part, 0 if dry_run else done) from None
            for row in answer["results"]:
                count[row["status"]] += 1
                if "error" in row:
                    fault = row["error"]
                    one = Refused(
                        fault["code"], fault["message"], row=row["row"], field=fault.get("field")
                    )
                    refused.append(name_error(one, part))
            revision, done = answer["revision"], done + len(part)
    return SentResults(count, revision, refused)


def split_parts(rows: Sequence[Submission]) -> Iterator[Sequence[Submission]]:
    """The rows in parts that one request takes."""
    for start in range(0, len(rows), PART):
        yield rows[start : start + PART]


def send_part(
    client: Client, part: Sequence[Submission], skip: bool, dry_run: bool, look_alikes: bool
) -> Any:
    """The server's answer to one part; with `skip` also where every row of it is refused."""
    from prowess.live.client import Problem

    try:
        return client.submit_many(
            map(result_data, part),
            on_error="skip" if skip else "stop",
            dry_run=dry_run,
            look_alikes=look_alikes,
        )
    except Problem as error:
        if not (skip and error.code == "bad_rows"):
            raise
        faults = {one.row: one for one in error.errors}
        return {
            "revision": client.revision(),
            "results": [
                {"row": row, "status": "refused", "error": faults[row]._asdict()} for row in faults
            ],
        }


def result_data(one: Submission) -> Any:
    """A result as the API takes it, without the fields that are not given."""
    from prowess.live.api.encoding import format_time

    data = {name: value for name, value in one._asdict().items() if value not in (None, ())}
    if one.placings:
        data["placings"] = [
            {"player": player, "place": place}
            | ({} if points is None else {"points": points})
            for player, place, points in one.placings
        ]  # fmt: skip
    if one.sides:
        data["sides"] = [side_data(side) for side in one.sides]
    if one.time is not None:
        data["time"] = format_time(one.time)
    return data


def side_data(side: LineUp) -> Any:
    """A side as the API takes it."""
    players = [
        name if share == 1.0 else {"player": name, "share": share} for name, share in side.players
    ]
    data = {name: value for name, value in side._asdict().items() if value is not None}
    return data | {"players": players}


def refusal_of(error: Problem, part: Sequence[Submission], done: int) -> Refused:
    """The server's refusal, by players and date, and how much it had recorded before."""
    from prowess.live.errors import Refused
    from prowess.live.journal.imports import name_error

    text = error.detail
    if error.errors:
        first = error.errors[0]
        one = Refused(first.code, first.message, row=first.row, field=first.field)
        count, several, _ = text.partition(", the first")
        text = (
            f"{count}{several}: {name_error(one, part)}" if several else str(name_error(one, part))
        )
    if done:
        text += f" ({done:,} results before it are recorded; run the command again when mended)"
    return Refused(error.code, text)
