"""What goes wrong in a simulated game: lies, broken connections, failing disks, false clocks."""
