"""Settings of Sphinx for the site: `build_site.py` lays out the pages and calls it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

from prowess import __version__
from prowess.present.rendering import PAGE_COLOURS

project, author, version = "Prowess", "The Prowess authors", __version__
copyright = author  # noqa: A001 - the name that Sphinx reads
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["examples/[!R]*"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4  # links such as judging.md#intervals name headings as on other hosts
default_role = "literal"
smartquotes = False  # an option such as --system can be copied
autodoc_typehints = "none"  # signatures stay short; the list of parameters has the types
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 72
copybutton_prompt_text = r"\$ |>>> "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_theme = "furo"
html_title = "Prowess"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
TOKENS = {  # the theme's names of what the pages of Prowess call otherwise
    "background-primary": "paper", "background-secondary": "bg", "background-hover": "sunken",
    "background-border": "rule", "foreground-primary": "ink", "foreground-secondary": "soft",
    "foreground-muted": "soft", "foreground-border": "line-2", "brand-primary": "accent-ink",
    "brand-content": "accent-ink", "brand-visited": "accent-ink", "code-background": "sunken",
    "inline-code-background": "sunken", "code-foreground": "ink", "api-background": "sunken",
    "api-overall": "soft", "api-name": "accent-ink", "api-pre-name": "soft", "problematic": "bad",
    "table-border": "rule", "table-header-background": "paper", "card-background": "paper",
    "card-border": "rule", "highlighted-background": "warn-soft",
    "sidebar-item-background--hover": "sunken",
}  # fmt: skip
FONTS = {"font-stack": 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'}
html_theme_options = {"navigation_with_keys": False} | {
    f"{theme}_css_variables": {
        f"color-{name}": PAGE_COLOURS[one][k] for name, one in TOKENS.items()
    }
    | {"ink-2": PAGE_COLOURS["ink-2"][k]}
    | FONTS
    for k, theme in enumerate(("light", "dark"))
}

DECLARED = {"function", "method", "class", "exception"}
ARGUMENT = re.compile(r"^ +(\w+): (.*?)(?=^ +\w+: |\Z)", re.MULTILINE | re.DOTALL)
SENTENCES = re.compile(r"(?<=\.)\s+(?=[A-Z`])")


def format_docstring(
    _app: Any, what: str, name: str, one: Any, _how: Any, lines: list[str]
) -> None:
    """A docstring becomes prose, a list of the parameters with what is said of each, an example.

    Backticks hold code, and what stands in columns stays so.
    """
    paragraphs = "\n".join(lines).strip("\n").split("\n\n")
    examples = [text for text in paragraphs if text.lstrip().startswith(">>>")]
    prose = [text for text in paragraphs if text not in examples]
    listed: list[str] = []
    if what in DECLARED:
        prose, listed = list_parameters(one, prose)
    parts = [*map(format_paragraph, prose), "\n".join(listed), *map(format_paragraph, examples)]
    lines[:] = [*"\n\n".join(filter(None, parts)).split("\n"), ""]


def list_parameters(one: Any, prose: list[str]) -> tuple[list[str], list[str]]:
    """The prose without what it says of single parameters, and a field for each parameter."""
    try:
        found = signature(one)
    except (TypeError, ValueError):
        return prose, []
    known = [part for part in found.parameters.values() if not re.match("_|self$|cls$", part.name)]
    prose, said = share_out(prose, [part.name for part in known])
    listed = []
    for part in known:
        kind = "" if part.annotation is Parameter.empty else f"``{clean_type(part.annotation)}``"
        given = part.default is not Parameter.empty and not str(part.default).startswith("<")
        default = f"default ``{part.default!r}``" if given else ""
        about = ", ".join(filter(None, (kind, default)))
        stars = {Parameter.VAR_KEYWORD: r"\*\*", Parameter.VAR_POSITIONAL: r"\*"}.get(part.kind, "")
        text = format_paragraph(" ".join(said[part.name])).replace("\n", " ")
        listed.append(f":param {stars}{part.name}: {about}" + (f". {text}" if text else ""))
    if found.return_annotation not in (found.empty, None, "None"):
        listed.append(f":returns: ``{clean_type(found.return_annotation)}``")
    return prose, listed


def share_out(prose: list[str], names: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """The paragraphs that are about no parameter, and the sentences about each.

    A sentence belongs to the first parameter that it names in backticks, and so do those that
    follow it without a name. The first paragraph stays.
    """
    said: dict[str, list[str]] = {name: [] for name in names}
    others: dict[str, str] = {}  # parameters that a sentence about another one explains
    left = prose[:1]
    for paragraph in prose[1:]:
        if paragraph.startswith("Args:"):
            for name, text in ARGUMENT.findall(paragraph):
                said.setdefault(name, []).append(" ".join(text.split()))
            continue
        if is_in_columns(paragraph):
            left.append(paragraph)
            continue
        owner, kept = None, []
        for sentence in split_sentences(paragraph):
            named = [name for name in re.findall(r"`(\w+)(?:=[^`]*)?`", sentence) if name in said]
            owner = None if sentence.startswith("Raises") else (named or [owner])[0]
            others |= {name: str(owner) for name in named[1:] if name not in others}
            (kept if owner is None else said[owner]).append(sentence)
        left += [" ".join(kept)] if kept else []
    for name, owner in others.items():
        said[name] = said[name] or [f"See `{owner}`."]
    return left, said


def split_sentences(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph; a stop inside backticks ends none."""
    begun = ""
    for part in SENTENCES.split(paragraph):
        begun = f"{begun} {part}".strip()
        if begun.count("`") % 2 == 0:
            yield begun
            begun = ""
    if begun:
        yield begun


def skip_routing(_app: Any, _what: str, name: str, _one: Any, skip: bool, _how: Any) -> bool:
    """Methods that scikit-learn adds to every estimator have no page."""
    return skip or re.fullmatch(r"(set|get)_\w*(_request|_routing)", name) is not None


def clean_type(annotation: Any) -> str:
    """A type as it is written in the source."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", None)
    return str(text or annotation).replace("ForwardRef('", "").replace("')", "")


def is_in_columns(text: str) -> bool:
    """Whether lines of a text must stay as they are."""
    return re.search(r"^ *\S+.*\S {2,}\S|\n +", text) is not None


def format_paragraph(text: str) -> str:
    """A paragraph as reStructuredText: columns are a literal block, prose is escaped."""
    if text.lstrip().startswith(">>>"):
        return text
    if is_in_columns(text):
        return "::\n\n" + re.sub("^", "    ", text, flags=re.MULTILINE)
    parts = re.split(r"(`[^`]+`)", text)
    parts[::2] = [re.sub(r"([*_|\\@])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"`{part}`" for part in parts[1::2]]
    return "".join(parts)


def write_formula(writer: Any, node: Any) -> None:
    """A formula of LaTeX as MathML, which browsers draw themselves."""
    block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=block)
    writer.body.append(f'<div class="math" tabindex="0">{formula}</div>' if block else formula)
    raise nodes.SkipNode


def fold_navigation(
    _app: Any, _page: str, _template: str, context: dict[str, Any], _tree: Any
) -> None:
    """Unfold in the sidebar only the branch of a page.

    With all 220 links on each page they would be most of the site and of the time to build it.
    """
    if "toctree" in context:
        list_pages = context["toctree"]
        context["toctree"] = lambda **options: list_pages(**options | {"collapse": True})


def setup(app: Any) -> None:
    """Register what is above."""
    app.connect("html-page-context", fold_navigation, priority=400)  # before the theme
    app.connect("autodoc-process-docstring", format_docstring)
    app.connect("autodoc-skip-member", skip_routing)
    renderers = (write_formula, None)
    app.add_html_math_renderer("mathml", renderers, renderers)
