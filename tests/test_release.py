"""A tag becomes a release where it, the files of the project and the changelog say one version."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from pytest import approx

from tests.cli.command import environment
from wheels.release import (
    RECIPE,
    ROOT,
    find_obstacles,
    make_recipe,
    read_sections,
    read_versions,
)

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


def test_the_recipe_needs_what_the_package_needs():
    """The conda package has the dependencies of the core and of the compiler, and one version."""
    recipe = yaml.safe_load((ROOT / RECIPE).read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["fast"]]
    python = f"python {project['requires-python']}"
    assert recipe["requirements"]["run"] == [python, *(one.replace(">=", " >=") for one in needed)]
    assert recipe["build"]["python"]["entry_points"] == [
        f"{name} = {place}" for name, place in project["scripts"].items()
    ]


def test_the_recipe_of_a_release_names_its_sdist(tmp_path):
    """In place of the checkout stand the address of the sdist and its hash."""
    sdist = tmp_path / "prowess-0.2.0.tar.gz"
    sdist.write_bytes(b"abc")
    text = make_recipe((ROOT / RECIPE).read_text(encoding="utf-8"), sdist, "https://example.org/v1")
    assert yaml.safe_load(text)["source"] == {
        "url": "https://example.org/v1/prowess-0.2.0.tar.gz",
        # of FIPS 180-2, appendix B.1
        "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    }


def test_the_action_makes_pages_of_results(tmp_path):
    """Its shell step writes a site, a report, a table, and a summary for people, from any names."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    *_, install, make = action["runs"]["steps"]
    assert "[fast]" in install["run"]
    (tmp_path / "our results.csv").write_text(
        "home,away,result\nAnn,Bob,1-0\nBob,Cid,1-0\nCid,Ann,0-1\n", encoding="utf-8"
    )
    given = {"results": "'our results.csv'", "options": '--system elo --set "k=20"',
             "title": "Our club"}  # fmt: skip
    values = {name: given.get(name, one.get("default")) for name, one in action["inputs"].items()}
    variables = {name: values[text.split("inputs.")[1].split()[0]]
                 for name, text in make["env"].items()}  # fmt: skip
    summary = tmp_path / "summary.md"
    variables |= {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(summary)}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", make["run"]]
    subprocess.run(command, check=True, cwd=tmp_path, env=environment(**variables, PATH=path))
    assert "Our club" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "Our club" in (tmp_path / "site" / "report.html").read_text(encoding="utf-8")
    board = (tmp_path / "site" / "ratings.csv").read_text(encoding="utf-8")
    first, *_ = csv.DictReader(board.splitlines())
    assert first["player"] == "Ann"
    cid = 1500 - 20 / (1 + 10 ** (-10 / 400))  # lost to Bob, who had 1490: Elo's formula, by hand
    assert float(first["rating"]) == approx(1510 + 20 / (1 + 10 ** ((1510 - cid) / 400)))
    assert "## Our club" in summary.read_text(encoding="utf-8")
    assert "Ann" in summary.read_text(encoding="utf-8")


def build_wheel(folder, root=ROOT):
    """The wheel of plain Python."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, check=True, cwd=root, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_the_container_copies_what_a_wheel_is_built_of(tmp_path):
    """The files that the container file copies, and no others, are enough to build the wheel."""
    copied = tmp_path / "opt"
    copied.mkdir()
    lines = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8").splitlines()
    for *names, target in (line.split()[1:] for line in lines if line.startswith("COPY ")):
        for name in names:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copied / target)
            else:
                (copied / target).mkdir(exist_ok=True)
                shutil.copy(ROOT / name, copied / target)
    assert build_wheel(tmp_path, copied).name.endswith("-py3-none-any.whl")


@pytest.mark.parametrize("words", [("uvx", "--from"), ("pipx", "run", "--spec")])
def test_the_wheel_runs_without_an_installation(tmp_path, words):
    """`uvx` and `pipx run` rate a table from the wheel, in an empty home."""
    program = shutil.which(words[0])
    if program is None:
        pytest.skip(f"{words[0]} is not installed")
    kept = ("PIP_", "UV_", "SSL_")  # where packages come from
    variables = {name: value for name, value in os.environ.items() if name.startswith(kept)}
    variables |= {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    table = tmp_path / "games.csv"
    table.write_text("home,away,result\nAnn,Bob,1-0\nBob,Cid,1-0\n", encoding="utf-8")
    command = [program, *words[1:], str(build_wheel(tmp_path)), "prowess", "rate", str(table)]
    done = subprocess.run(
        command, check=False, cwd=tmp_path, env=variables, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Ann" in done.stdout
