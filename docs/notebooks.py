"""Write the tutorials as notebooks: the texts stand once, in `docs/tutorials`.

    python docs/notebooks.py FOLDER

A command of the command line becomes a cell that runs it in the kernel, a file that the page shows
a cell that writes it, Python a cell. The answers of the page are the outputs of the cells.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).parent / "tutorials"
PARTS = re.compile(
    r"<!-- file: (?P<file>\S+) -->\n```\w+\n(?P<content>.*?)```\n"
    r"|```(?P<kind>console|python)\n(?P<code>.*?)```\n"
    r"|(?P<doctest>(?:^    (?:>>>|\.\.\.|\S).*\n)+)",
    re.DOTALL | re.MULTILINE,
)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)")  # pages that are not beside a notebook


def convert_tutorial(text: str) -> dict[str, Any]:
    """The notebook of a tutorial, as JSON of format 4.5."""
    cells = list(list_cells(text))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def list_cells(text: str) -> Iterator[dict[str, Any]]:
    """The cells of a tutorial in order."""
    end = 0
    for part in PARTS.finditer(text):
        yield from write_prose(text[end : part.start()])
        end = part.end()
        if part["file"]:
            yield write_code(f"%%writefile {part['file']}\n{part['content']}")
        elif part["kind"] == "console":
            for command in re.split(r"^\$ prowess ", part["code"], flags=re.MULTILINE)[1:]:
                words, _, answer = command.partition("\n")
                yield write_code(f"%run -m prowess {words}", answer.strip("\n"))
        elif part["doctest"]:
            yield from split_doctest(part["doctest"])
        else:
            yield write_code(part["code"])
    yield from write_prose(text[end:])


def split_doctest(text: str) -> Iterator[dict[str, Any]]:
    """A cell for each run of lines that ends in an answer, which the kernel gives itself."""
    lines: list[str] = []
    for line in re.sub("^    ", "", text, flags=re.MULTILINE).splitlines():
        if line.startswith((">>>", "...")):
            lines.append(line[4:])
        elif lines:
            yield write_code("\n".join(lines))
            lines = []
    if lines:
        yield write_code("\n".join(lines))


def write_prose(text: str) -> Iterator[dict[str, Any]]:
    """A cell of Markdown, where there is any text."""
    if text.strip():
        source = LINK.sub(r"\1", text.strip())
        yield {"cell_type": "markdown", "metadata": {}, "source": source}


def write_code(source: str, answer: str = "") -> dict[str, Any]:
    """A cell of code, with what it prints."""
    printed = {"output_type": "stream", "name": "stdout", "text": f"{answer}\n"}
    return {
        "cell_type": "code", "metadata": {}, "execution_count": None,
        "outputs": [printed] if answer else [], "source": source.strip("\n"),
    }  # fmt: skip


def write_notebooks(folder: Path) -> list[Path]:
    """Write all tutorials as notebooks into a folder; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for page in sorted(TUTORIALS.glob("*.md")):
        if page.stem != "index":
            notebook = convert_tutorial(page.read_text(encoding="utf-8"))
            file = folder / f"{page.stem}.ipynb"
            file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False), encoding="utf-8")
            written.append(file)
    return written


if __name__ == "__main__":
    write_notebooks(Path(sys.argv[1]))
