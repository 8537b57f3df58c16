"""Check that a release may be made: the tag, the version and the changelog say the same.

    python -m wheels.release v0.2.0 > notes.md
    python -m wheels.release v0.2.0 https://.../releases/download/v0.2.0 > recipe.yaml

Prints the section of the changelog, or ends with exit status 1 and what to change. With the address
of the release's files it prints the recipe of the conda package, which names the sdist of `dist/`.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECIPE = "deploy/conda/recipe.yaml"
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
        RECIPE: find(RECIPE, r'^  version: "(.+)"$'),
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


def make_recipe(recipe: str, sdist: Path, address: str) -> str:
    """The recipe of the conda package with the sdist of a release in place of the checkout."""
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    return recipe.replace("  path: ../..\n", f"  url: {address}/{sdist.name}\n  sha256: {digest}\n")


def main(tag: str, address: str = "") -> None:
    """Print the section of the tag's version; exit with what stands against the release."""
    sections = read_sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    obstacles = find_obstacles(tag, read_versions(ROOT), sections)
    if obstacles:
        sys.exit("\n".join(obstacles))
    if not address:
        print(sections[tag.removeprefix("v")])
        return
    (sdist,) = (ROOT / "dist").glob("*.tar.gz")
    print(make_recipe((ROOT / RECIPE).read_text(encoding="utf-8"), sdist, address), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
