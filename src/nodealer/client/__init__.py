"""Where participants meet the world: the loop, homes in a folder, clocks."""
