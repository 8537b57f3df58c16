"""A client for programs that report results, with a queue for when the server is away.

It needs nothing but the standard library.

>>> from prowess.live.client import Client, Outbox
>>> client = Client("http://127.0.0.1:8000", token="prw_...")
>>> queue = Outbox("results.outbox")
"""

from prowess.live.client.client import Client
from prowess.live.client.events import Event
from prowess.live.client.outbox import BadOutbox, Outbox, Refusal, Sent
from prowess.live.client.problems import Away, Fault, Problem
from prowess.live.client.result import Member, Placing, Result, Side

__all__ = [
    "Away",
    "BadOutbox",
    "Client",
    "Event",
    "Fault",
    "Member",
    "Outbox",
    "Placing",
    "Problem",
    "Refusal",
    "Result",
    "Sent",
    "Side",
]
