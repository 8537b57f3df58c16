"""How much anybody may ask: token buckets, in memory, one for each token or address."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from math import ceil
from time import monotonic
from typing import NamedTuple

from prowess.live.api.settings import Allowance

MOST = 100_000  # buckets that are kept; the one not used for longest is forgotten


class Taking(NamedTuple):
    """What a request found in its bucket."""

    granted: bool
    limit: int
    remaining: int
    reset: int  # seconds until the bucket is full again
    wait: int  # seconds until the next request is granted

    def headers(self) -> dict[str, str]:
        """RateLimit-* and, where refused, Retry-After."""
        told = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }
        return told if self.granted else told | {"Retry-After": str(self.wait)}


class Buckets:
    """A bucket for each key, full when first seen."""

    def __init__(self, allowance: Allowance, clock: Callable[[], float] = monotonic) -> None:
        self.allowance, self.clock = allowance, clock
        self.levels: OrderedDict[str, tuple[float, float]] = OrderedDict()  # level, when

    def take(self, key: str) -> Taking:
        """Take one from a bucket, if there is one."""
        rate, burst = self.allowance.rate, self.allowance.burst
        now = self.clock()
        level, when = self.levels.pop(key, (float(burst), now))
        level = min(float(burst), level + (now - when) * rate)
        granted = level >= 1.0
        if granted:
            level -= 1.0
        self.levels[key] = level, now
        if len(self.levels) > MOST:
            self.levels.popitem(last=False)
        wait = 0 if granted else max(1, ceil((1.0 - level) / rate))
        return Taking(granted, burst, int(level), ceil((burst - level) / rate), wait)


def network_of(address: str) -> str:
    """What shares a bucket: an address, of IPv6 the /64 that one customer has."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:  # of a socket for both
            return str(parsed.ipv4_mapped)
        return str(IPv6Address(int(parsed) >> 64 << 64))
    return address
