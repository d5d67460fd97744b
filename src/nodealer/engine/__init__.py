"""The table engine: the replica that every participant runs, and the seat that acts for one player.

This is where the log, the card protocols and the games meet.
"""
