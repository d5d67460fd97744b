"""Independent checks of a simulated game, which do not reuse the table's own code."""
