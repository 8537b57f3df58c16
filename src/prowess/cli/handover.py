"""Handing results to the server that has a store open: it alone may write there."""

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


class Handed(NamedTuple):
    """What the server did with the results."""

    counts: Counter[str]  # by status
    revision: int
    refused: list[Refused]  # rows that were left out


class Keeper(NamedTuple):
    """The server that has a store open, and the category of the store that is asked for."""

    address: str
    category: Category


def find_keeper(store: str, key: str, in_use: StoreInUse) -> Keeper:
    """The server of a store; raises the error that led here where nobody knows its address."""
    from prowess.live.journal.registry import categories_at
    from prowess.live.store.store import noted_address, open_store

    with closing(open_store(store, create=False)) as books, books.read() as connection:
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
    return Keeper(address, found[key])


def hand_over(
    keeper: Keeper,
    token: str,
    rows: Sequence[Submission],
    *,
    skip: bool,
    dry_run: bool,
    look_alikes: bool,
) -> Handed:
    """Send results to a server, in parts; raises Refused, StoreOutOfReach, UsageError.

    Each result has its number made of what it says, so a part that is sent again doubles nothing.
    """
    from prowess.live.client import Away, Client, Problem
    from prowess.live.errors import Refused, StoreOutOfReach
    from prowess.live.journal.imports import name_error

    count: Counter[str] = Counter()
    refused: list[Refused] = []
    revision, done = 0, 0
    with closing(Client(keeper.address, token, timeout=PATIENCE)) as client:
        for part in parts(rows):
            try:
                told = send_part(client, part, skip, dry_run, look_alikes)
            except Away as error:
                raise StoreOutOfReach(
                    f"run the same command again, which doubles nothing: {error}, and "
                    f"{done:,} of {len(rows):,} results are acknowledged"
                ) from None
            except Problem as error:
                if error.status in (401, 403) and not error.errors:
                    raise click.UsageError(
                        f"give a --token that may submit: the server at {keeper.address} says: "
                        f"{error.detail}"
                    ) from None
                raise _refused(error, part, 0 if dry_run else done) from None
            for row in told["results"]:
                count[row["status"]] += 1
                if "error" in row:
                    fault = row["error"]
                    one = Refused(
                        fault["code"], fault["message"], row=row["row"], field=fault.get("field")
                    )
                    refused.append(name_error(one, part))
            revision, done = told["revision"], done + len(part)
    return Handed(count, revision, refused)


def parts(rows: Sequence[Submission]) -> Iterator[Sequence[Submission]]:
    """The rows in parts that one request takes."""
    for start in range(0, len(rows), PART):
        yield rows[start : start + PART]


def send_part(
    client: Client, part: Sequence[Submission], skip: bool, dry_run: bool, look_alikes: bool
) -> Any:
    """What the server answers to one part; where every row of it is refused and `skip`, too."""
    from prowess.live.client import Problem

    try:
        return client.submit_many(
            map(as_result, part),
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


def as_result(one: Submission) -> Any:
    """A result as the API takes it; what is not said is left out."""
    from prowess.live.api.encoding import format_time

    said = {name: value for name, value in one._asdict().items() if value not in (None, ())}
    if one.placings:
        said["placings"] = [
            {"player": player, "place": place}
            | ({} if points is None else {"points": points})
            for player, place, points in one.placings
        ]  # fmt: skip
    if one.sides:
        said["sides"] = [as_side(side) for side in one.sides]
    if one.time is not None:
        said["time"] = format_time(one.time)
    return said


def as_side(side: LineUp) -> Any:
    """A side as the API takes it."""
    players = [
        name if share == 1.0 else {"player": name, "share": share} for name, share in side.players
    ]
    said = {name: value for name, value in side._asdict().items() if value is not None}
    return said | {"players": players}


def _refused(error: Problem, part: Sequence[Submission], done: int) -> Refused:
    """What the server refused, by players and date, and what it had taken before."""
    from prowess.live.errors import Refused
    from prowess.live.journal.imports import name_error

    told = error.detail
    if error.errors:
        first = error.errors[0]
        one = Refused(first.code, first.message, row=first.row, field=first.field)
        count, several, _ = told.partition(", the first")
        told = (
            f"{count}{several}: {name_error(one, part)}" if several else str(name_error(one, part))
        )
    if done:
        told += f" ({done:,} results before it are recorded; run the command again when mended)"
    return Refused(error.code, told)
