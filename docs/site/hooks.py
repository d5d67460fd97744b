"""What the site has that the pages alone do not: the script that draws the diagrams, from the npm package as pinned."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SCRIPT = HERE / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"


def on_post_build(config: Any, **_: Any) -> None:
    """Put it beside the pages."""
    assets = Path(config["site_dir"]) / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(SCRIPT, assets / "mermaid.min.js")
