"""Links the core for Pyodide in place of emcc, using the linker that comes with rustc, which can make a side module.

Cargo runs this file as a program. It imports nothing from this package, which may not be installed there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

_OBJECTS: Final = (".o", ".rlib", ".a")
_FLAGS: Final = (
    "-flavor", "wasm", "-shared", "--experimental-pic", "--import-undefined", "--import-memory", "--gc-sections",
    "--strip-debug", "-O2", "--unresolved-symbols=import-dynamic", "--export-if-defined=PyInit__core",
    "--export-if-defined=__wasm_apply_data_relocs", "--export-if-defined=__wasm_call_ctors",
)  # fmt: skip


def linker_command(lld: str, arguments: Sequence[str]) -> list[str]:
    """Return the linker command for arguments meant for emcc. Only objects and the output path are taken over."""
    out = arguments[arguments.index("-o") + 1]
    objects = [one for one in arguments if one.endswith(_OBJECTS) and one != out]
    return [lld, *_FLAGS, "-o", out, *objects]


if __name__ == "__main__":
    command = linker_command(os.environ["NODEALER_LLD"], sys.argv[1:])
    os.execv(command[0], command)
