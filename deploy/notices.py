"""rust/NOTICES.txt: whose work is linked into the core, and under which licence. `make notices` writes it again."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

RUST: Final = Path(__file__).parents[1] / "rust"
NOTICES: Final = RUST / "NOTICES.txt"
#: Crates that are offered under several licences are taken under MIT where that is one of them.
TEXTS: Final = (
    "LICENSE-MIT",
    "LICENSE-MIT.md",
    "license-mit",
    "LICENSE",
    "LICENSE.md",
    "LICENSE.txt",
    "LICENSE-APACHE",
)


def linked(metadata: Any) -> list[Any]:
    """The packages that end up in the core: what it needs when it runs, and nothing that only builds it."""
    packages = {package["id"]: package for package in metadata["packages"]}
    needs = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    todo, seen = list(metadata["workspace_members"]), set[str]()
    while todo:
        if (one := todo.pop()) in seen or "proc-macro" in packages[one]["targets"][0]["kind"]:
            continue
        seen.add(one)
        todo += [dep["pkg"] for dep in needs[one] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
    outside = [packages[one] for one in seen if packages[one]["source"] is not None]
    return sorted(outside, key=lambda package: (package["name"], package["version"]))


def notices(packages: list[Any]) -> Iterator[str]:
    """Each with the text of its licence."""
    yield "What is linked into the native core beside our own work (MIT, see LICENSE), and whose it is.\n"
    for package in packages:
        folder = Path(package["manifest_path"]).parent
        found = next((folder / name for name in TEXTS if (folder / name).is_file()), None)
        yield f"\n--- {package['name']} {package['version']}: {package['license']} ---\n"
        yield found.read_text().strip() + "\n" if found else f"By {', '.join(package['authors'])}\n"


def main() -> None:
    """Ask cargo, which has the sources."""
    command = [
        "cargo",
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
        "x86_64-unknown-linux-gnu",
    ]
    done = subprocess.run(command, cwd=RUST, capture_output=True, text=True, check=True)
    NOTICES.write_text("\n".join(notices(linked(json.loads(done.stdout)))))


if __name__ == "__main__":
    main()
