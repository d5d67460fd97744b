"""The commands, as people run them."""
