"""Where log, protocol and game meet: the replica that everybody runs, and the seat that one player runs."""
