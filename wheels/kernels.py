"""Make kernels: the loops that wheels bring as machine code, for every target: `make kernels`.

    python -m wheels.kernels [TARGET ...]

The catalogue runs over small tables of every kind on this machine, so no list of loops is kept.
Each loop that is called is compiled once more for each target and linked by LLD (of the package
`ziglang`) to a shared library with a JSON of what is in it, in `build/kernels/`.

    x86-64-v2, x86-64-v3   Linux with glibc
    aarch64                the same on ARM
    wasm32                 the browser, as Emscripten loads libraries; it brings its own mathematics
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.compile import kernel
from prowess.compile.cache import MachineCode
from prowess.compile.link import NativeFunction, kinds_of, link_object, make_object
from prowess.compile.prebuilt import mark_of

if TYPE_CHECKING:
    from wheels.roads import Act

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "kernels"


class Target(NamedTuple):
    """What code is made for."""

    triple: str
    processor: str
    features: str
    linker: tuple[str, ...]


ELF = (
    "ld.lld", "--shared", "--strip-all", "--icf=all", "--allow-shlib-undefined",
    "-z", "noexecstack",
)  # fmt: skip
WASM = (
    "wasm-ld", "--shared", "--experimental-pic", "--no-entry", "--allow-undefined", "--strip-all",
)  # fmt: skip
TARGETS = {
    "x86-64-v2": Target("x86_64-unknown-linux-gnu", "x86-64-v2", "", ELF),
    "x86-64-v3": Target("x86_64-unknown-linux-gnu", "x86-64-v3", "", ELF),
    "aarch64": Target("aarch64-unknown-linux-gnu", "generic", "", ELF),
    "wasm32": Target(
        "wasm32-unknown-emscripten", "generic", "+simd128,+bulk-memory,+mutable-globals", WASM
    ),
}


class Text(NamedTuple):
    """The LLVM text of a loop, for arguments of some kinds."""

    name: str
    text: str
    returns: str
    writes: list[int]
    compiled: kernel.CompiledFunction
    given: tuple[Any, ...]  # the arguments of its first call
    native: NativeFunction  # of this machine, not optimised


def rename(text: str, name: str, symbol: str) -> str:
    """The LLVM text of a function, under another name."""
    renamed, count = re.subn(rf"@{re.escape(name)}\(", f"@{symbol}(", text, count=1)
    assert count == 1, name
    return renamed


def note_texts(
    systems: Sequence[str] = (), acts: Sequence[Act] = (), *, half: bool = False
) -> dict[str, Text]:
    """The texts of all loops of the catalogue, by their marks; of some systems, of some acts, or of
    `half` of the tables, see `list_tables`.

    The loops run here as well, since one calls for the next, but once or twice: not optimised.
    """
    from wheels.roads import walk_roads

    texts: dict[str, Text] = {}
    compiled = kernel.CompiledFunction
    call, machine = compiled.__call__, make_plain_machine()

    def note(self: Any, *arguments: Any) -> Any:
        name = self.function.__name__
        mark = mark_of(name, self.digest, kinds_of(arguments))
        if mark not in texts:
            made, given = self.emit(arguments), deepcopy(arguments)
            object_code = make_object(made.text, machine, unrolled=0, speed=0)
            code = MachineCode(name, made.returns, made.writes, object_code)
            native = link_object(code, arguments)
            texts[mark] = Text(name, made.text, made.returns, made.writes, self, given, native)
        return texts[mark].native(*arguments)

    compiled.__call__ = note  # type: ignore[method-assign]
    try:
        walk_roads(systems, acts, half=half)
    finally:
        compiled.__call__ = call  # type: ignore[method-assign]
    return texts


def make_plain_machine() -> Any:
    """The processor of this machine, for code that is made quickly and runs a few times."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(), opt=0, reloc="static", codemodel="jitdefault", jit=True
    )


def make_kernels(target: str, texts: dict[str, Text], folder: Path, *, speed: int = 3) -> Path:
    """Compile and link texts for a target; returns the library, its JSON beside it.

    `speed` is that of `make_object`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / f"{target}.so"
    symbols = {mark: f"k{number}" for number, mark in enumerate(sorted(texts))}
    with tempfile.TemporaryDirectory() as name:
        objects = make_objects(target, texts, symbols, Path(name), speed=speed)
        exports = [f"--export={symbol}" for symbol in symbols.values()]
        link(target, objects, library, exports if target == "wasm32" else ())
    index = {mark: [symbols[mark], text.returns, text.writes] for mark, text in texts.items()}
    library.with_suffix(".json").write_text(
        json.dumps(index, separators=(",", ":")), encoding="utf-8"
    )
    return library


def make_objects(
    target: str, texts: dict[str, Text], symbols: dict[str, str], folder: Path, *, speed: int = 3
) -> list[Path]:
    """Compile texts for a target, each under its symbol; returns the object files."""
    machine = machine_of(target)
    named = {
        symbols[mark]: rename(text.text, text.name, symbols[mark]) for mark, text in texts.items()
    }
    if target == "wasm32":
        named["mathematics"] = mathematics()
    objects = []
    for symbol, text in named.items():
        objects.append(folder / f"{symbol}.o")
        objects[-1].write_bytes(make_object(text, machine, unrolled=0, speed=speed))  # smaller
    return objects


def machine_of(target: str) -> Any:
    """The processor of a target, as LLVM makes code for it."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    chosen = TARGETS[target]
    return llvm.Target.from_triple(chosen.triple).create_target_machine(
        cpu=chosen.processor, features=chosen.features, opt=3, reloc="pic", codemodel="small"
    )


def link(target: str, objects: Iterable[Path], library: Path, options: Iterable[str]) -> None:
    """Link objects to a shared library."""
    command = [*TARGETS[target].linker, *options, *map(str, objects), "-o", str(library)]
    subprocess.run([sys.executable, "-m", "ziglang", *command], check=True)


def mathematics() -> str:
    """The LLVM text of what kernels ask of C's library: in the browser they bring it."""
    from prowess.engine import mathematics as own

    forms = own.substitutes(compiled=True)
    parts = []
    for name, function in own.FUNCTIONS.items():
        text = kernel.CompiledFunction(function, forms).emit((1.0,)).text
        parts.append(rename(text, function.__name__, name).replace("define ", "define hidden ", 1))
    lines = "\n".join(parts).split("\n")
    declared = sorted({line for line in lines if line.startswith("declare")})
    return "\n".join([*(line for line in lines if not line.startswith("declare")), *declared])


def main(targets: list[str]) -> None:
    """Make the kernels of some targets, or of all."""
    texts = note_texts()
    shutil.rmtree(FOLDER, ignore_errors=True)
    for target in targets or TARGETS:
        library = make_kernels(target, texts, FOLDER)
        size = library.stat().st_size / 1e6
        sys.stdout.write(f"{library.relative_to(ROOT)}: {len(texts)} loops, {size:.2f} MB\n")


if __name__ == "__main__":
    main(sys.argv[1:])
