"""The log: what seats sign, how it is chained, who sits where, and what a seat writes to its disk before it speaks."""
