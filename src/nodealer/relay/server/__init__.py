"""The relay as a server: sockets, connections, tables and what their operator sees."""
