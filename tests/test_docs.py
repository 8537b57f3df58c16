"""What the documents say is so."""

from __future__ import annotations

import doctest
import re
import shlex
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from prowess.systems.catalogue import catalogue
from tests.cli.command import answered
from tests.surface import MODULES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
FILE = re.compile(r"<!-- file: (\S+) -->\n```python\n(.*?)```", re.DOTALL)
WRITTEN = re.compile(r"^\$ (prowess .*-o \S+\.csv\b.*)$", re.MULTILINE)
IMPORTED = re.compile(r"^\s*(?:>>> |\.\.\. )?\s*(?:from|import) (prowess[\w.]*)", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def test_every_system_stands_in_the_readme() -> None:
    """The README's table names every system of the catalogue."""
    table = README.partition("## Systems")[2].partition("\n## ")[0]
    assert [name for name in catalogue() if f"`{name}`" not in table] == []


def test_no_system_stands_in_the_readme_that_is_not_there() -> None:
    """The README's table names nothing that the catalogue does not have."""
    table = README.partition("## Systems")[2].partition("\n## ")[0]
    named = {
        name
        for row in table.splitlines()
        if row.startswith("|") and "---" not in row
        for name in re.findall(r"`(\w+)`", row.split("|")[2])
    }
    assert named == set(catalogue())


def import_script(name: str) -> ModuleType:
    """A script of the documents as a module."""
    spec = spec_from_file_location(f"script_{name}", ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_the_table_of_systems_is_up_to_date() -> None:
    """The README's table is what `make readme` writes from the declarations."""
    assert import_script("systems").written(README) == README, "run: make readme"


def test_the_codes_of_errors_are_up_to_date() -> None:
    """The page of codes is what `make readme` writes from the source."""
    script = import_script("errors")
    page = script.PAGE.read_text(encoding="utf-8")
    assert script.written(page) == page, "run: make readme"


def test_the_words_of_tables_are_up_to_date() -> None:
    """The page of words is what `make readme` writes from `words.toml`."""
    script = import_script("words")
    page = script.PAGE.read_text(encoding="utf-8")
    assert script.written(page) == page, "run: make readme"


def test_the_signatures_are_up_to_date() -> None:
    """The signatures that editors complete are what `make readme` writes from the declarations."""
    script = import_script("signatures")
    assert script.STUB.read_text(encoding="utf-8") == script.write_stub(), "run: make readme"


def test_links_lead_somewhere() -> None:
    """Every relative link names a file of the project, or one that a command of the page writes."""
    lost = []
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES):
        text = page.read_text(encoding="utf-8")
        links = [one for one in LINK.findall(text) if f" {one}\n" not in text]
        lost += [(page, one) for one in links if not (page.parent / one).exists()]
    assert lost == []


def test_pages_import_public_modules_only() -> None:
    """Whatever a page imports of Prowess is public, so that it stays."""
    texts = {page: page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *PAGES)}
    found = [(page.name, name) for page, text in texts.items() for name in IMPORTED.findall(text)]
    assert ("python.md", "prowess") in found
    assert [one for one in found if one[1] not in MODULES] == []


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `>>>` example of a page gives what stands below it, beside the files it shows.

    Tables that a command of the page writes are there as well.
    """
    shown = page.read_text(encoding="utf-8")
    files, commands = FILE.findall(shown), WRITTEN.findall(shown)
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    if files or commands:
        (tmp_path / "examples").symlink_to(ROOT / "examples")
        monkeypatch.chdir(tmp_path)
    for command in commands if ">>>" in shown else []:
        answered(*shlex.split(command)[1:], cwd=tmp_path)
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0


def test_examples_of_docstrings_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `>>>` example of the source gives what stands below it."""
    monkeypatch.chdir(tmp_path)
    source = ROOT / "src"
    for file in sorted(source.rglob("*.py")):
        if ">>>" in file.read_text(encoding="utf-8"):
            module = import_module(".".join(file.relative_to(source).with_suffix("").parts))
            assert doctest.testmod(module).failed == 0, file.name
