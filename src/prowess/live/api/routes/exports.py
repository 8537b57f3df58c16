"""The whole table of a category as a file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from prowess.live.api import exports
from prowess.live.api.category_view import find_categories, parse_as_of
from prowess.live.api.parameters import Reader, TheDesk
from prowess.live.api.problems import Problem
from prowess.live.api.responses import AsOf, Revision, Text

router = APIRouter(tags=["export"])
FORMS = {
    "csv": (exports.as_csv, "text/csv; charset=utf-8"),
    "ndjson": (exports.as_ndjson, "application/x-ndjson"),
    "parquet": (exports.as_parquet, "application/vnd.apache.parquet"),
}


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"content": {kind.partition(";")[0]: {} for _, kind in FORMS.values()}}},
)
def export(
    request: Request,
    desk: TheDesk,
    actor: Reader,
    category: Text = None,
    form: Annotated[Literal["csv", "ndjson", "parquet"], Query(alias="format")] = "csv",
    as_of: AsOf = None,
    revision: Revision = None,
) -> Response:
    """All results of a category that count, in order of play, as known now or at a revision.

    JSON lines without a category hold those of all categories, one after the other.

    The CSV is read by `prowess rate`, which gives the same ratings to the last bit. Its column
    `side` is there only where a game has one, and then needs `--sides side`.
    """
    until = None if as_of is None else parse_as_of(as_of)
    known, categories = desk.revision, {one.key: one for one in desk.categories()}
    if revision is not None and revision != known:
        known, categories = revision, find_categories(desk, revision)
    if form == "ndjson" and category is None:
        chosen = list(categories.values())
        name = "results"
    else:
        name = desk.category(category).key
        if name not in categories:
            told = f"there was no {name!r} at revision {known}"
            raise Problem(404, "no_such_category", told)
        chosen = [categories[name]]
    if form == "parquet":
        try:
            import pyarrow  # noqa: F401, ICN001
        except ModuleNotFoundError:
            told = "this server writes no Parquet (pip install 'prowess[files]'); take csv"
            raise Problem(406, "not_acceptable", told) from None
    writer, kind = FORMS[form]
    parts: Iterator[bytes] = chain.from_iterable(writer(desk, one, known, until) for one in chosen)
    headers = {
        "Content-Disposition": f'attachment; filename="{name}-r{known}.{form}"',
        "Prowess-Revision": str(known),
        "Cache-Control": "no-store",
    }
    if request.state.head:
        return Response(None, 200, headers, kind)
    return StreamingResponse(parts, 200, headers, kind)
