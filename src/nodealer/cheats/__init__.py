"""Cheats that a bot can play: what `nodealer demo` and `--cheat` need. The laboratory has the other attacks."""
