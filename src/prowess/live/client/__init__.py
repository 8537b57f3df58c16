"""A client for programs that report results, with a queue for times without a connection.

It needs only the standard library.

>>> from prowess.live.client import Client, Outbox
>>> client = Client("http://127.0.0.1:8000", token="prw_...")
>>> queue = Outbox("results.outbox")
"""

from prowess.live.client.client import Client, Member, Placing, Result, Side
from prowess.live.client.connection import Away, Event, Fault, Problem
from prowess.live.client.outbox import BadOutbox, Outbox, Refusal, Sent

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
