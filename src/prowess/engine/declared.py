"""Where a system is declared, so that another process finds it again: functions are not copied.

A system is the value of a name in a module: of the catalogue, of an installed package, or of a
user's own file, which stands on no path and is run by the process that wants it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from pickle import PicklingError, UnpicklingError
from types import ModuleType
from typing import Any


class Undeclared(PicklingError):
    """A system that no other process could find."""


def place_of(system: Any) -> tuple[str, str, str | None]:
    """The module in which a system stands, its name there, and the file.

    Raises Undeclared for a value that has no name in any module.
    """
    modules = dict(sys.modules)
    home = modules.get(system.home)
    for module in (home, *modules.values()):
        if isinstance(module, ModuleType):
            for name, value in vars(module).items():
                if value is system:
                    return module.__name__, name, getattr(module, "__file__", None)
    raise Undeclared(
        f"give {system.name} a name in a file of your own (NAME = ...): other processes find a "
        "system by its name there, and this one has none"
    )


def system_at(home: str, name: str, file: str | None) -> Any:
    """The system of that name; raises UnpicklingError where it is no longer there."""
    try:
        if home not in sys.modules and importlib.util.find_spec(home) is None and file is not None:
            _run(home, Path(file))
        return getattr(importlib.import_module(home), name)
    except (ImportError, AttributeError, OSError, ValueError):
        where = home if file is None else file
        raise UnpicklingError(
            f"put back {where} with {name} in it: the system of these ratings was declared there"
        ) from None


def _run(home: str, file: Path) -> None:
    spec = importlib.util.spec_from_file_location(home, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file}: not a Python file")
    sys.modules[home] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(sys.modules[home])
    except BaseException:
        del sys.modules[home]
        raise


class Declared:
    """A value that stands for itself: a copy is the value, another process looks it up by name."""

    home: Any  # the module that declares it

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return system_at, place_of(self)
