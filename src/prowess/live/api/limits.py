"""Server settings and rate limits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from math import ceil
from time import monotonic
from typing import NamedTuple

MIB = 1 << 20


@dataclass(frozen=True)
class Allowance:
    """A token bucket of `burst` requests, refilled at `rate` requests per second."""

    rate: float
    burst: int


@dataclass(frozen=True)
class ServerSettings:
    """Access, limits and timeouts of a server."""

    private: bool = False  # reading needs a token too
    trust_proxy: bool = False  # the last address of X-Forwarded-For is the client's
    body_limit: int = MIB  # bytes of a request
    batch_limit: int = 64 * MIB  # bytes of a bulk request
    batch_rows: int = 100_000  # results of a bulk request
    by_address: Allowance = field(default_factory=lambda: Allowance(50.0, 500))
    by_token: Allowance = field(default_factory=lambda: Allowance(2000.0, 10_000))
    open_uploads: bool = False  # RoboRumble clients need no token
    patience: float = 30.0  # seconds between two parts of a body or of an answer
    head_patience: float = 10.0  # seconds for the head of a request, and between two requests
    connections_by_address: int = 250  # at a time; behind a proxy that is trusted: any number
    streams: int = 500  # listeners to /events at a time
    streams_by_address: int = 100
    heartbeat: float = 15.0  # seconds between signs of life on /events


# Rate limits: token buckets in memory, one for each token or address.


MOST = 100_000  # buckets; the least recently used is dropped


class Grant(NamedTuple):
    """The outcome of taking from a bucket."""

    granted: bool
    limit: int
    remaining: int
    reset: int  # seconds until the bucket is full again
    wait: int  # seconds until the next request is granted

    def headers(self) -> dict[str, str]:
        """The RateLimit-* headers and, if refused, Retry-After."""
        data = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }
        return data if self.granted else data | {"Retry-After": str(self.wait)}


class Buckets:
    """A token bucket for each key, full at first."""

    def __init__(self, allowance: Allowance, clock: Callable[[], float] = monotonic) -> None:
        self.allowance, self.clock = allowance, clock
        self.levels: OrderedDict[str, tuple[float, float]] = OrderedDict()  # level, when

    def take(self, key: str, cost: int = 1) -> Grant:
        """Take `cost` from a bucket (at most its size), if available."""
        rate, burst = self.allowance.rate, self.allowance.burst
        now = self.clock()
        level, when = self.levels.pop(key, (float(burst), now))
        level = min(float(burst), level + (now - when) * rate)
        wanted = float(min(cost, burst))
        granted = level >= wanted
        if granted:
            level -= wanted
        self.levels[key] = level, now
        if len(self.levels) > MOST:
            self.levels.popitem(last=False)
        wait = 0 if granted else max(1, ceil((wanted - level) / rate))
        return Grant(granted, burst, int(level), ceil((burst - level) / rate), wait)


def network_of(address: str) -> str:
    """The network that shares a bucket: an IPv4 address, or the /64 of an IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:  # of a socket for both
            return str(parsed.ipv4_mapped)
        return str(IPv6Address(int(parsed) >> 64 << 64))
    return address
