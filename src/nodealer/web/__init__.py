"""The table in the browser: the documents between a page and a seat, the seat of a page, and the server on loopback."""
