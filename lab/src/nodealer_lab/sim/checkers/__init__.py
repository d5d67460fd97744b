"""Checks of a simulated game, made from outside with code of their own."""
