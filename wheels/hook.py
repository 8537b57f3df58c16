"""Which wheel is built: `PROWESS_WHEEL` names it, and it brings its kernels (`make dist`).

Without it the wheel is plain Python, which compiles its loops where llvmlite is installed. Kernels
are made by `make kernels`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WHEELS = {  # tag, and the targets whose kernels it brings
    "x86_64": ("py3-none-manylinux_2_17_x86_64", ("x86-64-v2", "x86-64-v3")),
    "aarch64": ("py3-none-manylinux_2_17_aarch64", ("aarch64",)),
    "any": ("py3-none-any", ("wasm32",)),
}


class KernelHook(BuildHookInterface[Any]):
    """Put the kernels of a wheel into it."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Choose the tag and the files of the wheel that is asked for."""
        name = os.environ.get("PROWESS_WHEEL", "")
        if not name or version == "editable":
            return
        build_data["tag"], targets = WHEELS[name]
        build_data["pure_python"] = name == "any"
        for target in targets:
            for suffix in (".so", ".json"):
                file = Path(self.root) / "build" / "kernels" / f"{target}{suffix}"
                if not file.exists():
                    raise FileNotFoundError(f"run `make kernels` first: there is no {file}")
                build_data["force_include"][str(file)] = f"prowess/compile/kernels/{file.name}"
