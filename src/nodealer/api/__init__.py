"""The library for game developers.

`table` runs a whole table in one process, `Player` and `Watcher` work with your own transport, and `verify` audits a
saved log. docs/build/library.md lists the public names, which stay compatible.
"""

from nodealer.api.player import Player
from nodealer.api.tables import Table, table, verify
from nodealer.api.timekeeper import Timekeeper
from nodealer.api.watcher import Watcher
from nodealer.audit.report import Report
from nodealer.engine.prompts import Question
from nodealer.events import Face

__all__ = ["Face", "Player", "Question", "Report", "Table", "Timekeeper", "Watcher", "table", "verify"]
