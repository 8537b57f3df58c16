"""A position as bytes, and back: arrays and a head of JSON, no pickle.

What follows quickly from the results (rounds, counts) is not kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.loops import Sums
from prowess.engine.params import display_settings
from prowess.engine.state import State
from prowess.live.facts import CONTESTS, GAMES
from prowess.live.ladder.checkpoints import Checkpoint
from prowess.live.ladder.columns import nothing
from prowess.live.ladder.labels import Labels
from prowess.live.ladder.log import Log
from prowess.live.ladder.players import Roster
from prowess.live.ladder.position import Position
from prowess.live.ladder.trail import Trail

if TYPE_CHECKING:
    from prowess.live.ladder.position import Method

    Arrays = Mapping[str, Any]

FORM = 3  # of these bytes
SHARED = ("logs", "common")  # of a state
LEVELS = ("results", "sides", "members", "start", "ends")


def packed(method: Method, position: Position) -> bytes:
    """The position as bytes."""
    log = position.log
    arrays: dict[str, Any] = {"ids": position.roster.ids}
    for level, block in log.blocks.items():
        arrays |= _named(level, block.part(0))
    labels = None if log.labels is None else dict(log.labels.numbers)
    arrays |= _named("trail", position.trail.rows.part(0, position.trail.rows.count))
    arrays |= _state("end", position.state())
    for number, checkpoint in enumerate(position.checkpoints):
        arrays |= _state(str(number), checkpoint.state)
    head = _head(method, CONTESTS if log.form.contests else GAMES)
    head |= {"labels": labels, "checkpoints": [one.row for one in position.checkpoints]}
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    data = BytesIO()
    np.savez(data, **arrays)
    return data.getvalue()


def unpacked(data: bytes, method: Method, kind: str, extra: Sequence[str]) -> Position:
    """The position that was packed under this method; raises ValueError for anything else."""
    try:
        with np.load(BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        head = json.loads(arrays["head"].tobytes())
        if {**head, **_head(method, kind)} != head:
            raise ValueError("it is of another system or version")
        position = _position(method, arrays, head, kind, extra)
    except Exception as error:  # whatever a spoilt file leads to
        raise ValueError(f"no checkpoint of this ladder: {error}") from error
    return position


def _position(
    method: Method, arrays: Arrays, head: Mapping[str, Any], kind: str, extra: Sequence[str]
) -> Position:
    contests = kind == CONTESTS
    labels = Labels.of(head["labels"]) if method.by_label else None
    levels = {name: _part(name, arrays) for name in LEVELS}
    log = Log.held({name: held for name, held in levels.items() if held}, contests, labels)
    kept, wanted = (
        {
            name
            for level in ("results", "sides")
            if level in one.blocks
            for name in one.blocks[level].held
        }
        for one in (log, Log.of(nothing(kind, extra, method.by_label), contests=contests))
    )
    if kept - {"a", "b"} != wanted - {"a", "b"}:
        raise ValueError("it keeps other columns")
    checkpoints = tuple(
        Checkpoint(row, _stated(method, str(number), arrays))
        for number, row in enumerate(head["checkpoints"])
    )
    roster, state = Roster.of(arrays["ids"]), _stated(method, "end", arrays)
    if len(state.rating) != len(roster):
        raise ValueError("it is not complete")
    trail = Trail.of(_part("trail", arrays))
    if trail.rows.count != log.trail_row(len(log)):
        raise ValueError("it is not complete")
    return Position.of(method, roster, log, state, trail, checkpoints)


def _head(method: Method, kind: str) -> dict[str, Any]:
    """What a checkpoint must be of."""
    params = display_settings(method.system, method.p)
    return {
        "form": FORM,
        "kind": kind,
        "system": method.system.name,
        "params": params,
        "period": method.period,
    }


def _state(prefix: str, state: State) -> dict[str, Any]:
    arrays = {"rating": state.rating, "seen": state.seen}
    arrays |= {name: held for name in SHARED if (held := getattr(state, name)) is not None}
    if state.league is not None:
        arrays |= state.league._asdict()
    return _named(prefix, arrays)


def _stated(method: Method, prefix: str, arrays: Arrays) -> State:
    part = _part(prefix, arrays)
    league = None
    if method.system.league is not None:
        league = Sums(part["totals"], part["ring"], part["last"])
    held = {name: part[name] for name in ("rating", "seen", *SHARED) if name in part}
    return replace(method.fresh(0), league=league, **held)


def _named(prefix: str, arrays: Arrays) -> dict[str, Any]:
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def _part(prefix: str, arrays: Arrays) -> dict[str, Any]:
    begin = f"{prefix}."
    return {name.removeprefix(begin): a for name, a in arrays.items() if name.startswith(begin)}
