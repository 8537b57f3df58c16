"""Schemathesis asks every operation of the OpenAPI schema, rightly and wrongly.

`PROWESS_SCHEMA_EXAMPLES=500` looks longer, and elsewhere each time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.failures import FailureGroup
from schemathesis.core.transport import Response
from schemathesis.generation import GenerationMode

from prowess.live.api.middleware import ServerSettings
from tests.live.whole import ANY, NAMES, bearer, proof_fails, secret, whole

FEW = 2
EXAMPLES = int(os.environ.get("PROWESS_SCHEMA_EXAMPLES", FEW))  # of each operation and mode
OPEN = ServerSettings(by_address=ANY, by_token=ANY, streams=0)  # a stream would not end
KNOWN: dict[str, st.SearchStrategy[Any]] = {  # what is there, so that some questions find it
    "c": st.sampled_from(["chess", "race", "rumble"]),
    "player": st.sampled_from(NAMES),
    "number": st.integers(1, 14),
}
load_all_checks()
# What the schema allows may still be refused by the journal, which knows who is who.
LEFT_OUT = [CHECKS.get_one("positive_data_acceptance")]
TOO_LARGE = [*LEFT_OUT, CHECKS.get_one("negative_data_rejection")]  # does not know of 413
LOOKING = settings(
    max_examples=EXAMPLES,
    derandomize=EXAMPLES == FEW,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def operations(app: FastAPI) -> Iterator[Any]:
    """Everything that the schema describes."""
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    for found in schema.get_all_operations():
        yield found.ok()


def told_well(response: Response) -> bool:
    """Whether an error is a problem with a code, and no fault of ours."""
    if response.status_code < 400:
        return True
    kind = response.headers["content-type"][0]
    problem = response.json()
    return (
        response.status_code < 500
        and kind == "application/problem+json"
        and problem["status"] == response.status_code
        and bool(problem["code"] and problem["detail"])
    )


def faults(
    operation: Any, headers: dict[str, str], modes: Iterable[GenerationMode] = GenerationMode
) -> list[str]:
    """What is wrong with the answers to an operation that is asked rightly, wrongly, or both."""
    found: list[str] = []

    def asked(case: Any, data: st.DataObject) -> None:
        if mode.is_positive:
            for name in KNOWN.keys() & (case.path_parameters or {}).keys():
                if data.draw(st.booleans()):
                    case.path_parameters[name] = data.draw(KNOWN[name])
        response = case.call(headers=headers)
        if not told_well(response):
            found.append(f"{operation.label}: {response.status_code} {response.text[:500]}")
        try:
            but = TOO_LARGE if response.status_code == 413 else LEFT_OUT
            case.validate_response(response, excluded_checks=but, headers=headers)
        except FailureGroup as error:
            found.append(f"{operation.label}: {str(error)[:2000]}")

    for mode in modes:
        cases = operation.as_strategy(generation_mode=mode)
        try:
            LOOKING(given(case=cases, data=st.data())(asked))()
        except Unsatisfiable:
            assert mode.is_negative, operation.label  # nothing is asked that could be wrong
    return found


def test_with_every_right(store_url: str):
    """An administrator gets no 5xx and no answer the schema does not have; the log stays sound."""
    with whole(store_url, OPEN) as (app, journal):
        found = [
            fault
            for operation in operations(app)
            for fault in faults(operation, bearer(secret(journal, "admin")))
        ]
        assert not found, "\n\n".join(found)
        assert proof_fails(store_url) == []


def test_without_a_token(sqlite_url: str):
    """Nobody writes without a token, however rightly asked; the answer is as the schema says."""
    with whole(sqlite_url, OPEN) as (app, journal):
        revision = journal.revision
        found = [
            fault
            for operation in operations(app)
            for fault in faults(operation, {}, [GenerationMode.POSITIVE])
        ]
        assert not found, "\n\n".join(found)
        assert journal.revision == revision


@pytest.mark.slow
def test_a_private_server(sqlite_url: str):
    """A private server answers as its own schema says: nothing without a token, however rightly
    it is asked; what is asked wrongly it does not read.
    """
    with whole(sqlite_url, ServerSettings(private=True, by_address=ANY, streams=0)) as (app, _):
        found = [
            fault
            for operation in operations(app)
            for fault in faults(operation, {}, [GenerationMode.POSITIVE])
        ]
        assert not found, "\n\n".join(found)
