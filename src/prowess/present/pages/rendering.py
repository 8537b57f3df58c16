"""Templates to pages: everything is escaped, whatever is missing is an error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prowess import __version__
from prowess.present.figures.theme import RULES, variables
from prowess.present.pages import wording

if TYPE_CHECKING:
    from jinja2 import Environment

ROOM = Path(__file__).parent.parent
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
WIDE, NARROW = 720.0, 336.0  # pixels of a figure: a screen, and a phone


@cache
def environment() -> Environment:
    """The templates; raises ModuleNotFoundError, with the remedy, where Jinja2 is missing."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ModuleNotFoundError:
        raise ModuleNotFoundError("pages need Jinja2: pip install 'prowess[server]'") from None
    made = Environment(
        loader=FileSystemLoader(ROOM / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words = ("number", "signed", "count", "percent", "day", "moment", "score_word", "plain")
    made.filters |= {name: getattr(wording, name) for name in words}
    made.filters["drawn"] = _drawn
    made.globals |= {"version": __version__, "file_policy": file_policy()}
    return made


def rendered(template: str, **values: Any) -> str:
    """A page."""
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


def style() -> str:
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
    return found | {STYLE: style().encode()}


def _drawn(figure: Any) -> Any:
    """A figure of `prowess.study` for a screen and for a phone."""
    from markupsafe import Markup

    return Markup(figure.picture(WIDE, "figure wide") + figure.picture(NARROW, "figure narrow"))
