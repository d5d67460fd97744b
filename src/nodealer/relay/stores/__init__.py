"""The stores in which a relay keeps its tables: memory, SQLite, or NATS JetStream."""
