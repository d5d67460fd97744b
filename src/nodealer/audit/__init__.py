"""The auditor: verifies a game from its log alone."""
