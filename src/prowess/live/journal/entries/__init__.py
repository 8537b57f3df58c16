"""What can be entered in the books, one value a kind.

An entry says how it is drafted; preview and commitment are the desk's business.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from prowess.live.journal.unit_of_work import UnitOfWork


class WriteAct(Protocol):
    """One change of facts."""

    kind: ClassVar[str]
    scope: ClassVar[str]  # what a token must be allowed

    def drafted(self, draft: UnitOfWork) -> None:
        """Say in the draft what changes; raises Refused, and then nothing does."""
