"""Write the codes of all errors into `docs/reference/errors.md`, from the source: `make readme`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

from prowess.games.errors import IN_SENTENCES, load_sentences

PAGE = Path(__file__).parent / "reference" / "errors.md"
SRC = Path(__file__).parent.parent / "src" / "prowess"
BEGIN, END = "<!-- codes: written by `make readme` -->\n", "<!-- end of codes -->\n"
BUILDERS = {  # what builds an error, beside its class, and the class that users see
    "refuse": "BadArgument", "ask": "BadData", "bad": "BadData", "fault": "BadData",
    "InvalidValue": "BadData", "Question": "BadData", "reword": "BadData",
    "Download": "BadData", "NothingPlayed": "BadData", "_refuse": "Unratable",
}  # fmt: skip
BY_POSITION = {"Refused", "NotFound", "NotAllowed", "Conflict", "Stale", "Busy"}  # code first
ONLY_INSIDE = {"Damage", "NoGame", "TooFew"}  # reasons, which users see as notes or in others


def find_codes() -> dict[str, set[str]]:
    """The codes in the source and in the tables of refusals, by the class of the error."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, sentences in find_sentences().items():
        found[name].update(sentence.partition(".")[0] for sentence in sentences)
    for name, node, tree in find_calls():
        given = [one.value for one in node.keywords if one.arg == "code"]
        if name in BY_POSITION:
            given = node.args[:1]
        elif name == "_refuse":
            given = node.args[1:]
        if name not in ONLY_INSIDE and (name[:1].isupper() or name in BUILDERS):
            for value in given:
                found[BUILDERS.get(name, name)].update(texts_of(value, tree))
    return {name: some for name, some in found.items() if some}


def find_sentences() -> dict[str, set[str]]:
    """The sentences of the tables of refusals, by the class of the error.

    Those that no call names in full are of BadData, of which some names are built.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for name, node, tree in find_calls():
        kind, _, called = name.rpartition(".")
        if called == "of" and node.args:
            found[BUILDERS.get(kind, kind)].update(
                load_sentences().keys() & texts_of(node.args[0], tree)
            )
    found["BadData"] |= load_sentences().keys() - set().union(*found.values())
    return {name: some for name, some in found.items() if name not in ONLY_INSIDE}


@cache
def find_calls() -> list[tuple[str, ast.Call, ast.Module]]:
    """Every call in the source: what is called, as `BadData.of` or the last name, and where."""
    found = []
    for path in sorted(SRC.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=kind), attr="of")):
                    found.append((f"{kind}.of", node, tree))
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                    found.append((name, node, tree))
    return found


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
    """Every class with its codes, and the messages of its sentences in the tables of refusals."""
    parts, sentences = [], find_sentences()
    for name, some in sorted(find_codes().items()):
        parts += [f"## {name}", "", ", ".join(f"`{code}`" for code in sorted(some)), ""]
        if rows := [show_sentence(one) for one in sorted(sentences.get(name, ()))]:
            parts += [
                "| code | message; what is in capitals is of the case |",
                "|---|---|",
                *rows,
                "",
            ]
    return "\n".join(parts)


def show_sentence(name: str) -> str:
    """A row for a message: the code, the remedy and what is wrong."""
    what, remedy = load_sentences()[name]
    return f"| {name.partition('.')[0]} | {show_facts(f'{remedy}: {what}' if remedy else what)} |"


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
