"""The snippets of the Python face run in a notebook, and show what a notebook can show."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

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
