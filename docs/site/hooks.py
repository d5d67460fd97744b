"""What the site has that the pages in the repository lack.

- Pages that are built from JSON: the attack matrix and all benchmarks (tests/site_pages.py).
- The script that draws diagrams, from the pinned npm package, and diagrams at their natural size, in a scrolling frame.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SCRIPT = HERE / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"

# Drawn as wide as the column, a diagram on a small screen has unreadable letters.
AS_LARGE_AS_IT_IS = "%%{init: {'state': {'useMaxWidth': false}}}%%\n"


sys.path.insert(0, str(HERE.parents[1] / "tests"))
from site_pages import SITE_PAGES  # noqa: E402


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the generated pages."""
    from mkdocs.structure.files import File  # here: the tests import this module and have no mkdocs

    for path, page in SITE_PAGES.items():
        files.append(File.generated(config, path, content=page.render()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let diagrams keep their size, and links to data lead to the page that is built from it."""
    folder = posixpath.dirname(page.file.src_uri)
    for path, generated in SITE_PAGES.items():
        data, target = (posixpath.relpath(one, folder or ".") for one in (generated.data, path))
        markdown = markdown.replace(f"]({data})", f"]({target})")
    return re.sub("(?<=```mermaid\n)", AS_LARGE_AS_IT_IS, markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Copy the script and the style sheet into the site."""
    assets = Path(config["site_dir"]) / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(SCRIPT, assets / "mermaid.min.js")
    shutil.copyfile(HERE / "site.css", assets / "site.css")
