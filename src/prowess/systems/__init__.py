"""The formulas: one file a system.

Importing this package makes it an attribute of `prowess`, over the function of the same name; so
it can be called itself, and `prowess.systems()` gives every system at any time.

>>> import prowess
>>> prowess.systems()["elo"].name
'elo'
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prowess.engine.check import System


class _Room(ModuleType):
    def __call__(self) -> Mapping[str, System]:
        """Every rating system by name, as `prowess.systems()`."""
        from prowess.systems.catalogue import catalogue

        return dict(catalogue())


sys.modules[__name__].__class__ = _Room
