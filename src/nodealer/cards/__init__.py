"""The vocabulary between games and protocols: operations on cards, the events they cause, and where cards lie."""
