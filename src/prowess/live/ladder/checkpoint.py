"""Checkpoints: the one persisted cache of a ladder, so that a start need not play every result.

A fingerprint says what a checkpoint depends on besides the results: program, system, constants.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import getsource
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

import prowess
from prowess import kernel
from prowess.engine import periods
from prowess.engine.loops import Flags, Sums
from prowess.engine.params import display_settings, settings
from prowess.engine.replay import plain_loop
from prowess.engine.state import State, ageing
from prowess.engine.system import Dynamic
from prowess.live.ladder.columns import no_results
from prowess.live.ladder.log import ResultLog, RoundLabels
from prowess.live.ladder.prior import PriorRatings
from prowess.live.ladder.replay import SavedState
from prowess.live.ladder.roster import LadderRoster
from prowess.live.ladder.state import LadderState
from prowess.live.result import CONTESTS, GAMES

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.live.ladder.state import RatingMethod

    Arrays = Mapping[str, Any]


def fingerprint(
    system: System,
    params: Mapping[str, Any],
    period: str | None,
    kind: str = "",
    extra: Sequence[str] = (),
) -> str:
    """A digest that changes with the version, the system's functions, constants and period."""
    described = {
        "version": prowess.__version__,
        "system": system.name,
        "params": display_settings(system, settings(system, params)),
        "period": period,
        "kind": kind,
        "extra": list(extra),
        "functions": _functions(system),
    }
    return hashlib.sha256(json.dumps(described).encode()).hexdigest()[:32]


def _functions(system: System) -> list[str]:
    """Digests of the functions that a system's numbers depend on."""
    if not isinstance(system, Dynamic):
        return []  # fitted anew at every start
    flags = Flags(timed=system.drift is not None, weighted=True, league=system.league is not None)
    kinds = ("games", "rounds", "sides")
    functions: list[Callable[..., Any]]
    functions = [plain_loop(kind, system, flags, on_lists=False) for kind in kinds]
    functions += [ageing(system, compiled=False)]
    functions += [system.newcomer] if system.newcomer else []
    digests = [kernel.fingerprint(function) for function in functions]
    digests += [getsource(module) for module in (periods, periods)]
    return [*digests, repr(tuple(system.rating)), repr((system.clock, system.absorb_takes))]


# -- a state as bytes, and back: arrays and a head of JSON, no pickle --

FORM = 3  # of these bytes
SHARED = ("logs", "common")  # of a state
LEVELS = ("results", "sides", "members", "start", "ends")


def pack_state(method: RatingMethod, state: LadderState) -> bytes:
    """The state as bytes; what follows quickly from the results (rounds, counts) is left out."""
    log = state.log
    arrays: dict[str, Any] = {"ids": state.roster.ids}
    for level, block in log.blocks.items():
        arrays |= _add_prefix(level, block.part(0))
    labels = None if log.labels is None else dict(log.labels.numbers)
    arrays |= _add_prefix("trail", state.prior.rows.part(0, state.prior.rows.count))
    arrays |= _engine_arrays("end", state.engine_state())
    for number, saved in enumerate(state.saved):
        arrays |= _engine_arrays(str(number), saved.state)
    head = _head(method, CONTESTS if log.form.contests else GAMES)
    head |= {"labels": labels, "checkpoints": [one.row for one in state.saved]}
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    data = BytesIO()
    np.savez(data, **arrays)
    return data.getvalue()


def unpack_state(data: bytes, method: RatingMethod, kind: str, extra: Sequence[str]) -> LadderState:
    """The state that was packed under this method; raises ValueError for anything else."""
    try:
        with np.load(BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        head = json.loads(arrays["head"].tobytes())
        if {**head, **_head(method, kind)} != head:
            raise ValueError("it is of another system or version")
        state = _unpack(method, arrays, head, kind, extra)
    except Exception as error:  # a damaged file may raise anything
        raise ValueError(f"no checkpoint of this ladder: {error}") from error
    return state


def _unpack(
    method: RatingMethod, arrays: Arrays, head: Mapping[str, Any], kind: str, extra: Sequence[str]
) -> LadderState:
    contests = kind == CONTESTS
    labels = RoundLabels.of(head["labels"]) if method.by_label else None
    levels = {name: _part(name, arrays) for name in LEVELS}
    log = ResultLog.of_levels(
        {name: held for name, held in levels.items() if held}, contests, labels
    )
    kept, wanted = (
        {
            name
            for level in ("results", "sides")
            if level in one.blocks
            for name in one.blocks[level].held
        }
        for one in (log, ResultLog.of(no_results(kind, extra, method.by_label), contests=contests))
    )
    if kept - {"a", "b"} != wanted - {"a", "b"}:
        raise ValueError("it keeps other columns")
    saved = tuple(
        SavedState(row, _engine_state(method, str(number), arrays))
        for number, row in enumerate(head["checkpoints"])
    )
    roster, state = LadderRoster.of(arrays["ids"]), _engine_state(method, "end", arrays)
    if len(state.rating) != len(roster):
        raise ValueError("it is not complete")
    prior = PriorRatings.of(_part("trail", arrays))
    if prior.rows.count != log.prior_row(len(log)):
        raise ValueError("it is not complete")
    return LadderState.of(method, roster, log, state, prior, saved)


def _head(method: RatingMethod, kind: str) -> dict[str, Any]:
    """The description that a checkpoint must match to be restored."""
    params = display_settings(method.system, method.p)
    return {
        "form": FORM,
        "kind": kind,
        "system": method.system.name,
        "params": params,
        "period": method.period,
    }


def _engine_arrays(prefix: str, state: State) -> dict[str, Any]:
    arrays = {"rating": state.rating, "seen": state.seen}
    arrays |= {name: held for name in SHARED if (held := getattr(state, name)) is not None}
    if state.league is not None:
        arrays |= state.league._asdict()
    return _add_prefix(prefix, arrays)


def _engine_state(method: RatingMethod, prefix: str, arrays: Arrays) -> State:
    part = _part(prefix, arrays)
    league = None
    if method.system.league is not None:
        league = Sums(part["totals"], part["ring"], part["last"])
    held = {name: part[name] for name in ("rating", "seen", *SHARED) if name in part}
    return replace(method.fresh(0), league=league, **held)


def _add_prefix(prefix: str, arrays: Arrays) -> dict[str, Any]:
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def _part(prefix: str, arrays: Arrays) -> dict[str, Any]:
    begin = f"{prefix}."
    return {name.removeprefix(begin): a for name, a in arrays.items() if name.startswith(begin)}
