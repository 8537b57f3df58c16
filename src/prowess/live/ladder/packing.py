"""A position as bytes, and back: arrays and a head of JSON, no pickle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prowess.live.ladder.position import Method, Position


def packed(method: Method, position: Position) -> bytes:
    """The position as bytes."""
    raise NotImplementedError


def unpacked(data: bytes, method: Method, kind: str, extra: Sequence[str]) -> Position:
    """The position that was packed; raises ValueError for anything else."""
    raise ValueError("not a checkpoint of this ladder")
