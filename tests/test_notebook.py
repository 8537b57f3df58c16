"""The snippets of the Python face and the tutorials run in a notebook."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.test_docs import import_script

ROOT = Path(__file__).parents[1]
TUTORIALS = [
    page for page in sorted((ROOT / "docs" / "tutorials").glob("*.md")) if page.stem != "index"
]
NOTEBOOK = Path(__file__).parent / "notebooks" / "face.ipynb"


@pytest.fixture(scope="module")
def cells():
    """The cells after they ran, by their first line."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=120).execute()
    return {one.source.partition("\n")[0]: one for one in notebook.cells if "outputs" in one}


def test_every_snippet_runs_and_shows_its_value(cells):
    """No cell fails, and each that ends in a value shows it in HTML, without a warning."""
    for source, cell in cells.items():
        kinds = [kind for one in cell.outputs for kind in one.get("data", {})]
        streams = [one.text for one in cell.outputs if one.output_type == "stream"]
        assert not streams, source
        if not cell.source.splitlines()[-1].startswith((" ", "assert", "]", ")")):
            assert "text/plain" in kinds, source


def test_a_figure_is_interactive(cells):
    """A figure comes as Vega-Lite, as an image and as words."""
    (shown,) = cells["# 11. A figure: interactive here, and on axes of matplotlib."].outputs
    assert {"application/vnd.vegalite.v5+json", "text/html", "text/plain"} <= {*shown.data}


@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_a_tutorial_runs_as_a_notebook(page, tmp_path):
    """Every cell of a tutorial runs, and every command prints in a kernel what the page shows."""
    convert = import_script("notebooks").convert_tutorial
    notebook = nbformat.from_dict(convert(page.read_text(encoding="utf-8")))
    nbformat.validate(notebook)
    shown = [join_output(cell) for cell in notebook.cells]
    assert any(shown)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=300, resources=where).execute()
    for cell, answer in zip(notebook.cells, shown, strict=True):
        if cell.source.startswith("%run"):
            assert join_output(cell) == answer, cell.source


def join_output(cell):
    """What a cell prints, without blanks at the ends of lines."""
    parts = [one.text for one in cell.get("outputs", ()) if one.get("name") == "stdout"]
    return [line.rstrip() for line in "".join(parts).splitlines()]
