"""Where a relay keeps its tables: in memory, in SQLite, or in NATS JetStream."""
