"""The pages that only the documentation site has: `make docs` builds them from JSON (docs/site/hooks.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import attack_table
import figures


class SitePage(NamedTuple):
    """A generated page: its data, to which pages of the repository link, and the function that renders it."""

    data: str
    render: Callable[[], str]


#: Path below docs/ to the page. On the site, links to the data lead to the page.
SITE_PAGES: Final = {
    "internals/attack-matrix.md": SitePage("internals/attacks.json", attack_table.matrix_page),
    "internals/benchmarks.md": SitePage("internals/figures.json", figures.rows_page),
}
