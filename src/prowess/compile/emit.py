"""The LLVM text of a flat function, for arguments of certain kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prowess.compile import MISTAKES, Uncompilable
from prowess.compile.blocks import find_moving_names
from prowess.compile.emitter import Emitted, Emitter, Wider
from prowess.compile.flatten import FlatFunction

MAX_KIND_PASSES = 20  # of one function until its kinds are wide enough


def emit_function(flat: FlatFunction, arguments: Sequence[Any]) -> Emitted:
    """The LLVM text of a flat function.

    `arguments` are its numbers and arrays, or others of their kinds. Raises Uncompilable.
    """
    kinds: dict[str, str] = {}
    moving = find_moving_names(flat.body)
    for _ in range(MAX_KIND_PASSES):
        emitter = Emitter(flat, arguments, kinds, moving)
        try:
            return emitter.emit()
        except Wider:
            kinds = emitter.kinds
        except Uncompilable:
            raise
        except MISTAKES as error:
            raise emitter.builder.refuse(f"what gives {type(error).__name__}: {error}") from error
    raise Uncompilable(
        f"rewrite {flat.name} with numbers of fewer kinds: they do not settle",
        code="not_compilable",
    )
