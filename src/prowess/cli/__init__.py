"""The command line: each verb reads options, calls one library function and prints one table.

Modules of this room import nothing but Click at their top; all else is imported inside a verb, so
that help and completion are instant.
"""

from __future__ import annotations

import gc
from typing import NoReturn

COLLECTING = 200_000  # objects; importing makes 65,000, which stay and need not be searched


def main() -> NoReturn:
    """Run the command line on the arguments of this process and exit."""
    gc.set_threshold(COLLECTING)
    from prowess.cli.exits import run

    run()


__all__ = ["main"]
