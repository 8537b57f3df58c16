"""Write the words that readers know into `docs/reference/words.md`: `make readme`."""

from __future__ import annotations

from pathlib import Path

from prowess.games.vocabulary import ABOUT, ENTRIES

PAGE = Path(__file__).parent / "reference" / "words.md"
BEGIN, END = "<!-- words: written by `make readme` -->\n", "<!-- end of words -->\n"


def list_words() -> str:
    """Every meaning with its words by language."""
    parts = []
    for meaning, lines in ENTRIES.items():
        parts += [f"## {meaning}", "", f"{lines[ABOUT]}.", "", "| language | words |", "|---|---|"]
        for name, text in lines.items():
            if name != ABOUT:
                parts.append(f"| {name} | {quote_marks(text)} |")
        parts.append("")
    return "\n".join(parts)


def quote_marks(text: str) -> str:
    """Words as a cell of Markdown shows them."""
    for mark in "\\`*_<>|[]~#":
        text = text.replace(mark, f"\\{mark}")
    return text


def written(page: str) -> str:
    """The page with the words as they are now."""
    head, _, rest = page.partition(BEGIN)
    return head + BEGIN + "\n" + list_words() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
