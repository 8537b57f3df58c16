"""Send results to the server that has a store open: only that server may write there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from operator import attrgetter
from time import monotonic, sleep
from typing import Any, NamedTuple, TypeVar

from prowess.live.client import Away, Client, Problem
from prowess.live.errors import Refused, StoreEmpty, StoreInUse, StoreOutOfReach, WrongUse
from prowess.live.journal.corrections import MOST_FIXTURES
from prowess.live.journal.imports import name_error
from prowess.live.journal.registry import Category, categories_at
from prowess.live.journal.submission import LineUp, PlannedGame, Submission
from prowess.live.journal.unit_of_work import DONE_TO_GAMES, SETTLED
from prowess.live.store.reading import open_to_read
from prowess.live.store.store import noted_address

T = TypeVar("T")
RESULTS_OF_REQUEST = 100_000  # results in one request, which takes them whole or not at all
SECONDS_OF_REQUEST = 300.0  # seconds for the answer to one part
SECONDS_TO_OPEN = 20.0  # seconds for another program to leave the store, or to say where it serves
SECONDS_TO_START = 120.0  # seconds for a server to begin
SECONDS_BETWEEN_TRIES = 0.2  # seconds between two attempts


def wait_for_store(record: Callable[[], T], store: str) -> T:
    """What `record` returns; while another program has the store open, wait until it is done or
    says where it serves. Raises StoreInUse.
    """

    def is_passing(error: Exception) -> bool:
        return isinstance(error, StoreInUse) and find_address(store) is None

    return try_again(record, SECONDS_TO_OPEN, is_passing)


def try_again(act: Callable[[], T], seconds: float, is_passing: Callable[[Exception], bool]) -> T:
    """What `act` returns; it is called again for so long while what it raises is passing."""
    end = monotonic() + seconds
    while True:
        try:
            return act()
        except Exception as error:
            if monotonic() > end or not is_passing(error):
                raise
        sleep(SECONDS_BETWEEN_TRIES)


class SentResults(NamedTuple):
    """The server's answer to all parts of an import."""

    counts: Counter[str]  # by status, and of the games to come that they settled
    revision: int
    refused: list[Refused]  # rows that were left out


class StoreServer(NamedTuple):
    """The server that has a store open, and the category of the store that is asked for."""

    address: str
    category: Category


def find_server(store: str, key: str | None, in_use: StoreInUse) -> StoreServer:
    """The server of a store and the category of a key, or the only one.

    Raises `in_use` where the store has no address of a server.
    """
    address = find_address(store)
    with open_to_read(store) as ladder, ladder.read() as connection:
        found = {one.key: one for one in categories_at(connection)}
    if address is None:
        raise in_use
    known = ", ".join(found) or "none yet"
    if key is None and len(found) != 1:
        raise WrongUse.of("missing.server", known=known)
    key = key or next(iter(found))
    if key not in found:
        raise WrongUse.of("no_such_category.server", key=key, address=address, known=known)
    return StoreServer(address, found[key])


def find_address(store: str) -> str | None:
    """Where the server of a store answers; None before it has said so."""
    try:
        with open_to_read(store) as ladder, ladder.read() as connection:
            return noted_address(connection)
    except StoreEmpty:  # the other program is making its tables
        return None


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
    count: Counter[str] = Counter()
    refused: list[Refused] = []
    revision = 0
    send = partial(send_part, skip=skip, dry_run=dry_run, look_alikes=look_alikes)
    for done, part, answer in send_parts(server, token, rows, RESULTS_OF_REQUEST, send, "submit"):
        if isinstance(answer, Problem):
            raise refusal_of(answer, part, 0 if dry_run else done) from None
        count += Counter({SETTLED: answer.get(SETTLED, 0)})
        for row in answer["results"]:
            count[row["status"]] += 1
            if "error" in row:
                fault = row["error"]
                one = Refused(
                    fault["code"], fault["message"], row=row["row"], field=fault.get("field")
                )
                refused.append(name_error(one, part))
        revision = answer["revision"]
    return SentResults(count, revision, refused)


def send_parts(
    server: StoreServer,
    token: str,
    rows: Sequence[T],
    most: int,
    send: Callable[[Client, Sequence[T]], Any],
    scope: str,
) -> Iterator[tuple[int, Sequence[T], Any]]:
    """Each part of so many rows that one request takes: the place of its first row, the rows, and
    the server's answer, or its Problem. Raises StoreOutOfReach, and WrongUse for the token.
    """
    with closing(Client(server.address, token, timeout=SECONDS_OF_REQUEST)) as client:
        for done in range(0, len(rows), most):
            part = rows[done : done + most]
            try:
                answer = ask_once_ready(partial(send, client, part))
            except Away as error:
                raise StoreOutOfReach.of(
                    "sending_stopped", error=error, done=done, rows=len(rows)
                ) from None
            except Problem as error:
                check_token(server, error, scope)
                answer = error
            yield done, part, answer


def check_token(server: StoreServer, error: Problem, scope: str) -> None:
    """Raise WrongUse where a problem is that of the token."""
    if error.status in (401, 403) and not error.errors:
        raise WrongUse.of(
            "token_refused", scope=scope, address=server.address, detail=error.detail
        ) from None


def send_additions(
    server: StoreServer,
    token: str,
    rows: Sequence[T],
    most: int,
    add: Callable[[Client, str, Sequence[T]], Any],
) -> tuple[Counter[str], int]:
    """Add players or games to come by a server, in parts: what its answers count, and the revision.

    Raises Refused, StoreOutOfReach, WrongUse.
    """
    count, revision = Counter[str](), 0

    def send(client: Client, part: Sequence[T]) -> Any:
        return add(client, server.category.key, part)

    for start, _, answer in send_parts(server, token, rows, most, send, "correct"):
        if not isinstance(answer, Problem):
            counted = ("players", *DONE_TO_GAMES)
            count.update({name: answer[name] for name in counted if name in answer})
            revision = answer["revision"]
        elif answer.code != "nothing_changes":
            done = count["fixtures"] or count["players"]
            raise refusal_of_addition(answer, start, done) from None
    return count, revision


def send_games(
    server: StoreServer, token: str, games: Sequence[PlannedGame], look_alikes: bool
) -> tuple[Counter[str], int]:
    """Add games to come of a table by a server, as `send_additions`; none comes again.

    Those of two players are sent together, as one may be moved to the time of another.
    """
    from prowess.live.api.encoding import format_time  # which loads the server

    games = sorted(games, key=attrgetter("players"))
    rows = [one._asdict() | {"time": format_time(one.time)} for one in games]
    add = partial(Client.add_games, once=True, look_alikes=look_alikes)
    try:
        return send_additions(server, token, rows, MOST_FIXTURES, add)
    except Refused as error:
        raise name_error(error, games) from None


def refusal_of_addition(error: Problem, start: int, count: int) -> Refused:
    """The server's refusal of a part of a list that begins after so many."""
    first = error.errors[0] if error.errors else error
    message, row = getattr(first, "message", error.detail), getattr(first, "row", None)
    if count:
        before = "one before them is" if count == 1 else f"{count:,} before them are"
        message += f" ({before} added; run the command again when mended)"
    return Refused(first.code, message, row=None if row is None else start + row)


def ask_once_ready(ask: Callable[[], T]) -> T:
    """What a server answers; one that is starting is asked again."""
    return try_again(
        ask,
        SECONDS_TO_START,
        lambda error: isinstance(error, Problem) and error.code == "starting",
    )


def send_part(
    client: Client, part: Sequence[Submission], skip: bool, dry_run: bool, look_alikes: bool
) -> Any:
    """The server's answer to one part; with `skip` also where every row of it is refused."""
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
    from prowess.live.api.encoding import format_time  # which loads the server

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
    text = error.detail
    if error.errors:
        first = error.errors[0]
        one = Refused(first.code, first.message, row=first.row, field=first.field)
        count, several, _ = text.partition(", the first")
        text = (
            f"{count}{several}: {name_error(one, part)}" if several else str(name_error(one, part))
        )
    if done:
        results = "result before it is" if done == 1 else "results before it are"
        text += f" ({done:,} {results} recorded; run the command again when mended)"
    return Refused(error.code, text)
