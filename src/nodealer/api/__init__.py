"""The library for game developers: `table` for a table in one process, `Player` and `Watcher` for a transport of your
own, `verify` for a saved log. docs/build/library.md lists what is public and stays; what is behind it is in other
rooms.
"""

from nodealer.api.player import Player
from nodealer.api.tables import Table, table, verify
from nodealer.api.timekeeper import Timekeeper
from nodealer.api.watcher import Watcher
from nodealer.audit.verify import Report
from nodealer.engine.prompts import Question
from nodealer.events import Face

__all__ = ["Face", "Player", "Question", "Report", "Table", "Timekeeper", "Watcher", "table", "verify"]
