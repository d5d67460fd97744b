"""The relay's server: sockets, connections, rate limits, tables and metrics."""
