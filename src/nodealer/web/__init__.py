"""The table in the browser: messages between page and program, the seat behind a page, and the local server."""
