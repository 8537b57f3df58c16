"""A misspelt question is refused: `?dryrun=1` must not write."""

from __future__ import annotations

from difflib import get_close_matches
from typing import get_origin

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from prowess.live.api.problems import Fault, Problem


def only_known(request: Request) -> None:
    """Raise Problem for a query parameter that the address does not have, or has once only."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    known = _named(route.dependant)
    several = _named(route.dependant, lists=True)
    given = [name for name, _ in request.query_params.multi_items()]
    faults = []
    for name in dict.fromkeys(given):
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            faults.append(Fault("unknown_parameter", f"no such parameter here{hint}", name[:100]))
        elif given.count(name) > 1 and name not in several:
            faults.append(Fault("repeated_parameter", "stands there more than once", name))
    if faults:
        told = f"{faults[0].field}: {faults[0].message}"
        raise Problem(422, faults[0].code, told, faults)


def _named(dependant: Dependant, *, lists: bool = False) -> list[str]:
    """The query parameters of an address and of all it depends on, or those that may repeat."""
    own = [
        field.alias
        for field in dependant.query_params
        if not lists or get_origin(field.field_info.annotation) is list
    ]
    return own + [name for one in dependant.dependencies for name in _named(one, lists=lists)]
