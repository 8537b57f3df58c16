"""A position as bytes, and back: arrays and a head of JSON, no pickle.

What follows quickly from the results (rounds, counts) is not kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.league import Sums
from prowess.engine.params import shown
from prowess.engine.replay import State
from prowess.live.facts import CONTESTS, GAMES
from prowess.live.ladder.checkpoints import Checkpoint
from prowess.live.ladder.block import Block
from prowess.live.ladder.columns import Form
from prowess.live.ladder.labels import Labels
from prowess.live.ladder.log import Log, started
from prowess.live.ladder.players import Roster
from prowess.live.ladder.position import Position
from prowess.live.ladder.trail import Trail

if TYPE_CHECKING:
    from prowess.live.ladder.position import Log, Method

    Arrays = Mapping[str, Any]

FORM = 2  # of these bytes


def packed(method: Method, position: Position) -> bytes:
    """The position as bytes."""
    log = position.log
    arrays: dict[str, Any] = {"ids": position.roster.ids}
    arrays |= _named("log", log.results.part(0))
    labels: dict[str, int] | None = None
    if isinstance(log, ContestLog):
        arrays |= _named("rows", log.rows.part(0)) | {"start": log.starts["start"]}
    elif log.labels is not None:
        labels = dict(log.labels.numbers)
    arrays |= _named("trail", position.trail.rows.part(0, position.trail.rows.count))
    arrays |= _state("end", position.state(method))
    for number, checkpoint in enumerate(position.checkpoints):
        arrays |= _state(str(number), checkpoint.state)
    head = _head(method, CONTESTS if isinstance(log, ContestLog) else GAMES)
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
    log: Log
    results = _part("log", arrays)
    if kind == CONTESTS:
        log = ContestLog.of(results, _part("rows", arrays), arrays["start"])
        kept = {"points"} & set(log.rows.held)
        wanted = {"points"} & set(extra)
    else:
        log = GameLog.of(results, extra, Labels.of(head["labels"]) if method.by_label else None)
        kept, wanted = set(results), set(log.results.held)
    if kept != wanted:
        raise ValueError("it keeps other columns")
    checkpoints = tuple(
        Checkpoint(row, _stated(method, str(number), arrays))
        for number, row in enumerate(head["checkpoints"])
    )
    roster, state = Roster.of(arrays["ids"]), _stated(method, "end", arrays)
    if len(state.rating) != len(roster):
        raise ValueError("it is not complete")
    trail = Trail.of(_part("trail", arrays))
    if trail.rows.count != (log.rows if isinstance(log, ContestLog) else log.results).count:
        raise ValueError("it is not complete")
    return Position.of(method, roster, log, state, trail, checkpoints)


def _head(method: Method, kind: str) -> dict[str, Any]:
    """What a checkpoint must be of."""
    params = shown(method.system, method.p)
    return {
        "form": FORM,
        "kind": kind,
        "system": method.system.name,
        "params": params,
        "period": method.period,
    }


def _state(prefix: str, state: State) -> dict[str, Any]:
    arrays = {"rating": state.rating, "seen": state.seen}
    if state.league is not None:
        arrays |= state.league._asdict()
    return _named(prefix, arrays)


def _stated(method: Method, prefix: str, arrays: Arrays) -> State:
    part = _part(prefix, arrays)
    league = None
    if method.system.league is not None:
        league = Sums(part["totals"], part["ring"], part["last"])
    return State(method.system, method.p, part["rating"], part["seen"], league)


def _named(prefix: str, arrays: Arrays) -> dict[str, Any]:
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def _part(prefix: str, arrays: Arrays) -> dict[str, Any]:
    begin = f"{prefix}."
    return {name.removeprefix(begin): a for name, a in arrays.items() if name.startswith(begin)}
