"""What can go wrong between us and the store: one line each, with the remedy."""

from __future__ import annotations


class StoreError(Exception):
    """The store cannot do what was asked; nothing of it has happened."""


class WrongUse(StoreError):
    """The store is well, but what was asked of it makes no sense."""


class StoreOutOfReach(StoreError):
    """The store cannot be opened, or the connection to it was lost."""


class StoreInUse(StoreError):
    """Another server keeps this store."""


class StoreTooNew(StoreError):
    """A later Prowess has changed the store's tables."""
