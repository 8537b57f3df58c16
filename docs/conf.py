"""Settings of Sphinx for the site: `build_site.py` lays out the pages and calls it."""

from __future__ import annotations

import re
from typing import Any

from prowess import __version__

project, author, version = "Prowess", "The Prowess authors", __version__
copyright = author  # noqa: A001 - the name that Sphinx reads
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["examples/[!R]*"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4  # links such as judging.md#intervals name headings as on other hosts
default_role = "literal"
autodoc_typehints = "none"  # signatures stay short; the text says what arguments are
autodoc_member_order = "bysource"
copybutton_prompt_text = r"\$ |>>> "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_theme = "furo"
html_title = "Prowess"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # summaries are fetched, which a page opened from a disk may not
html_theme_options = {"navigation_with_keys": False}


def format_docstring(
    _app: Any, _what: str, _name: str, _one: Any, _how: Any, lines: list[str]
) -> None:
    """A docstring is plain text: backticks hold code, and what stands in columns stays so."""
    lines[:] = "\n\n".join(map(format_paragraph, "\n".join(lines).split("\n\n"))).split("\n")


def format_paragraph(text: str) -> str:
    """A paragraph as reStructuredText: columns are a literal block, prose is escaped."""
    if text.lstrip().startswith(">>>"):
        return text
    if re.search(r"^ *\S+.*\S {2,}\S|\n +", text):
        return "::\n\n" + re.sub("^", "    ", text, flags=re.MULTILINE)
    parts = re.split(r"(`[^`]+`)", text)
    parts[::2] = [re.sub(r"([*_|\\])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"`{part}`" for part in parts[1::2]]
    return "".join(parts)


def setup(app: Any) -> None:
    """Register what is above."""
    app.connect("autodoc-process-docstring", format_docstring)
