"""The auditor: everything about a game, from its log alone."""
