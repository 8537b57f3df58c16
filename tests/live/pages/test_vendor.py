"""What others wrote and our pages load."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import prowess
from prowess.present.rendering import POLICY, static_files

VENDOR = Path(prowess.__file__).parent / "present" / "static" / "vendor"
LIBRARIES = tomllib.loads((VENDOR / "manifest.toml").read_text(encoding="utf-8"))["library"]


def test_files_are_those_of_the_manifest():
    """Every vendored file is listed with its SHA-256, and nothing else lies there."""
    listed = {name: sha for one in LIBRARIES for name, sha in one["files"].items()}
    lying = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.iterdir()
        if path.name != "manifest.toml"
    }
    assert lying == listed


def test_licences_lie_beside():
    """Each library has a version, a licence, and its text, which grants what we do."""
    assert {one["name"]: one["version"] for one in LIBRARIES} == {
        "htmx": "4.0.1",
        "Inter": "5.3.0",
    }
    for one in LIBRARIES:
        text = (VENDOR / one["licence_file"]).read_text(encoding="utf-8")
        assert "Permission" in text or "PERMISSION" in text
        assert one["licence"] in ("0BSD", "MIT", "OFL-1.1")


def test_nothing_is_loaded_from_elsewhere():
    """No style sheet or script of ours names another host, and the policy lets none in."""
    for name, content in static_files().items():
        if name.endswith((".css", ".js")) and not name.startswith("vendor/"):
            assert b"://" not in content.replace(b"http://www.w3.org/2000/svg", b""), name
    assert POLICY["default-src"] == "'none'"
    assert not any("unsafe" in value or "http" in value for value in POLICY.values())
