"""The auditor: everything about a game, from its log alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nodealer.audit.verify import Progress, Report
    from nodealer.proofs.checks import Entropy

__all__ = ["audit"]


def audit(path: Path, *, entropy: Entropy, jobs: int = 1, progress: Progress | None = None) -> Report:
    """Audit a log with up to `jobs` processes. The report is the same for any number of them."""
    from nodealer.audit.parts import verify_in_parts
    from nodealer.audit.verify import verify_file

    report = verify_in_parts(path, jobs=jobs, entropy=entropy, progress=progress) if jobs > 1 else None
    return report if report is not None else verify_file(path, entropy=entropy, progress=progress)
