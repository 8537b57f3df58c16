"""A run over a stream that goes on from its last checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import AnyArray
from prowess.compile.tree import fingerprint
from prowess.engine.loops import Sums
from prowess.engine.losses import ForecastScores
from prowess.engine.params import display_settings
from prowess.engine.rater import PieceRater, join_pieces
from prowess.engine.streams.checkpoint import BadCheckpoint, Checkpoints, digest_mark
from prowess.engine.streams.forecast_files import ForecastFile
from prowess.engine.streams.prepared_pieces import PreparedPieces
from prowess.engine.table import pack_table, unpack_table
from prowess.games.dates import format_date
from prowess.games.formats.locations import whole_path
from prowess.games.stream import Position, add_prefix, take_prefixed

if TYPE_CHECKING:
    from prowess.engine.system import Dynamic

    Arrays = dict[str, AnyArray]

COUNTED = ("contests", "rounds", "checked")  # of a rater
READER, RATER, PREPARED = "reader_", "rater_", "prepared_"  # before the names of arrays
SCORES, LEAGUE = "scores_", "league_"


class ResumableRun:
    """The pieces of a stream from the last checkpoint on, and the checkpoints to come.

    `source` is a stream of pieces, as `prowess.engine.streams.rate_stream` takes it.
    """

    def __init__(
        self,
        checkpoints: Checkpoints,
        rater: PieceRater,
        source: Any,
        prepared: PreparedPieces | None,
        forecasts: ForecastFile | None,
        resumed: Callable[[int], None] | None = None,
    ) -> None:
        self.resumed = resumed  # is told how many contests are rated already
        self.prepared, self.forecasts = prepared, forecasts
        self.checkpoints, self.rater, self.source = checkpoints, rater, source
        self.end: Any = None  # behind the last piece that was played
        self.saved: Any = None  # the same of the last checkpoint

    def pieces(self) -> Generator[Any]:
        """The pieces that are not rated yet; raises BadCheckpoint where files have changed."""
        found = self.checkpoints.load()
        if self.forecasts is not None:
            self.forecasts.restore(0 if found is None else found.header["parts"])
        if found is None:
            yield from self.source.pieces()
            return
        header, arrays = found
        now = describe_files(self.source.files)
        for then, file in zip(header["files"], now, strict=False):
            if then != file:
                raise BadCheckpoint.of(
                    "file_changed.resuming", file=file[0], folder=self.checkpoints.folder
                )
        if len(now) < len(header["files"]):
            raise BadCheckpoint.of(
                "file_missing", file=header["files"][len(now)][0], folder=self.checkpoints.folder
            )
        self.source.restore(take_prefixed(arrays, READER))
        unpack_rater(self.rater, header["rater"], take_prefixed(arrays, RATER))
        if self.prepared is not None:
            self.prepared.restore(take_prefixed(arrays, PREPARED))
        self.end = self.saved = header["end"]
        if self.resumed is not None:
            self.resumed(self.rater.contests)
        yield from self.source.pieces(Position(*header["end"]))

    def save_if_due(self, end: Any) -> None:
        """Note that a piece is played, and save a checkpoint where the last one is old."""
        self.end = end
        if self.checkpoints.is_due:
            self.save()

    def save_end(self) -> None:
        """Save what is known after the last piece, where that is news."""
        if self.end is not None and list(self.end) != self.saved:
            self.save()

    def save(self) -> None:
        """Save a checkpoint; raises Unratable for ratings that are no finite numbers."""
        if not self.rater.rounds and not self.rater.held.open:
            return
        self.rater.check_ratings()
        known, arrays = pack_rater(self.rater)
        end = list(self.end)
        header = {
            "end": end,
            "parts": 0 if self.forecasts is None else self.forecasts.save(),
            "rater": known,
            "files": describe_files(self.source.files)[: end[0] + 1],
        }
        every = add_prefix(RATER, arrays) | add_prefix(READER, self.source.arrays())
        if self.prepared is not None:
            every |= add_prefix(PREPARED, self.prepared.arrays())
        self.checkpoints.save(header, every)
        self.saved = end


# --- a rater between two pieces -------------------------------------------------------------------


def pack_rater(rater: PieceRater) -> tuple[dict[str, Any], Arrays]:
    """All that a rater knows, but for its players' names; it has played a piece."""
    state, counts, held, seen = rater.state, rater.counts, rater.held, rater.seen
    arrays: dict[str, Any] = {
        "rating": state.rating, "seen": state.seen, "logs": state.logs, "common": state.common,
        "role": state.role, "games": counts.games, "last": counts.last,
        "closed": np.array(sorted(held.closed), np.int64),
    }  # fmt: skip
    if state.league is not None:
        arrays |= add_prefix(LEAGUE, state.league._asdict())
    if rater.scores is not None:
        arrays |= add_prefix(SCORES, rater.scores.arrays())
    known: dict[str, Any] = {name: getattr(rater, name) for name in COUNTED}
    known |= {
        "roles": list(state.roles), "first": state.first, "season": state.seasons,
        "number": held.number, "given": list(rater.given.items()), "waiting": rater.waiting,
        "ends": seen.ends, "alone": seen.alone, "clock": seen.clock, "tables": {},
    }  # fmt: skip
    open_rows = join_pieces(held.open) if held.open else None
    newest = seen.form if open_rows is None else open_rows
    known["players"] = 0 if newest is None else len(newest.players)
    for name, table in (("form", seen.form), ("open", open_rows)):
        if table is not None:
            known["tables"][name], columns = pack_table(table)
            arrays |= add_prefix(f"{name}_", columns)
    return known, {name: one for name, one in arrays.items() if one is not None}


def unpack_rater(rater: PieceRater, known: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Bring a new rater to where another was; tables that it holds have numbers for names.

    Rows that are held get the names with the next piece, when the reader has restored them.
    """
    for name in COUNTED:
        setattr(rater, name, known[name])
    state, counts, held, seen = rater.state, rater.counts, rater.held, rater.seen
    state.rating, state.seen = arrays["rating"], arrays["seen"]
    state.logs, state.common = arrays.get("logs"), arrays.get("common")
    state.role, state.roles, state.first = arrays.get("role"), tuple(known["roles"]), known["first"]
    seasons = np.ravel(known["season"])  # earlier versions kept the last one alone, or nan
    state.seasons = tuple(seasons[~np.isnan(seasons)].tolist())
    if state.league is not None:
        state.league = Sums(**take_prefixed(arrays, LEAGUE))
    if scores := take_prefixed(arrays, SCORES):
        rater.scores = ForecastScores.from_arrays(scores)
    counts.replace(arrays["games"], arrays.get("last"))
    rater.given = dict(known["given"])
    rater.waiting = known["waiting"]
    held.number, held.closed = known["number"], set(arrays["closed"].tolist())
    seen.ends = {name: (low, high) for name, (low, high) in known["ends"].items()}
    seen.alone, seen.clock = known["alone"], known["clock"]
    for name, said in known["tables"].items():
        columns = take_prefixed(arrays, f"{name}_")
        numbers: Any = range(known["players"])
        table = unpack_table(said, columns, numbers)
        if name == "form":
            seen.form = table
        else:
            held.open = [table]


# --- what makes a run another one -----------------------------------------------------------------


def describe_files(files: Any) -> list[list[Any]]:
    """The files of a stream as plain data; their paths however they are spelt."""
    return [[whole_path(one.path), one.size, one.modified] for one in files]


def describe_run(
    system: Dynamic, p: Any, period: str | None, start: Mapping[str, Mapping[str, float]],
    as_of: float | None,
) -> dict[str, Any]:  # fmt: skip
    """What makes a run another one: system, settings, period, day, starting values, version."""
    from prowess.version import __version__

    given = sorted((name, sorted(values.items())) for name, values in start.items())
    return {
        "version": __version__,
        "system": system.name,
        "functions": digest_mark(fingerprint(system)),
        "settings": {name: str(one) for name, one in display_settings(system, p).items()},
        "period": period,
        "day of the end": None if as_of is None else format_date(as_of),
        "starting values": digest_mark(repr(given)) if given else None,
    }
