"""What a checkpoint depends on besides the results: the program, the system, the constants."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from inspect import getsource
from typing import TYPE_CHECKING, Any

import prowess
from prowess import kernel
from prowess.engine import periods
from prowess.engine.loops import Flags
from prowess.engine.params import display_settings, settings
from prowess.engine.replay import plain_loop
from prowess.engine.state import ageing
from prowess.engine.system import Dynamic

if TYPE_CHECKING:
    from prowess.engine.check import System


def fingerprint(
    system: System,
    params: Mapping[str, Any],
    period: str | None,
    kind: str = "",
    extra: Sequence[str] = (),
) -> str:
    """A digest that changes with the version, the system's functions, constants and period."""
    said = {
        "version": prowess.__version__,
        "system": system.name,
        "params": display_settings(system, settings(system, params)),
        "period": period,
        "kind": kind,
        "extra": list(extra),
        "functions": _functions(system),
    }
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]


def _functions(system: System) -> list[str]:
    """Digests of all that a system's numbers come from."""
    if not isinstance(system, Dynamic):
        return []  # fitted anew at every start
    flags = Flags(timed=system.drift is not None, weighted=True, league=system.league is not None)
    kinds = ("games", "rounds", "sides")
    functions: list[Callable[..., Any]]
    functions = [plain_loop(kind, system, flags, on_lists=False) for kind in kinds]
    functions += [ageing(system, compiled=False)]
    functions += [system.newcomer] if system.newcomer else []
    described = [kernel.fingerprint(function) for function in functions]
    described += [getsource(module) for module in (periods, periods)]
    return [*described, repr(tuple(system.rating)), repr((system.clock, system.absorb_takes))]
