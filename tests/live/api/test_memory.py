"""Memory goes back to the system where the C library can do that; elsewhere nothing happens."""

from __future__ import annotations

import ctypes
import gc
from threading import Event
from types import SimpleNamespace
from typing import Any
from weakref import ref

import pytest

from prowess.live.api import server


def refuse(error: Exception):
    """A stand-in for `ctypes.CDLL` that fails."""

    def fail(*_: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    "library",
    [
        lambda *_: SimpleNamespace(),  # musl, macOS: without mallopt and malloc_trim
        refuse(TypeError("no name")),  # Windows: the program itself is no library
        refuse(OSError("not found")),
    ],
)
def test_another_library(monkeypatch: pytest.MonkeyPatch, library: object) -> None:
    """Without the functions of glibc nothing happens."""
    monkeypatch.setattr(ctypes, "CDLL", library)
    server.limit_pools()
    server.return_unused()


def test_what_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers as in malloc.h of glibc; malloc_trim takes the bytes to keep at the top."""
    called: list[tuple[str, tuple[int, ...]]] = []
    library = SimpleNamespace(
        mallopt=lambda *given: called.append(("mallopt", given)),
        malloc_trim=lambda *given: called.append(("malloc_trim", given)),
    )
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    server.limit_pools()
    server.return_unused()
    settings = [("mallopt", one) for one in ((-8, 2), (-3, 1_048_576), (-1, 4_194_304))]
    assert called == [*settings, ("malloc_trim", (0,))]


def test_circles_are_collected() -> None:
    """Objects that only refer to one another are gone."""
    circle: Any = Event()
    circle.own = circle
    still_there = ref(circle)
    gc.disable()
    try:
        del circle
        assert still_there() is not None
        server.return_unused()
        assert still_there() is None
    finally:
        gc.enable()


def test_waits_tidily(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for visitors is dropped again and again; the end is heard at once."""
    monkeypatch.setattr(server, "TRIM_INTERVAL", 0.01)
    monkeypatch.setattr(server, "FORGET_INTERVAL", 0.0)
    ending, dropped = Event(), []
    assert not server.wait_tidily(ending, 0.05, lambda: dropped.append(1))
    assert dropped
    dropped.clear()

    def drop() -> None:
        dropped.append(1)
        ending.set()

    assert server.wait_tidily(ending, 600.0, drop)
    assert dropped == [1]
