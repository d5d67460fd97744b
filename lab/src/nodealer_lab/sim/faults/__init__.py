"""The faults of a simulated game: lies, broken connections, failing disks, false clocks."""
