"""The Rust core's part of the build; everything else is in pyproject.toml.

NODEALER_NATIVE=require   fail if the core cannot be built
NODEALER_NATIVE=skip      build without the core
otherwise                 build the core if possible; without it the package uses the slow reference implementation
NODEALER_YARDSTICK=1      also build the yardsticks of the benchmarks into the core; releases do without
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools_rust import Binding, RustExtension

NATIVE = os.environ.get("NODEALER_NATIVE") or "optional"
if NATIVE not in ("optional", "require", "skip"):
    raise SystemExit(f"NODEALER_NATIVE must be require or skip, not {NATIVE!r}")

if NATIVE == "optional" and not shutil.which(os.environ.get("CARGO", "cargo")):
    print("nodealer: cargo was not found, so the native core is not built")
    NATIVE = "skip"  # a platform wheel would have nothing of the platform in it

CORE = RustExtension(
    "nodealer.group._core",
    path="rust/glue/Cargo.toml",
    binding=Binding.PyO3,
    args=["--locked"],
    features=["yardstick"] if os.environ.get("NODEALER_YARDSTICK") else [],
    debug=False,  # otherwise an editable install builds a core that is hundreds of times slower
    optional=NATIVE != "require",
    py_limited_api=True,
)


class CleanBuild(build_py):
    """Remove the core of an earlier build first, so that a failed build leaves no core rather than an old one."""

    def run(self) -> None:
        root = Path(__file__).parent / "src" if self.editable_mode else Path(self.build_lib)
        for pattern in ("_core*.so", "_core*.pyd"):
            for stale in (root / "nodealer" / "group").glob(pattern):
                stale.unlink()
        super().run()


setup(
    rust_extensions=[] if NATIVE == "skip" else [CORE],
    cmdclass={"build_py": CleanBuild},
    options={} if NATIVE == "skip" else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
