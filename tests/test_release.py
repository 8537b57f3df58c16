"""A tag becomes a release where it, the files of the project and the changelog say one version."""

from __future__ import annotations

import pytest

from wheels.release import ROOT, find_obstacles, read_sections, read_versions

CHANGELOG = """\
# Changelog

## Unreleased

## 0.2.0

A line.

### Fixed

- Another.

## 0.1.0 (2026-01-01)

- The first.
"""
SAME = {"version.py": "0.2.0", "CITATION.cff": "0.2.0"}


def test_the_project_states_one_version():
    """Library, package and citation have one version, and the changelog a section of it."""
    versions = read_versions(ROOT)
    assert len(set(versions.values())) == 1, versions
    sections = read_sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert list(sections)[:1] == ["Unreleased"]
    assert {*versions.values()} <= sections.keys()


def test_a_section_goes_to_the_next():
    """A section has its own headings and nothing of the next; a date may stand beside it."""
    assert read_sections(CHANGELOG) == {
        "Unreleased": "",
        "0.2.0": "A line.\n\n### Fixed\n\n- Another.",
        "0.1.0": "- The first.",
    }


@pytest.mark.parametrize(
    ("tag", "versions", "changelog", "beginnings"),
    [
        ("v0.2.0", SAME, CHANGELOG, []),
        ("0.2.0", SAME, CHANGELOG, ["name the tag vX.Y.Z"]),
        ("v0.2.0rc1", SAME, CHANGELOG, ["name the tag vX.Y.Z"]),
        ("v0.2.0", SAME | {"CITATION.cff": "0.1.0"}, CHANGELOG, ["write 0.2.0 in CITATION.cff"]),
        ("v0.2.0", SAME, CHANGELOG.replace("0.2.0", "0.3.0"), ["write the section 0.2.0"]),
        ("v0.2.0", SAME, CHANGELOG.replace("sed\n", "sed\n\n- New.\n"), ["move the lines"]),
        ("v0.3.0", SAME, CHANGELOG, ["write 0.3.0 in version.py", "write 0.3.0 in CITATION.cff",
                                     "write the section 0.3.0"]),
    ],
)  # fmt: skip
def test_what_differs_keeps_a_tag_from_being_a_release(tag, versions, changelog, beginnings):
    """Each file that says another version is named, and a changelog that is not ready."""
    found = find_obstacles(tag, versions, read_sections(changelog))
    assert len(found) == len(beginnings)
    assert all(one.startswith(begin) for one, begin in zip(found, beginnings, strict=True)), found


def test_the_release_job_keeps_no_token():
    """The job publishes by the identity of the workflow, with provenance, after `make dist`."""
    job = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert "secrets." not in job
    assert "password" not in job
    steps = ("wheels.release", "make PYTHON=python dist", "attest-build-provenance",
             "gh-action-pypi-publish", "gh release create")  # fmt: skip
    places = [job.index(step) for step in steps]
    assert places == sorted(places)
