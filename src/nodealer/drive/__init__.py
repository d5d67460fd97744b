"""Where participants meet the world: homes in a folder."""
