"""`nodealer game check`: what is wrong with a game, for the one who wrote it."""

from nodealer.gamecheck.check import DEEP, QUICK, Depth, GameReport, check

__all__ = ["DEEP", "QUICK", "Depth", "GameReport", "check"]
