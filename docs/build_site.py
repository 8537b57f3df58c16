"""Build the documentation site: `make docs-site`.

The pages of `docs/` are laid out beside pages that are written here (a page for each public name of
Python, each verb of the command line and each system, the pictures of the gallery), and Sphinx
makes `build/site` of them, without a network. A page opened from a disk works as one from a server,
with its search.
"""

from __future__ import annotations

import inspect
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
TRIED = ROOT / "build" / "try"  # the page of `make try`, a part of the site where it is built
PROJECT = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "examples/README.md")
FONT = ROOT / "src" / "prowess" / "present" / "static" / "vendor" / "inter.woff2"
ROOMS = ("prowess.plot", "prowess.sklearn", "prowess.live.client")  # named before their names
LEAGUE = "examples/league_football.csv.gz"
SEASON = {"league": "Premier League", "season": "2023-24"}
REACHABLE = {  # what the theme leaves out for readers without eyes or without a mouse
    '<aside class="sidebar-drawer"': '<aside aria-label="All pages" class="sidebar-drawer"',
    '<aside class="toc-drawer': '<aside aria-label="This page" class="toc-drawer',
    "<pre": '<pre tabindex="0"',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<th class="head"><p></p></th>': "<td></td>",
    "</strong> -- ": "</strong> ",  # of a parameter
    '<div id="search-results">': '<h1>Search</h1><div id="search-results">',
}
SIGNATURE = re.compile(r'<dt class="sig.*?</dt>', re.DOTALL)
SPANS = {"dl": "lines", "dd": "line"}  # a parameter a line: no list of definitions in a term
HEADINGS = ("Formula", "Source", "Units", "Differs")
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
NAMES = re.compile(r"```\{api\}\n(.*?)```", re.DOTALL)  # public names in a section of api.md
OPTION = re.compile(r"(?<![\w`-])--[a-z][a-z-]*")
DARK = re.compile(r"@media \(prefers-color-scheme:dark\)\{([^{}]*\{[^{}]*\})\}")
DRAWN = re.compile(r'<img alt="([^"]*)" src="([^"]*_images/)([^"/]+)\.svg" ?/>')
PICTURE = re.compile(r"^(?:\$ )?prowess .* (?:-o|--plot) \S+\.svg$", re.MULTILINE)


def build_site(site: Path) -> int:
    """Build the site in a folder; returns the exit code of Sphinx, 0 where nothing is wrong."""
    from sphinx.cmd.build import main as build

    shutil.rmtree(site, ignore_errors=True)
    with TemporaryDirectory() as folder:  # of its own: sites may be built side by side
        pages, doctrees = Path(folder) / "pages", Path(folder) / "doctrees"
        lay_out(pages)
        add_notebooks(pages / "tutorials")
        write_library(pages / "reference")
        write_verbs(pages / "reference" / "verbs")
        write_systems(pages / "reference" / "systems")
        draw_pictures(pages)
        failed = build(
            ["-q", "-E", "-W", "--keep-going", "-d", str(doctrees), str(pages), str(site)]
        )
    drawn = split_figures(site / "_images")
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for plain, reachable in REACHABLE.items():
            text = text.replace(plain, reachable)
        text = SIGNATURE.sub(spread_signature, show_by_theme(text, drawn))
        page.write_text(text, encoding="utf-8")
    shutil.copy(FONT, site / "_static")
    if TRIED.is_dir():
        shutil.copytree(TRIED, site / "try")
    return failed


def lay_out(pages: Path) -> None:
    """Copy the pages into one folder, where links between them stay right."""
    shutil.copytree(DOCS, pages, ignore=shutil.ignore_patterns("*.py[co]", "__pycache__", "try"))
    for name in PROJECT:
        target = pages / name
        target.parent.mkdir(exist_ok=True)
        text = (ROOT / name).read_text(encoding="utf-8")
        target.write_text(text.replace("](docs/", "]("), encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        copy = pages / page.relative_to(DOCS)
        above = "../" * len(page.relative_to(DOCS).parts)  # leads out of docs/, which is gone
        text = page.read_text(encoding="utf-8").replace(f"]({above}", f"]({above[3:]}")
        copy.write_text(text, encoding="utf-8")


def split_figures(folder: Path) -> set[str]:
    """Write each figure of a folder as one for light pages and one for dark; returns their names.

    A figure goes by the reader's device, but the site has a switch of its own.
    """
    found = set()
    for file in folder.glob("*.svg"):
        text = file.read_text(encoding="utf-8")
        if DARK.search(text):
            file.write_text(DARK.sub("", text), encoding="utf-8")
            dark = DARK.sub(lambda rule: rule[1], text)
            file.with_name(f"{file.stem}-dark.svg").write_text(dark, encoding="utf-8")
            found.add(file.stem)
    return found


def spread_signature(signature: re.Match[str]) -> str:
    """A signature in lines, as spans."""
    text = signature[0]
    for tag, kind in SPANS.items():
        text = text.replace(f"<{tag}>", f'<span class="{kind}">').replace(f"</{tag}>", "</span>")
    return text


def show_by_theme(page: str, drawn: set[str]) -> str:
    """A page with every figure twice, of which the theme shows one."""

    def both(found: re.Match[str]) -> str:
        alt, folder, name = found.groups()
        if name not in drawn:
            return found[0]
        names = {"only-light": name, "only-dark": f"{name}-dark"}
        return "".join(
            f'<img class="{kind}" alt="{alt}" src="{folder}{file}.svg"/>'
            for kind, file in names.items()
        )

    return DRAWN.sub(both, page)


def add_notebooks(tutorials: Path) -> None:
    """Write each tutorial as a notebook beside its page, which links to it."""
    sys.path.insert(0, str(DOCS))
    from notebooks import write_notebooks

    for file in write_notebooks(tutorials):
        page = file.with_suffix(".md")
        title, _, rest = page.read_text(encoding="utf-8").partition("\n")
        link = f"[Download this tutorial as a notebook]({file.name}), to run it step by step."
        page.write_text(f"{title}\n\n{link}\n{rest}", encoding="utf-8")


# ------------------------------------------------------------------------------ the library


def write_library(reference: Path) -> None:
    """Write a page for each public name that `api.md` lists, and links to them in its place."""
    page = reference / "api.md"
    folder = reference / "api"
    folder.mkdir()
    written: list[str] = []

    def list_section(block: re.Match[str]) -> str:
        rows = ["| name | what it is |", "|---|---|"]
        for name in block[1].split():
            module, _, last = name.rpartition(".")
            public = f"{module.removeprefix('prowess.')}.{last}" if module in ROOMS else last
            one = getattr(import_module(module), last)
            says = (inspect.getdoc(one) or "").partition("\n\n")[0].replace("\n", " ")
            rows.append(f"| [`{public}`](api/{public}.md) | {protect(says)} |")
            (folder / f"{public}.md").write_text(describe_name(name, one, public), encoding="utf-8")
            written.append(f"api/{public}")
        return "\n".join(rows)

    text = NAMES.sub(list_section, page.read_text(encoding="utf-8"))
    toctree = ["", "```{toctree}", ":hidden:", "", *sorted(written), "```", ""]
    page.write_text(text + "\n".join(toctree), encoding="utf-8")


def describe_name(name: str, one: Any, public: str) -> str:
    """The page of a function, a class with its methods, or a module."""
    kind = "class" if isinstance(one, type) else "function" if callable(one) else "module"
    members = "" if kind == "function" else "\n   :members:"
    directive = f".. auto{kind}:: {name}{members}"
    return f"# `{public}`\n\n```{{eval-rst}}\n{directive}\n```\n"


# ------------------------------------------------------------------------ the command line


def write_verbs(folder: Path) -> None:
    """Write a page for each verb, and the list of them."""
    from prowess.cli.commands import VERB_GROUPS, prowess

    folder.mkdir(parents=True)
    top = click.Context(prowess, info_name="prowess")
    index = ["# Verbs of the command line", ""]
    for heading, verbs in VERB_GROUPS.items():
        index += [f"## {heading}", "", "| verb | what it does |", "|---|---|"]
        index += [
            f"| [`prowess {name}`]({name}.md) | {says} |" for name, (_, says) in verbs.items()
        ]
        index += ["", "```{toctree}", ":hidden:", "", *verbs, "```", ""]
        for name in verbs:
            command = prowess.get_command(top, name)
            assert command is not None
            text = "\n".join(describe_command(command, f"prowess {name}", top, 1))
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text("\n".join(index), encoding="utf-8")


def describe_command(
    command: click.Command, name: str, above: click.Context, level: int
) -> Iterator[str]:
    """The lines of a command: use, purpose, options by section, examples, commands below it."""
    from prowess.cli.options import HELP_SECTIONS, PLAIN_OPTIONS, name_section

    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=above)
    yield f"{'#' * level} `{name}`"
    yield ""
    yield inspect.cleandoc((command.help or "").replace("\b\n", "").replace("\\b", ""))
    yield ""
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```"
    examples = (command.epilog or "").replace("\b\n", "").strip()
    if examples:
        yield f"\n```sh\n{examples}\n```\n"
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    headings = (PLAIN_OPTIONS, *HELP_SECTIONS)
    sections: dict[str, list[click.Option]] = {name: [] for name in headings}
    for option in options:
        sections.setdefault(name_section(option), []).append(option)
    for section in filter(sections.get, sections):
        yield f"\n{'#' * (level + 1)} {section}\n"
        yield "| option | meaning |\n|---|---|"
        for option in sections[section]:
            names, text = option.get_help_record(context) or ("", "")
            parts = re.split("(`[^`]+`)", protect(text))
            parts[::2] = [OPTION.sub(r"`\g<0>`", part) for part in parts[::2]]
            meaning = "".join(parts)
            yield f"| `{re.sub(r' +', ' ', names).replace('|', chr(92) + '|')}` | {meaning} |"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found_below = command.get_command(context, below)
            assert found_below is not None
            yield ""
            yield from describe_command(found_below, f"{name} {below}", context, level + 1)


def protect(text: str) -> str:
    """A text inside a cell of a table: no bar ends the cell, nothing is markup."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


# --------------------------------------------------------------------------------- systems


def write_systems(folder: Path) -> None:
    """Write a page for each module of systems, and the table of them."""
    import prowess
    from prowess.present.declarations import system_data

    folder.mkdir(parents=True)
    from systems import table

    homes: dict[str, list[Any]] = {}
    for system in prowess.systems().values():
        homes.setdefault(system.home.rpartition(".")[2], []).append(system)
    page_of = {system.name: home for home, group in homes.items() for system in group}
    linked = re.sub(
        r"`(\w+)`",
        lambda name: f"[{name[0]}]({page_of[name[1]]}.md)" if name[1] in page_of else name[0],
        table(),
    )
    index = ["# Systems", "", linked, "```{toctree}", ":hidden:", "", *homes, "```", ""]
    (folder / "index.md").write_text("\n".join(index), encoding="utf-8")
    league = prowess.read_games(ROOT / LEAGUE, where=SEASON, warn=False)
    for home, group in homes.items():
        text = "\n".join(describe_systems([system_data(one) for one in group], home))
        (folder / f"{home}.md").write_text(text, encoding="utf-8")
        figure = draw_system(group[0], league).to_svg()
        (folder / f"{home}.svg").write_text(figure, encoding="utf-8")


def describe_systems(known: list[dict[str, Any]], home: str) -> Iterator[str]:
    """The lines of a page of systems that one module declares."""
    first, _, rest = known[0]["doc"].partition("\n")
    yield "# " + ", ".join(f"`{one['name']}`" for one in known) + "\n"
    yield f"{first}\n"
    for heading, text in split_headings(rest):
        shown = f"```text\n{text}\n```" if heading == "Formula" else escape_markup(text)
        yield f"## {heading}\n\n{shown}\n"
    yield f"## Example\n\n![The Premier League of 2023-24 under {known[0]['name']}]({home}.svg)\n"
    yield "The 380 games of the Premier League of 2023-24, as on the page of every system.\n"
    for one in known:
        yield f"## Parameters of `{one['name']}`\n"
        if one["parameters"]:
            yield "| parameter | default | range | unit |\n|---|---|---|---|"
        for part in one["parameters"]:
            words = part.get("words")
            allowed = ", ".join(words) if words else f"{part['low']:g} to {part['high']:g}"
            default = part["default"]
            shown = default if isinstance(default, str | list) else f"{default:.10g}"
            yield f"| `{part['name']}` | {shown} | {allowed} | {part.get('unit', '')} |"
        yield f"\n- Rates {one['rates']}."
        if one.get("newcomer"):
            values = ", ".join(f"{name} {value:.6g}" for name, value in one["newcomer"].items())
            yield f"- A newcomer has {values}."
        if one["uses"]:
            yield f"- Reads {', '.join(one['uses'])} where the table has them."
        for law, reason in one["breaks"].items():
            yield f"- Breaks the law `{law}`: {reason}."
        yield ""


def escape_markup(text: str) -> str:
    """Plain text that Markdown leaves as it is, but for code in backticks."""
    parts = re.split(r"(`[^`]+`)", text)
    parts[::2] = [re.sub(r"([*_<>\[\]\\^~$])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def split_headings(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a system's docstring under its headings, each moved to the left."""
    parts = re.split(rf"^({'|'.join(HEADINGS)}) +", text, flags=re.MULTILINE)
    for heading, part in zip(parts[1::2], parts[2::2], strict=True):
        yield heading, re.sub(r"^ {10}", "", part, flags=re.MULTILINE).strip("\n")


def draw_system(system: Any, league: Any) -> Any:
    """The histories of a league under a dynamic system, the leaderboard of any other."""
    import prowess
    from prowess.engine.system import Dynamic

    if not isinstance(system, Dynamic):
        return prowess.plot.leaderboard(prowess.rate(league, system))
    period = "1mo" if system.rounds == "period" else None
    return prowess.plot.history(prowess.rate(league, system, period=period))


# -------------------------------------------------------------------------------- pictures


def draw_pictures(pages: Path) -> None:
    """Run every command of a page that writes a picture, beside the files that the page shows."""
    from prowess.cli.commands import prowess

    before = Path.cwd()
    for page in sorted(pages.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        commands = [found[0].removeprefix("$ ") for found in PICTURE.finditer(text)]
        if not commands or "verbs" in page.parts:
            continue
        with TemporaryDirectory() as folder:
            (Path(folder) / "examples").symlink_to(ROOT / "examples")
            for name, content in FILE.findall(text):
                (Path(folder) / name).write_text(content, encoding="utf-8")
            os.chdir(folder)
            for command in commands:
                words = shlex.split(command)[1:]
                said = TextIOWrapper(BytesIO())
                with redirect_stdout(said), redirect_stderr(said):
                    prowess.main(words, prog_name="prowess", standalone_mode=False)
                picture = Path(words[-1])
                shutil.copy(picture, page.parent / picture.name)
            os.chdir(before)


if __name__ == "__main__":
    sys.exit(build_site(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site"))
