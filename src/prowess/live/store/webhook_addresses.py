"""Addresses that webhooks may be sent to: checked when a webhook is made, and at each delivery.

Allowed are http and https, the ports 80, 443 and 1024 to 65535 (and 9), and hosts on the internet,
in a private network or on this machine. Refused are addresses of a link (also those at which clouds
answer with the secrets of a machine), of groups, and those that are reserved.
"""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

from prowess.live.errors import LiveError

PORTS = {"http": 80, "https": 443}  # by scheme
DISCARD = 9  # throws away what it gets: for trials
FIRST_FREE, LAST = 1024, 65_535  # ports of programs that people start
MAX_URL_LENGTH = 2000  # characters
PRINTABLE = re.compile(r"[!-~]+")  # others are written with % or punycode
HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*\.?")
METADATA = (  # where clouds answer besides 169.254.169.254
    ip_network("100.100.100.200/32"), ip_network("192.0.0.192/32"), ip_network("fd00:ec2::/32"),
)  # fmt: skip
NAT64 = ip_network("64:ff9b::/96")  # an IPv4 address in the last 32 bits


class BadAddress(LiveError, ValueError):
    """An address to which no webhook is sent; the message says what to give."""


class Receiver(NamedTuple):
    """The parts of an address."""

    scheme: str
    host: str
    port: int
    path: str  # with the query


def parse_address(url: str) -> Receiver:
    """The parts of an address to which webhooks may be sent; raises BadAddress."""
    if not PRINTABLE.fullmatch(url) or len(url) > MAX_URL_LENGTH:
        raise BadAddress.of("not_an_address.length", most=MAX_URL_LENGTH)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise BadAddress.of("not_an_address.parts", error=error) from None
    if parts.scheme not in PORTS:
        raise BadAddress.of("not_an_address.scheme")
    if "@" in parts.netloc:
        raise BadAddress.of("address_with_password")
    if "\\" in url or parts.fragment:
        raise BadAddress.of("not_an_address.signs")
    port = PORTS[parts.scheme] if port is None else port
    if port not in (*PORTS.values(), DISCARD) and not FIRST_FREE <= port <= LAST:
        raise BadAddress.of("port_not_allowed", first=FIRST_FREE, port=port)
    number = parse_number(host)
    if number is not None:
        check_host(number)
    elif not HOST.fullmatch(host):
        raise BadAddress.of("not_an_address.host", host=host)
    return Receiver(
        parts.scheme, host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    )


def parse_number(host: str) -> IPv4Address | IPv6Address | None:
    """The number of a host, also one that is written in another way (2852039166, 0xa9.254.1);
    None for a name.
    """
    with suppress(ValueError):
        return ip_address(host.partition("%")[0])
    if host[:1].isdigit():
        with suppress(OSError):
            return IPv4Address(socket.inet_aton(host))
    return None


def check_host(number: IPv4Address | IPv6Address) -> None:
    """Raise BadAddress for the number of a host to which no webhook is sent."""
    one = number
    if isinstance(one, IPv6Address):  # an IPv4 address within
        inner = one.ipv4_mapped or one.sixtofour or (one.teredo or (None, None))[1]
        if one in NAT64:
            inner = IPv4Address(int(one) & 0xFFFF_FFFF)
        one = inner or one
    refused = (
        one.is_link_local
        or one.is_multicast
        or one.is_unspecified
        or (one.is_reserved and not one.is_loopback)
        or any(one in network for network in METADATA)
        or (isinstance(one, IPv4Address) and int(one) >> 24 == 0)
        or (isinstance(one, IPv6Address) and one.is_site_local)
    )
    if refused:
        raise BadAddress.of("host_not_allowed", number=number)


def resolve_host(target: Receiver) -> list[tuple[int, str]]:
    """(family, number) of the addresses of a host, of which all are allowed.

    Raises OSError for an unknown host, BadAddress.
    """
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    numbers = [(int(family), str(place[0])) for family, _, _, _, place in found]
    for _, number in numbers:
        check_host(ip_address(number.partition("%")[0]))
    return numbers
