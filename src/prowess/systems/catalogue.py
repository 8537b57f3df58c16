"""The catalogue of all systems, found by walking this package: a new file needs no list.

Finding a system by name imports only the module whose text declares that name. A user's own
system is a file too: `find("./my_system.py:MINE")`.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import sys
from functools import cache
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING

from prowess.engine.check import System, check_system
from prowess.engine.system import BadSystem, Dynamic, import_file
from prowess.engine.whole_table import WholeTable
from prowess.games.errors import WordedError

if TYPE_CHECKING:
    from collections.abc import Mapping


SYSTEMS_FOLDER = Path(__file__).parent
BY_USE = MappingProxyType(  # which system to take, those with most use first
    {
        "prowess": "results of any kind: the default, which needs no choice and no tuning",
        "elo": "players who want to check each sum: one formula, one constant",
        "points": "a league or a Swiss tournament: points for wins and draws, and tie-breaks",
        "glicko2": "players who come and go: a rating has a deviation, which grows when idle",
        "bradley_terry": "players that do not change, such as models or engines: all games at once",
        "trueskill": "teams that change and contests of many sides, one at a time",
    }
)


class UnknownSystem(WordedError, KeyError):
    """An unknown name of a system."""

    def __str__(self) -> str:
        return str(self.args[0])


@cache
def catalogue() -> Mapping[str, System]:
    """Every system by name, in alphabetical order."""
    found: dict[str, System] = {}
    for module in pkgutil.iter_modules([str(SYSTEMS_FOLDER)], "prowess.systems."):
        for system in declared_systems(importlib.import_module(module.name)):
            if system.name in found and found[system.name] is not system:
                raise BadSystem.of("system_twice", name=system.name)
            found[system.name] = system
    return MappingProxyType(dict(sorted(found.items())))


def find(system: str | System) -> System:
    """A system by name, by `FILE.py:NAME`, or as a value; a value of the user is checked.

    Raises UnknownSystem for an unknown name, BadSystem for an incomplete system.
    """
    if not isinstance(system, str):
        name = getattr(system, "name", None)
        own = find_named(name) if isinstance(name, str) else None
        return system if system is own else check_system(system)
    if ".py" in system:
        return load_system(system)
    found = find_named(system) or catalogue().get(system)
    if found is not None:
        return found
    from difflib import get_close_matches

    near = get_close_matches(system.lower(), catalogue(), n=2)
    if near:
        raise UnknownSystem.of("unknown_system.near", near=" or ".join(near), system=system)
    raise UnknownSystem.of("unknown_system.known", known=catalogue(), system=system)


@cache
def find_named(name: str) -> System | None:
    """The system of that name from the files whose text has it in quotes; None: not found so."""
    if not name.isidentifier():
        return None
    quoted = f'"{name}"'.encode()
    files = sorted(SYSTEMS_FOLDER.glob("*.py"), key=lambda file: (file.stem != name, str(file)))
    for file in files:
        if quoted in file.read_bytes():
            module = importlib.import_module(f"prowess.systems.{file.stem}")
            for system in declared_systems(module):
                if system.name == name:
                    return system
    return None


def declared_systems(module: ModuleType) -> list[System]:
    """The systems that a module declares, its variants included."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, Dynamic | WholeTable) and value.home == module.__name__
    ]


def load_system(path: str) -> System:
    """The system in a user's file, `FILE.py` or `FILE.py:NAME`."""
    place, _, name = path.partition(".py:")
    file = Path(place if place.endswith(".py") else f"{place}.py")
    if not file.is_file():
        raise UnknownSystem.of("no_such_file.system", file=file)
    module = _module(file)
    if name:
        if not hasattr(module, name):
            known = [
                key
                for key, value in vars(module).items()
                if isinstance(value, Dynamic | WholeTable)
            ]
            known = known or ["no system at all"]
            raise BadSystem.of("system_not_in_file", file=file, name=name, known=known)
        return check_system(getattr(module, name))
    systems = declared_systems(module)
    if len(systems) != 1:
        sentence = "system_not_chosen.several" if systems else "system_not_chosen.none"
        raise BadSystem.of(sentence, file=file, count=len(systems))
    return check_system(systems[0])


def _module(file: Path) -> ModuleType:
    # The name is made from the path, so that compiled results find their types again.
    digest = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:12]
    name = f"prowess_file_{digest}_{file.stem}"
    try:
        return sys.modules.get(name) or import_file(name, file)
    except Exception as error:
        import traceback

        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        for frame, number in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename == str(file):
                line = f", line {number}"
        raise BadSystem.of("file_fails", file=file, line=line, error=error) from error
