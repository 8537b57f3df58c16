"""Build the page into which one drops a file: `make try`.

    python docs/try/build.py [FOLDER]

It makes a static folder, `build/try`: the page, its worker, and Prowess with a Python for browsers.
What comes from npm is named in `versions.toml`, by version and digest. The kernels are those of
the systems that the page offers. Both are kept in `.cache/try`, kernels under a digest of what they
are made of. Modules are compiled by that Python, so that a browser compiles none. Node and npm are
needed to build the page, and nothing to serve it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version as version_of
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zipfile import ZipFile, ZipInfo

if TYPE_CHECKING:
    from prowess.games.games import Games

ROOT = Path(__file__).parent.parent.parent
HERE = Path(__file__).parent
SOURCE = ROOT / "src" / "prowess"
TABLE = HERE / "versions.toml"
CACHE = ROOT / ".cache" / "try"
EXAMPLE = "league_football.csv.gz"
SYSTEMS = ("prowess", "elo", "glicko", "glicko2", "weng_lin", "trueskill")  # the default first
SITE = "lib/python3.13/site-packages"
PACKAGES = ("jinja2", "markupsafe", "charset_normalizer", "threadpoolctl.py")
LEFT_OUT = (  # of Prowess: the server, the command line, what needs SciPy or other machines
    "live", "cli", "sklearn.py", "__main__.py", "study/simulation", "present/static/vendor",
    "theory/markov", "present/theory_", "engine/cluster/dask", "present/arena", "study/arena",
    "present/fonts", "present/templates/admin", "present/templates/live",
)  # fmt: skip
LOOPS = (  # rooms of Prowess whose sources a browser needs: kernels are found by their text
    "compile", "engine", "systems", "games/by_league.py", "games/cells", "games/game_members.py",
    "games/names.py", "games/tally.py", "games/totals.py",
)  # fmt: skip
NOT_OF_NUMPY = re.compile(
    r"/(tests|testing|f2py|distutils|_pyinstaller|doc|include|fft)/"
    r"|/lapack_lite\.|\.(pyi|h|pxd|c|a|ini)$|dist-info"
    r"|/(conftest|ctypeslib|mrecords|timer_comparison|recfunctions|_?user_array\w*)\.py$"
)
NOT_OF_LIBRARY = re.compile(  # modules that no page asks for
    r"^(_android_support|_ios_support|_pydatetime|_pyio|_pyrepl|antigravity|argparse|bdb|cProfile|"
    r"cmd|compileall|configparser|curses|dbm|doctest|ensurepip|filecmp|fileinput|ftplib|gettext|"
    r"idlelib|imaplib|mailbox|modulefinder|multiprocessing|netrc|optparse|pdb|pickletools|plistlib|"
    r"poplib|profile|pstats|pyclbr|pydoc|pydoc_data|runpy|smtplib|socketserver|sqlite3|symtable|"
    r"tabnanny|timeit|tkinter|trace|turtle|turtledemo|unittest|venv|wave|wsgiref|xmlrpc|zipapp|"
    r"asyncio/(proactor|windows)_(events|utils)|concurrent/futures/process|http/(cookie|server).*|"
    r"logging/(config|handlers)|pyodide/console|xml/dom)(/|\.py$)"
)
COMPILE = """
import { loadPyodide } from %(loader)s;
const env = { PYTHONNODEBUGRANGES: "1" }; // a traceback needs no columns, and they are large
const python = await loadPyodide({ indexURL: %(index)s, env });
python.FS.mkdirTree("/mnt");
python.FS.mount(python.FS.filesystems.NODEFS, { root: %(root)s }, "/mnt");
python.runPython(`
import os, py_compile
for folder, _, names in os.walk("/mnt/lib"):
    for name in filter(lambda name: name.endswith(".py"), names):
        path = f"{folder}/{name}"
        loops = path.startswith(tuple(%(loops)s))
        made = f"{folder}/__pycache__/{name[:-3]}.cpython-313.pyc" if loops else f"{path}c"
        py_compile.compile(
            path, made, path.removeprefix("/mnt"), doraise=True,
            # without docstrings, but where they are read
            optimize=0 if "/systems/" in path or path.endswith("/_core/multiarray.py") else 2,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
        if not loops:
            os.remove(path)
`);
"""


class NotBuilt(Exception):
    """The page cannot be built; the text says what helps."""


class NotAtHand(NotBuilt):
    """The machine lacks a program or a package of which the page is built."""


def build_page(folder: Path, systems: Sequence[str] = SYSTEMS) -> dict[str, int]:
    """Build the page in a folder, with kernels of some systems.

    Returns the size of each file as it is served, in bytes; raises NotBuilt.
    """
    sys.path[:0] = [str(ROOT)]
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise NotAtHand(f"install {program}: the page is built with it")
    packages = {name: fetch_package(**row) for name, row in load_table().items()}
    kernels = fetch_kernels(systems)
    with TemporaryDirectory() as name:
        made = Path(name)
        lay_out_library(made, packages, kernels)
        compile_modules(made, packages["python"])
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        pack_library(made / "lib" / "standard", folder / "standard.zip.gz")
        pack_modules(made / "lib" / "python3.13", folder / "library.tar.gz")
    write_page(folder, packages["python"])
    sizes = {str(one.relative_to(folder)): one.stat().st_size for one in list_files(folder)}
    first = sum(size for name, size in sizes.items() if name != EXAMPLE)
    fill_in(folder / "index.html", {"SIZE": f"{first / 1e6:.1f} MB"})
    fill_in(folder / "service.js", {"FILES": json.dumps(sorted(sizes)), "MARK": mark_of(folder)})
    return sizes


def load_table() -> dict[str, dict[str, str]]:
    """The packages of npm by what they are for."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def fetch_package(*, package: str, version: str, sha256: str, files: list[str]) -> Path:
    """The folder of a package of npm, fetched once; raises NotBuilt where it is another file."""
    folder = CACHE / f"{package.replace('/', '-').strip('@')}-{version}"
    if all((folder / name).exists() for name in files):
        return folder
    with keep_whole(folder) as made:
        command = ["npm", "pack", "--silent", f"{package}@{version}"]
        done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
        archives = list(made.glob("*.tgz"))
        if done.returncode or not archives:
            raise NotAtHand(f"build where npm reaches its registry: no {package} ({done.stderr})")
        found = hashlib.sha256(archives[0].read_bytes()).hexdigest()
        if found != sha256:
            raise NotBuilt(f"check {TABLE.name}: {package} {version} has the digest {found}")
        with tarfile.open(archives[0]) as archive:
            for name in files:
                member = archive.extractfile(f"package/{name}")
                assert member is not None
                write(made / name, member.read())
        archives[0].unlink()
    return folder


def fetch_kernels(systems: Sequence[str]) -> Path:
    """The folder with the kernels of some systems, made where there are none of this source."""
    from wheels.kernels import make_kernels, note_texts

    folder = CACHE / f"kernels-{mark_sources(systems)}"
    if not folder.exists():
        sys.stderr.write("compiling loops for browsers, once for this source: about a minute\n")
        with keep_whole(folder) as made:
            make_kernels("wasm32", note_texts(systems, [walk_page]), made)
    return folder


def walk_page(table: Games, system: str) -> None:
    """Do with a table what a visitor of the page can do."""
    from prowess import rate, report

    ratings = rate(table, system)
    ratings.leaderboard()
    ratings.history(ratings.players[0])
    report(ratings).to_html()


def mark_sources(systems: Sequence[str]) -> str:
    """A digest of what kernels are made of: sources of the page, systems, the compiler."""
    digest = hashlib.sha256(f"{systems} {version_of('llvmlite')} {version_of('ziglang')}".encode())
    for path in (*list_modules(), *list_files(ROOT / "wheels")):
        if path.suffix == ".py":
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def keep_whole(folder: Path) -> Iterator[Path]:
    """A folder to write in, which becomes `folder` when all is written."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as name:
        made = Path(name) / folder.name
        made.mkdir()
        yield made
        if folder.exists():
            return  # another process was first
        made.rename(folder)


def lay_out_library(folder: Path, packages: dict[str, Path], made: Path) -> None:
    """Lay out all modules as the browser finds them."""
    site = folder / SITE
    kernels = site / "prowess" / "compile" / "kernels"
    for path in list_modules():
        copy(path, site / "prowess" / path.relative_to(SOURCE))
    for suffix in (".so", ".json"):
        copy(made / f"wasm32{suffix}", kernels / f"wasm32{suffix}")
    for name in PACKAGES:
        spec = find_spec(name.removesuffix(".py"))
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        if name.endswith(".py"):
            copy(origin, site / name)
            continue
        for path in origin.parent.rglob("*.py"):
            copy(path, site / name / path.relative_to(origin.parent))
    (wheel,) = packages["numpy"].rglob("numpy-*.whl")
    unpack(wheel, site, NOT_OF_NUMPY)
    unpack(packages["python"] / "python_stdlib.zip", folder / "lib" / "standard", NOT_OF_LIBRARY)
    compile_templates(site / "prowess" / "present" / "templates")


def list_modules() -> Iterator[Path]:
    """The files of Prowess that the page has."""
    for path in list_files(SOURCE):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(LEFT_OUT) and "__pycache__" not in name:
            yield path


def compile_templates(folder: Path) -> None:
    """Write a module for each template of reports, and take away the texts."""
    from jinja2 import FileSystemLoader

    from prowess.present.rendering import environment

    texts = environment().overlay(loader=FileSystemLoader(folder))
    texts.compile_templates(folder, ["html"], zip=None)
    for path in folder.rglob("*.html"):
        path.unlink()


def compile_modules(folder: Path, python: Path) -> None:
    """Compile all modules by the Python of the page; sources stay where kernels read them."""
    loader = (python / "pyodide.mjs").as_uri()
    mounted = f"/mnt/{SITE}/prowess/"
    loops = [f"{mounted}{room}" for room in LOOPS]
    given = {"loader": loader, "index": f"{python}/", "root": str(folder), "loops": loops}
    write_lock(python)
    script = COMPILE % {name: json.dumps(value) for name, value in given.items()}
    command = ["node", "--input-type=module", "--eval", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotBuilt(f"look at what Node says: {done.stderr[-2000:]}")


def write_lock(folder: Path) -> None:
    """Write the list of packages that the interpreter can fetch: there are none."""
    info = {"arch": "wasm32", "platform": "emscripten_4_0_9", "version": "0.28.0",
            "python": "3.13.2", "abi_version": "2025_0"}  # fmt: skip
    (folder / "pyodide-lock.json").write_text(json.dumps({"info": info, "packages": {}}))


def write_page(folder: Path, python: Path) -> None:
    """Write the page and what it loads: scripts, style, fonts, the interpreter, the example."""
    from prowess.present.document import allow_text, join_scripts
    from prowess.present.rendering import static_files
    from prowess.present.report import SCRIPTS
    from prowess.version import __version__

    for name in ("index.html", "try.js", "try.css", "worker.js", "service.js"):
        copy(HERE / name, folder / name)
    for name, content in static_files().items():
        if name in ("pages.css", "icon.svg", "vendor/inter.woff2", "vendor/inter.LICENSE"):
            write(folder / name, content)
    copy(python / "pyodide.js", folder / "pyodide.js")
    write_lock(folder)
    for name in ("pyodide.asm.js", "pyodide.asm.wasm"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((python / name).read_bytes(), mtime=0))
    copy(ROOT / "examples" / EXAMPLE, folder / EXAMPLE)
    fill_in(folder / "try.js", {"EXAMPLE": EXAMPLE})
    fill_in(
        folder / "index.html",
        {
            "VERSION": __version__,
            "REPORT": allow_text(join_scripts(SCRIPTS)),
            "SYSTEMS": "".join(f"<option>{name}</option>" for name in SYSTEMS[1:]),
        },
    )


def pack_library(folder: Path, archive: Path) -> None:
    """Pack modules that are imported from an archive, which is packed as a whole."""
    made = io.BytesIO()
    with ZipFile(made, "w") as stored:
        for path in list_files(folder):
            stored.writestr(ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes())
    archive.write_bytes(gzip.compress(made.getvalue(), mtime=0))


def pack_modules(folder: Path, archive: Path) -> None:
    """Pack modules that are unpacked before they are imported; equal folders as well."""
    with (
        gzip.GzipFile(archive, "wb", compresslevel=9, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as made,
    ):
        for path in list_files(folder):
            entry = tarfile.TarInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}")
            if len(entry.name) > tarfile.LENGTH_NAME:
                raise ValueError(f"shorten it: worker.js reads the plain form alone: {entry.name}")
            entry.size = path.stat().st_size
            made.addfile(entry, io.BytesIO(path.read_bytes()))


def unpack(archive: Path, folder: Path, left_out: re.Pattern[str]) -> None:
    """Unpack an archive without some files."""
    with ZipFile(archive) as packed:
        packed.extractall(folder, [one for one in packed.namelist() if not left_out.search(one)])


def copy(path: Path, target: Path) -> None:
    """Copy a file, with the folders above it."""
    write(target, path.read_bytes())


def write(target: Path, content: bytes) -> None:
    """Write a file, with the folders above it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def list_files(folder: Path) -> Iterator[Path]:
    """The files of a folder, in order."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def fill_in(file: Path, words: dict[str, str]) -> None:
    """Put texts in the places `{{NAME}}` of a file."""
    text = file.read_text(encoding="utf-8")
    for name, word in words.items():
        text = text.replace(f"{{{{{name}}}}}", word)
    file.write_text(text, encoding="utf-8")


def mark_of(folder: Path) -> str:
    """A digest of all files, under which a browser keeps them."""
    digest = hashlib.sha256()
    for path in list_files(folder):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def main(arguments: list[str]) -> int:
    """Build the page and say how large it is."""
    folder = Path(arguments[0]) if arguments else ROOT / "build" / "try"
    try:
        sizes = build_page(folder)
    except NotBuilt as error:
        sys.stderr.write(f"{error}\n")
        return 1
    total = sum(size for name, size in sizes.items() if name != EXAMPLE)
    sys.stdout.write(f"{folder}: {len(sizes)} files, {total / 1e6:.1f} MB at the first visit\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
