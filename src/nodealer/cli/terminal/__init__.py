"""The front end in a terminal: lines for what happens, and what the person types."""
