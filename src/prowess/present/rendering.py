"""Render templates as HTML pages: values are escaped, a missing value is an error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prowess import __version__
from prowess.present import wording
from prowess.present.svg import RULES, variables

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from prowess.present.chart import Chart

ROOM = Path(__file__).parent
POLICY = {  # of every page, as a header of the server
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}
STYLE = "pages.css"
WIDE, NARROW = 720.0, 336.0  # pixels of a chart: a screen or a sheet of paper, and a phone


@cache
def environment() -> Environment:
    """The templates: all values are escaped, an undefined one is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(ROOM / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words = ("number", "format_signed", "count", "percent", "day", "moment", "score_word", "plain")
    made.filters |= {name: getattr(wording, name) for name in words}
    made.filters["picture"] = _picture
    made.globals |= {"version": __version__, "file_policy": file_policy()}
    return made


def render_template(template: str, **values: Any) -> str:
    """A template with its values, as HTML."""
    return environment().get_template(template).render(**values)


def policy() -> str:
    """The header of the server."""
    return "; ".join(f"{name} {sources}" for name, sources in POLICY.items())


def file_policy() -> str:
    """The same for pages that lie in a folder, where 'self' is the scheme of files.

    A page cannot forbid frames by itself, and has no server to send a form to.
    """
    left_out = ("frame-ancestors", "connect-src", "form-action")
    here = {name: sources for name, sources in POLICY.items() if name not in left_out}
    here |= {"form-action": "'none'"}
    for name in ("script-src", "style-src", "img-src"):
        here[name] += " file:"
    return "; ".join(f"{name} {sources}" for name, sources in here.items())


def style_sheet() -> str:
    """The style sheet: colours and figures as they are everywhere, then the pages."""
    own = (ROOM / "static" / STYLE).read_text(encoding="utf-8")
    return f"{variables('both')}{RULES}{own}@media print{{{variables('light')}}}\n"


def static_files() -> dict[str, bytes]:
    """Every file that pages load, by its name below `static/`."""
    found = {
        str(path.relative_to(ROOM / "static").as_posix()): path.read_bytes()
        for path in sorted((ROOM / "static").rglob("*"))
        if path.is_file()
    }
    return found | {STYLE: style_sheet().encode()}


def _picture(chart: Chart) -> Markup:
    """A chart for a screen and for a phone."""
    from markupsafe import Markup

    return Markup(chart.picture(WIDE, "figure wide") + chart.picture(NARROW, "figure narrow"))
