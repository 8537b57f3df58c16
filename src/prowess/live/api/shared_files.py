"""Files that are worked out once and sent to all clients that ask for them meanwhile.

A file is written to a temporary file of the system, in a turn (`turns`): a client that reads slowly
holds up no other. A file that waits for its turn shows what is known when it begins, so everybody
who asks until then shares it. It is deleted when its last reader leaves, complete or not.
"""

from __future__ import annotations

import os
from asyncio import Event, Task, create_task
from collections.abc import Callable, Hashable, Iterator, Mapping
from tempfile import TemporaryFile
from typing import NamedTuple

from anyio import to_thread
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from prowess.live.api.turns import Turns, busy_problem, run_until_left

PIECE_BYTES = 1 << 18  # sent at a time
MAX_SHARED_FILES = 16  # at a time


class FilePlan(NamedTuple):
    """The head of a file and its parts, which are worked out as they are taken."""

    headers: Mapping[str, str]
    kind: str  # the media type
    parts: Iterator[bytes]


class SharedFile:
    """A file that is being written, and how many clients wait for it."""

    def __init__(self, plan: Callable[[], FilePlan], turns: Turns) -> None:
        self.plan, self.turns = plan, turns
        self.readers = 0
        self.begun = self.ended = False
        self.head: FilePlan | None = None
        self.error: Exception | None = None
        self.size = 0
        self.grown = Event()
        self.file = TemporaryFile(buffering=0)  # noqa: SIM115, closed by `SharedFiles.leave`
        self.task: Task[None] | None = None

    async def write(self) -> None:
        """Write the file in a turn, as long as there are readers."""
        try:
            turn = await self.turns.take()
            try:
                self.begun = True
                self.head = await to_thread.run_sync(self.plan)
                while self.readers and await to_thread.run_sync(self.write_part):
                    self.announce()
            finally:
                turn.end()
        except Exception as error:  # each reader raises it
            self.error = error
        finally:
            self.ended = True
            self.announce()
            if not self.readers:
                self.file.close()

    def write_part(self) -> bool:
        """Write the next part; returns whether there was one."""
        assert self.head is not None
        part = next(self.head.parts, None)
        if part is None:
            return False
        left = memoryview(part)
        while left:  # a full disk takes a part of it, and then raises
            left = left[self.file.write(left) :]
        self.size += len(part)
        return True

    def announce(self) -> None:
        """Wake all readers."""
        self.grown.set()
        self.grown = Event()

    async def read_piece(self, start: int) -> bytes:
        """Wait for bytes from a place on; empty at the end. Raises what writing raised."""
        while self.size <= start and not self.ended:
            await self.grown.wait()
        if self.size > start:
            count = min(PIECE_BYTES, self.size - start)
            return await to_thread.run_sync(os.pread, self.file.fileno(), count, start)
        if self.error is not None:
            raise self.error
        return b""


class SharedFiles:
    """The files of a server that are being written or read, by what was asked."""

    def __init__(self, turns: Turns, find_revision: Callable[[], int]) -> None:
        self.turns, self.find_revision = turns, find_revision
        self.files: dict[SharedFile, tuple[Hashable, int]] = {}  # what was asked, at what revision

    def join(self, key: Hashable, plan: Callable[[], FilePlan]) -> SharedFile:
        """The file of a plan, new or shared, with one reader more; raises HttpProblem 503."""
        now = self.find_revision()
        for one, (asked, revision) in self.files.items():
            if asked == key and one.error is None and (not one.begun or revision == now):
                one.readers += 1
                return one
        if len(self.files) >= MAX_SHARED_FILES:
            raise busy_problem()
        made = SharedFile(plan, self.turns)
        made.readers = 1
        self.files[made] = key, now
        made.task = create_task(made.write())
        return made

    def leave(self, one: SharedFile) -> None:
        """Take back a `join`; after the last reader the file is deleted."""
        one.readers -= 1
        if one.readers:
            return
        del self.files[one]
        if not one.begun and one.task is not None:
            one.task.cancel()
        if one.ended or not one.begun:
            one.file.close()


class SharedResponse(Response):
    """The response that sends a shared file; it begins once there is a part of the file."""

    def __init__(self, files: SharedFiles, key: Hashable, plan: Callable[[], FilePlan]) -> None:
        super().__init__()
        self.files, self.key, self.plan = files, key, plan

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file until its end, or until the client has left; see ASGI."""
        one = self.files.join(self.key, self.plan)
        try:
            await run_until_left(receive, self.send_file(one, send))
        finally:
            self.files.leave(one)

    async def send_file(self, one: SharedFile, send: Send) -> None:
        """Send the parts of a file as they are written."""
        part = await one.read_piece(0)
        assert one.head is not None
        self.media_type = one.head.kind
        self.init_headers(dict(one.head.headers))
        headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
        start = {"type": "http.response.start", "status": self.status_code, "headers": headers}
        await send(start)
        place = 0
        while part:
            await send({"type": "http.response.body", "body": part, "more_body": True})
            place += len(part)
            part = await one.read_piece(place)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
