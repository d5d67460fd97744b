"""Where a relay keeps tables: in memory, in SQLite, or in NATS JetStream."""
