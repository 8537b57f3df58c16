"""Style sheets, scripts, and the description of the programs' door."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from starlette.responses import Response

from prowess.live.errors import NotFound
from prowess.live.pages.addresses import fingerprints
from prowess.live.pages.visits import Visit
from prowess.present.rendering import static_files

KINDS = {
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "js": "text/javascript; charset=utf-8",
    "toml": "text/plain; charset=utf-8",
    "LICENSE": "text/plain; charset=utf-8",
}
FOR_EVER = "public, max-age=31536000, immutable"
METHODS = ("get", "post", "put", "patch", "delete")


class Route(NamedTuple):
    """One thing that a program may ask."""

    method: str
    path: str
    summary: str
    description: str
    parameters: tuple[tuple[str, str, str], ...]  # name, where, meaning
    answers: tuple[tuple[str, str], ...]


@cache
def _files() -> dict[str, bytes]:
    return static_files()


def static(visit: Visit) -> Response:
    """A file that pages load."""
    name = visit.part("file")
    if name not in _files():
        raise NotFound("no_such_file", f"there is no file {name!r}")
    same = visit.request.query_params.get("v") == fingerprints()[name]
    headers = {"Cache-Control": FOR_EVER if same else "no-cache"}
    return Response(_files()[name], media_type=KINDS[name.rpartition(".")[2]], headers=headers)


def api(visit: Visit) -> Response:
    """All routes for programs, from the server's own description of them."""
    description = visit.request.app.openapi()
    return visit.page("live/api.html", here="api", routes=routes(description))


def routes(description: dict[str, Any]) -> list[Route]:
    """The routes of an OpenAPI description in its order."""
    found = []
    for path, methods in description.get("paths", {}).items():
        for method in METHODS:
            if method not in methods:
                continue
            one = methods[method]
            parameters = tuple(
                (p["name"], p["in"], p.get("description", ""))
                for p in one.get("parameters", ())
                if "name" in p
            )
            answers = tuple(
                (status, answer.get("description", ""))
                for status, answer in one.get("responses", {}).items()
            )
            told = one.get("description", "")
            sentence, _, rest = told.partition("\n\n")
            found.append(
                Route(
                    method.upper(),
                    path,
                    sentence or one.get("summary", ""),
                    rest,
                    parameters,
                    answers,
                )
            )
    return found
