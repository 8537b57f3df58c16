"""Token buckets: how much anybody may ask."""

from __future__ import annotations

from prowess.live.api.middleware import Allowance, Buckets


def test_empty_and_full_again():
    """A bucket of two is empty after two, gives one a second later, and never holds more."""
    now = 100.0
    buckets = Buckets(Allowance(rate=1.0, burst=2), clock=lambda: now)
    assert [not buckets.take("a")[0] for _ in range(3)] == [True, True, False]
    assert not buckets.take("b")[0]
    now += 1.0
    assert [not buckets.take("a")[0] for _ in range(2)] == [True, False]
    now += 1000.0
    assert [not buckets.take("a")[0] for _ in range(3)] == [True, True, False]


def test_when_to_come_back():
    """Retry-After is enough: whoever waits that long is served."""
    now = 0.0
    buckets = Buckets(Allowance(rate=0.3, burst=1), clock=lambda: now)
    buckets.take("a")
    now += buckets.take("a")[0]
    assert not buckets.take("a")[0]
