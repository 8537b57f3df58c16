"""How files are read as a stream, and in which order: sorted on disk where that is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.arguments import BadArgument
from prowess.games.whole_files import replace_folder

if TYPE_CHECKING:
    from prowess.games.stream import GameStream

PART_OF_MEMORY = 3  # files larger than this part of it are read as a stream
CHECKPOINT_SECONDS = 60.0
SORTED, SOURCES = "sorted", "sources.json"  # the folder of sorted files, and what they are of


class StreamOptions(NamedTuple):
    """How files are read as a stream; where nothing is given, their size decides."""

    memory: int | None = None  # bytes; None: half of the machine's
    resume: str | None = None  # the folder of checkpoints
    checkpoint_every: float = CHECKPOINT_SECONDS
    sort: bool = False
    temp: str | None = None  # the folder for files of sorting

    def apply_to(self, source: Any, *, at_once: bool = False) -> bool:
        """Whether a source is read as a stream; raises BadArgument where it cannot be.

        Without an option it is where files are together larger than a third of the memory, but for
        a system that looks `at_once` at the table.
        """
        from prowess.engine.streams.memory import MIN_MEMORY
        from prowess.games.shards import Shards, holds_shards

        paths = [source] if isinstance(source, str | Path) else source
        if not (
            isinstance(paths, list | tuple)
            and paths
            and all(isinstance(one, str | Path) and str(one) != "-" for one in paths)
        ):
            paths = None
        if isinstance(source, Shards) or (
            paths and len(paths) == 1 and holds_shards(str(paths[0]))
        ):
            if self.memory is not None or self.sort:
                raise BadArgument.of("shards_in_order")
            return False
        if paths is None and self.wants_stream:
            raise BadArgument.of("not_files.file_sources")
        if paths is None or self.wants_stream or at_once:
            return self.wants_stream
        size = sum(measure_source(str(one)) for one in paths) * PART_OF_MEMORY
        return size > MIN_MEMORY and size > self.bytes  # a smaller one is read into any memory

    @property
    def wants_stream(self) -> bool:
        """Whether an option asks for a stream, whatever the size of the files is."""
        return self.memory is not None or self.resume is not None or self.sort

    def hold_folder(self) -> AbstractContextManager[None]:
        """Keep other runs out of the folder of checkpoints, where there is one."""
        from prowess.engine.streams.checkpoint import hold_folder

        return nullcontext() if self.resume is None else hold_folder(self.resume)

    @property
    def bytes(self) -> int:
        """The memory that ratings may take."""
        from prowess.engine.streams.memory import machine_memory

        return machine_memory() // 2 if self.memory is None else self.memory


def measure_source(path: str) -> int:
    """The size of the files that a path, folder or pattern stands for; 0 for a page of the web, and
    for what the reader will refuse.
    """
    from prowess.games.errors import BadData
    from prowess.games.formats.locations import list_paths, measure_file

    try:
        if (file := Path(path)).is_file():
            return file.stat().st_size
        return sum(measure_file(one)[0] for one in list_paths(path))
    except (BadData, OSError):  # of a name that is too long
        return 0


def describe_reading(reading: Mapping[str, Any]) -> str | None:
    """The options of reading as text, to compare two runs."""
    told = {name: value for name, value in reading.items() if name not in ("report", "skip_bad")}
    return ", ".join(f"{name} {_describe(told[name])}" for name in sorted(told)) or None


def _describe(value: Any) -> str:
    """An option as text, which is the same in every process: sets have no order."""
    if isinstance(value, Mapping):
        return (
            f"{{{', '.join(f'{_describe(key)}: {_describe(one)}' for key, one in value.items())}}}"
        )
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(_describe, value)))}}}"
    return str(value)


@contextmanager
def sort_source(
    source: Any, options: StreamOptions, reading: Mapping[str, Any]
) -> Iterator[Callable[..., GameStream]]:
    """What opens the source as a stream, sorted where that is asked for; it takes options of
    reading in the place of those given.

    Sorted files are gone afterwards, but for a run with checkpoints, which finds them again.
    """
    from prowess.games.stream import open_stream

    kept = None if options.resume is None else Path(options.resume) / SORTED
    if kept is not None:
        check_sorting(kept, options.sort)
    if not options.sort:
        yield partial(open_stream, source, **reading)
        return
    from prowess.games.formats import stream_files

    how = {"memory": options.bytes, "temp": options.temp, **reading}
    with ExitStack() as held:
        if kept is None:
            folder = Path(held.enter_context(stream_files.make_temporary_folder(options.temp)))
            made = stream_files.sort_files(source, folder, **how)
        else:
            said = describe_sorting(source, reading)
            if kept.is_dir():
                check_sorted_files(kept, said)
            else:
                with replace_folder(kept) as part:
                    stream_files.sort_files(source, part, **how)
                    (part / SOURCES).write_text(json.dumps(said), encoding="utf-8")
            made = sorted(kept.glob("*.parquet"))
        held.enter_context(stream_files.name_first_place(source, made))
        yield partial(open_stream, made, **reading)


def check_sorting(kept: Path, sort: bool) -> None:
    """Raise BadCheckpoint where a run in a folder was begun in another order of its rows.

    `kept` are its sorted files.
    """
    from prowess.engine.streams.checkpoint import BadCheckpoint, Checkpoints

    folder = kept.parent
    if kept.is_dir() and not sort:
        raise BadCheckpoint.of("begun_sorted", folder=folder)
    if sort and not kept.is_dir() and Checkpoints(folder, {}, 0.0).list_whole():
        raise BadCheckpoint.of("begun_unsorted", folder=folder)


def describe_sorting(source: Any, reading: Mapping[str, Any]) -> dict[str, Any]:
    """What is sorted, as plain data: the files, and how they are read."""
    from prowess.engine.streams.resuming import describe_files
    from prowess.games.formats.stream_files import list_stream_files, look_at_file

    files = describe_files(map(look_at_file, list_stream_files(source)))
    return {"reading": describe_reading(reading), "files": files}


def check_sorted_files(kept: Path, said: Mapping[str, Any]) -> None:
    """Raise BadCheckpoint where files were sorted that are not those of `said` any more."""
    from prowess.engine.streams.checkpoint import BadCheckpoint

    then = json.loads((kept / SOURCES).read_text(encoding="utf-8"))
    if then == said:
        return
    again, folder = "name another folder, and rate from the beginning", kept.parent
    if then["reading"] != said["reading"]:
        raise BadCheckpoint(
            f"{again}: {folder} was sorted with reading {then['reading'] or 'none'}, not "
            f"{said['reading'] or 'none'}", code="sorted_otherwise"
        )  # fmt: skip
    for file in said["files"]:
        if file not in then["files"]:
            raise BadCheckpoint.of("file_changed.file_sources", again=again, file=file[0])
    raise BadCheckpoint.of("other_files", again=again, folder=folder)
