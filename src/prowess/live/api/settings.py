"""What the operator of a server decides."""

from __future__ import annotations

from dataclasses import dataclass, field

MIB = 1 << 20


@dataclass(frozen=True)
class Allowance:
    """A bucket of `burst` requests that fills with `rate` requests a second."""

    rate: float
    burst: int


@dataclass(frozen=True)
class Settings:
    """How a server treats the outside world."""

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
