"""The loops that are made ahead of time in these tests: of some systems, and of the readers.

`make dist` makes those of the whole catalogue for every kind of table.
"""

from __future__ import annotations

import pytest

from tests.wheels.calls import SYSTEMS
from wheels.kernels import Text, note_texts


@pytest.fixture(scope="session")
def texts() -> dict[str, Text]:
    """The loops by their marks."""
    return note_texts(SYSTEMS, half=True)
