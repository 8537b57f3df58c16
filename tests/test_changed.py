"""Which tests a change can reach: `make quick CHANGED=1`."""

from __future__ import annotations

import pytest

from tests.changed import ROOT, TESTS, find_imports, select_tests


@pytest.mark.parametrize(
    ("changed", "reached", "left_out"),
    [
        ("src/prowess/compile/cache.py", "games/test_names.py", None),
        ("src/prowess/live/web/routes.py", "live/pages/test_teams.py",
         "engine/test_likelihood.py"),
        ("src/prowess/cli/output.py", "cli/test_rate.py", "compile/test_plain_loops.py"),
        ("src/prowess/present/templates/report.html", "browser/test_report.py",
         "compile/test_plain_loops.py"),
        ("tests/live/load_ledger.py", "live/test_killed.py", "live/test_wire.py"),
        ("tests/live/postgres.py", "live/store/test_backup.py", "cli/test_rate.py"),
        ("tests/door/tables/new.csv", "door/test_door.py", "cli/test_rate.py"),
        ("docs/judging.md", "browser/test_site.py", "cli/test_rate.py"),
        ("src/prowess/__init__.py", "compile/test_plain_loops.py", None),
        ("pyproject.toml", "compile/test_plain_loops.py", None),
    ],
)  # fmt: skip
def test_a_change_reaches_what_stands_above(changed, reached, left_out):
    """A change reaches the tests of its room and of those above, by hand from the map of rooms."""
    tests = sorted(TESTS.rglob("test_*.py"))
    found = {path.relative_to(TESTS).as_posix() for path in select_tests({changed}, tests)}
    assert reached in found
    assert left_out not in found
    assert {path.name for path in TESTS.glob("test_*.py")} <= found


def test_nothing_changed_leaves_the_tests_of_the_whole():
    """Without a change only the files that look at the whole are left."""
    found = select_tests(set(), sorted(TESTS.rglob("test_*.py")))
    assert {path.parent for path in found} == {TESTS}
    assert ROOT / "tests" / "test_changed.py" in found


def test_imports_of_all_forms_are_found():
    """Imports in one line, in brackets and inside functions name their modules."""
    text = "import a.b\nfrom c import (\n    d,\n    e as f,\n)\ndef g():\n    from h import i\n"
    assert {"a.b", "c", "c.d", "c.e", "h", "h.i"} <= set(find_imports(text))
