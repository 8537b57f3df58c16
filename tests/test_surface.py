"""What programs and scripts rely on is in a file, so that a change of it is seen."""

from __future__ import annotations

from difflib import unified_diff

import pytest

from tests import surface


@pytest.fixture(scope="module")
def found():
    """The surface of the program as it is."""
    return surface.write_surface()


def test_the_surface_is_the_one_in_the_file(found):
    """Nothing public is added, changed or removed without a line of `tests/surface.txt`."""
    kept = surface.FILE.read_text(encoding="utf-8")
    lines = unified_diff(kept.splitlines(), found.splitlines(), "kept", "found", "", "", 1, "")
    changes = "\n".join(lines)
    assert changes == "", f"{surface.RENEW} writes it anew, CHANGELOG.md says it\n{changes}"


def test_every_verb_with_json_is_run():
    """The fields of every verb that prints JSON are in the file."""
    printing = {
        words
        for words, verb in surface.walk_verbs()
        if any("--json" in p.opts for p in verb.params)
    }
    differ = printing ^ surface.RUNS.keys()
    assert not differ, (
        f"{', '.join(sorted(differ))}: give RUNS of tests/surface.py a row for each verb with "
        f"--json, and for no other; then {surface.RENEW}"
    )


def test_no_error_of_the_library_is_a_bug(found):
    """The command line calls no error of `prowess.errors` a bug in Prowess (70)."""
    exits = found.partition("== Exit codes ==")[2].partition("==")[0].splitlines()
    assert "BUG = 70" in exits
    assert [line for line in exits if line.endswith(" 70") and line != "BUG = 70"] == []


def add(first, /, *, second: int | None = 2) -> str:
    """A function whose signature is known."""
    return f"{first}{second}"


@pytest.mark.parametrize(
    ("described", "lines"),
    [
        (surface.list_parameters("add", add),
         ["add -> str", "    first", "    keyword second: int | None = 2"]),
        (surface.describe_object("pair", int), ["pair: class"]),
    ],
)  # fmt: skip
def test_a_signature_is_one_line_a_parameter(described, lines):
    """A name has its result, and each parameter its type and default."""
    assert list(described) == lines


def test_fields_of_lists_are_one_path():
    """A list adds the kinds of all its values under one path, and an empty one is said."""
    fields: dict[str, set[str]] = {}
    surface.gather_fields({"rows": [{"a": 1}, {"a": None}], "notes": []}, "", fields)
    assert fields == {"rows[].a": {"number", "null"}, "notes": {"empty"}}
