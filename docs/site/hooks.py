"""What the site has that the pages alone do not: the script that draws the diagrams, from the npm package as pinned,
and diagrams in the size that their letters need, in a frame that scrolls."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SCRIPT = HERE / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"

# Drawn as wide as the column, a diagram on a small screen has letters that nobody can read.
AS_LARGE_AS_IT_IS = "%%{init: {'state': {'useMaxWidth': false}}}%%\n"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Diagrams keep their size."""
    return re.sub("(?<=```mermaid\n)", AS_LARGE_AS_IT_IS, markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Put it beside the pages."""
    assets = Path(config["site_dir"]) / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(SCRIPT, assets / "mermaid.min.js")
    shutil.copyfile(HERE / "site.css", assets / "site.css")
