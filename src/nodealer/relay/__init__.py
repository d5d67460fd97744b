"""The relay: puts frames into one order and brings them to everybody. It understands none of them."""
