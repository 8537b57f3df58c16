"""Write the codes of all errors into `docs/reference/errors.md`, from the source: `make readme`."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

from prowess.games.errors import IN_SENTENCES

PAGE = Path(__file__).parent / "reference" / "errors.md"
SRC = Path(__file__).parent.parent / "src" / "prowess"
SENTENCES = SRC / "games" / "refusals.toml"  # of BadData
BEGIN, END = "<!-- codes: written by `make readme` -->\n", "<!-- end of codes -->\n"
BUILDERS = {  # what builds an error, beside its class, and the class that users see
    "refuse": "BadArgument", "ask": "BadData", "bad": "BadData", "fault": "BadData",
    "InvalidValue": "BadData", "Question": "BadData", "reword": "BadData", "_refuse": "Unratable",
}  # fmt: skip
BY_POSITION = {"Refused", "NotFound", "NotAllowed", "Conflict", "Stale", "Busy"}  # code first
ONLY_INSIDE = {"Damage", "NoGame", "TooFew"}  # reasons, which users see as notes or in others


def find_codes() -> dict[str, set[str]]:
    """The codes that stand in the source and in `refusals.toml`, by the class of the error."""
    found: dict[str, set[str]] = defaultdict(set)
    found["BadData"].update(load_refusals())
    for path in sorted(SRC.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [one.value for one in node.keywords if one.arg == "code"]
            if name in BY_POSITION:
                given = node.args[:1]
            elif name == "_refuse":
                given = node.args[1:]
            if name not in ONLY_INSIDE and (name[:1].isupper() or name in BUILDERS):
                for value in given:
                    found[BUILDERS.get(name, name)].update(texts_of(value, tree))
    return {name: some for name, some in found.items() if some}


def load_refusals() -> dict[str, Any]:
    """The tables of `refusals.toml`, by code."""
    return tomllib.loads(SENTENCES.read_text(encoding="utf-8"))


def texts_of(value: ast.expr, tree: ast.Module) -> Iterator[str]:
    """The texts that an expression may be; a name is what it is assigned in the module."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.IfExp):
        yield from texts_of(value.body, tree)
        yield from texts_of(value.orelse, tree)
    elif isinstance(value, ast.Name):
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and value.id in map(ast.unparse, node.targets):
                yield from texts_of(node.value, tree)


def list_codes() -> str:
    """Every class with its codes."""
    parts = []
    for name, some in sorted(find_codes().items()):
        parts += [f"## {name}", "", ", ".join(f"`{code}`" for code in sorted(some)), ""]
        if name == "BadData":
            parts += ["| code | message; what is in capitals is of the table |", "|---|---|"]
            parts += list_sentences()
            parts.append("")
    return "\n".join(parts)


def list_sentences() -> Iterator[str]:
    """A row for each message of `refusals.toml`: the code, the remedy and what is wrong."""
    for code, entry in sorted(load_refusals().items()):
        for one in (entry, *entry.values()):
            if isinstance(one, dict) and "what" in one:
                said = ": ".join(one[part] for part in ("remedy", "what") if part in one)
                yield f"| {code} | {show_facts(said)} |"


def show_facts(text: str) -> str:
    """A sentence with its facts as words in capitals, and what many share as it is."""
    shown = ""
    for literal, field, form, _ in Formatter().parse(text):
        name = IN_SENTENCES.get(field, field.upper().replace("_", " ")) if field else ""
        shown += literal + (f'"{name}"' if form == "q" else name)
    return shown.replace("|", "\\|")


def written(page: str) -> str:
    """The page with the codes as they are now."""
    head, _, rest = page.partition(BEGIN)
    return head + BEGIN + "\n" + list_codes() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
