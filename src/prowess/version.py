"""The version of this library, and the old names that work until a later version."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, ParamSpec, TypeVar

__version__ = "0.2.0"

Taken = ParamSpec("Taken")
Returned = TypeVar("Returned")


class NewName(NamedTuple):
    """What an old name is called now, and the first version without the old one."""

    name: str
    until: str


MODULES = {
    "prowess.match": NewName("prowess.verbs.match", "0.3"),
    "prowess.rating": NewName("prowess.verbs.rating", "0.3"),
    "prowess.tables": NewName("prowess.verbs.tables", "0.3"),
}
RENAMED = MODULES | {  # methods, keywords, options of a verb
    "prowess.live.client.Outbox.refused": NewName("prowess.live.client.Outbox.refusals", "0.3"),
    "prowess.compare(by=)": NewName("metric", "0.3"),
    "prowess.tune(by=)": NewName("metric", "0.3"),
    "prowess compare --by": NewName("--metric", "0.3"),
    "prowess plot --by": NewName("--against", "0.3"),
    "prowess stack --by": NewName("--metric", "0.3"),
    "prowess tune --by": NewName("--metric", "0.3"),
}


def describe_renamed(old: str) -> str:
    """What to write in place of an old name, and how long that still works."""
    new, until = RENAMED[old]
    return f"write {new} for {old}, which works until {until}"


def replace_name(old: str) -> str:
    """The new name of an old one, with a DeprecationWarning at the caller's caller."""
    warnings.warn(describe_renamed(old), DeprecationWarning, stacklevel=3)
    return RENAMED[old].name


def accept_old_keywords(function: Callable[Taken, Returned]) -> Callable[Taken, Returned]:
    """Let a public function take its keywords by their old names as well."""

    @wraps(function)
    def call(*arguments: Taken.args, **keywords: Taken.kwargs) -> Returned:
        for key in list(keywords):
            old = f"prowess.{function.__name__}({key}=)"
            if old in RENAMED and RENAMED[old].name not in keywords:
                keywords[replace_name(old)] = keywords.pop(key)
        return function(*arguments, **keywords)

    return call


def keep_old_method(old: str) -> Callable[..., Any]:
    """The method of an old name, which calls that of the new one."""

    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        return getattr(self, replace_name(old).rpartition(".")[2])(*arguments, **keywords)

    return call


class OldModule(ModuleType):
    """A module by its old name, whose names are those of the module that took its place."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what the interpreter looks for in every module
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(import_module(MODULES[self.__name__].name), name)
        replace_name(self.__name__)
        return value


sys.modules.update({name: OldModule(name) for name in MODULES})
