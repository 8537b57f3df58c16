"""Check that a release may be made: the tag, the version and the changelog say the same.

    python -m wheels.release v0.2.0 > notes.md

Prints the section of the changelog, or ends with exit status 1 and what to change.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SECTION = re.compile(r"^## (\S+).*\n", re.MULTILINE)


def read_versions(root: Path) -> dict[str, str]:
    """The version that each file of the project states."""

    def find(file: str, pattern: str) -> str:
        found = re.search(pattern, (root / file).read_text(encoding="utf-8"), re.MULTILINE)
        return found[1] if found else "none"

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        "src/prowess/version.py": find("src/prowess/version.py", r'^__version__ = "(.+)"$'),
        "pyproject.toml": project["project"]["version"],
        "CITATION.cff": find("CITATION.cff", r"^version: (.+)$"),
    }


def read_sections(changelog: str) -> dict[str, str]:
    """The text of each section of a changelog, by its version."""
    parts = SECTION.split(changelog)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def find_obstacles(tag: str, versions: dict[str, str], sections: dict[str, str]) -> list[str]:
    """What keeps a tag from being a release, each with the remedy first."""
    version = tag.removeprefix("v")
    if not re.fullmatch(r"v\d+\.\d+\.\d+", tag):
        return [f"name the tag vX.Y.Z, not {tag!r}"]
    obstacles = [
        f"write {version} in {file}: it says {found}"
        for file, found in versions.items()
        if found != version
    ]
    if not sections.get(version):
        obstacles.append(f"write the section {version} of CHANGELOG.md: it is missing or empty")
    if sections.get("Unreleased"):
        obstacles.append("move the lines under Unreleased in CHANGELOG.md to a version")
    return obstacles


def main(tag: str) -> None:
    """Print the section of the tag's version; exit with what stands against the release."""
    sections = read_sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    obstacles = find_obstacles(tag, read_versions(ROOT), sections)
    if obstacles:
        sys.exit("\n".join(obstacles))
    print(sections[tag.removeprefix("v")])


if __name__ == "__main__":
    main(*sys.argv[1:])
