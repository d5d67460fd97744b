"""The Rust core's part of the build; everything else is in pyproject.toml.

NODEALER_NATIVE=require   the build fails when the core cannot be built
NODEALER_NATIVE=skip      builds without it
otherwise                 the core is built if it can be; without it the package works on the slow reference
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
    raise SystemExit(f"NODEALER_NATIVE is require or skip, not {NATIVE!r}")

if NATIVE == "optional" and not shutil.which(os.environ.get("CARGO", "cargo")):
    print("nodealer: no cargo, so the native core is not built")
    NATIVE = "skip"  # and not a platform wheel that has nothing of the platform in it

CORE = RustExtension(
    "nodealer.group._core",
    path="rust/glue/Cargo.toml",
    binding=Binding.PyO3,
    args=["--locked"],
    debug=False,  # an editable install would otherwise build a core that is hundreds of times slower
    optional=NATIVE != "require",
    py_limited_api=True,
)


class CleanBuild(build_py):
    """Removes the core of an earlier build first, so that a build that fails leaves none rather than an old one."""

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
