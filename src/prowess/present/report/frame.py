"""The frame of a page: one file, no script, nothing loaded, a security policy that says so."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from prowess.present.figures.theme import RULES, variables
from prowess.present.report.markup import Content, Markup, joined, paragraph, tag


class Section(NamedTuple):
    """A part of a page; the key is what links lead to."""

    key: str
    heading: str
    content: Markup


def framed(title: str, lead: Content, sections: Sequence[Section], skip: str) -> str:
    """The whole document; `skip` names the link that leads those who tab to the first section."""
    css = style()
    digest = b64encode(sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    links = [tag("li", tag("a", one.heading, href=f"#{one.key}")) for one in sections]
    body = tag(
        "body",
        tag("a", skip, href=f"#{sections[0].key}", class_="skip"),
        tag("header", tag("h1", tag("bdi", title)), paragraph(lead)),
        tag("nav", tag("ul", *links), aria_label="Sections"),
        tag("main", *(_section(one) for one in sections)),
    )
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        _meta(http_equiv="Content-Security-Policy", content=policy),
        _meta(name="viewport", content="width=device-width, initial-scale=1"),
        _meta(name="color-scheme", content="light dark"),
        _meta(name="referrer", content="no-referrer"),
        _meta(name="generator", content="Prowess"),
        tag("title", title),
        tag("style", Markup(css)),
    )
    return f"<!doctype html>\n{joined(tag('html', head, body, lang='en'))}\n"


def style() -> str:
    """The style sheet: colours and figures as they are everywhere, then the page."""
    own = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    on_paper = variables("light")
    return f"{variables('both')}{RULES}{own}@media print{{{on_paper}}}\n"


def _section(one: Section) -> Markup:
    return tag(
        "section",
        tag("h2", one.heading, id=f"{one.key}-heading"),
        one.content,
        id=one.key,
        aria_labelledby=f"{one.key}-heading",
    )


def _meta(**attributes: str) -> Markup:
    """A void element has no end."""
    return Markup(tag("meta", **attributes).removesuffix("</meta>"))
