"""The whole table of a category as a file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from prowess.live.api import exports
from prowess.live.api.answers import Text
from prowess.live.api.authority import Reader, TheDesk
from prowess.live.api.problems import Problem

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
) -> Response:
    """All results of a category that count, as known now, in order of play.

    JSON lines without a category hold those of all categories.

    The CSV is read by `prowess rate` (with `--sides side` where it has that column), which gives
    the same ratings to the last bit.
    """
    revision = desk.revision
    if form == "ndjson" and category is None:
        chosen = desk.categories()
        name = "results"
    else:
        chosen = [desk.category(category)]
        name = chosen[0].key
    if form == "parquet":
        try:
            import pyarrow  # noqa: F401, ICN001
        except ModuleNotFoundError:
            told = "this server writes no Parquet (pip install 'prowess[files]'); take csv"
            raise Problem(406, "not_acceptable", told) from None
    writer, kind = FORMS[form]
    parts: Iterator[bytes] = chain.from_iterable(writer(desk, one, revision) for one in chosen)
    headers = {
        "Content-Disposition": f'attachment; filename="{name}-r{revision}.{form}"',
        "Prowess-Revision": str(revision),
        "Cache-Control": "no-store",
    }
    return StreamingResponse(parts, 200, headers, kind)
