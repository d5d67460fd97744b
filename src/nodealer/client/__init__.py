"""Drive a participant in the real world: the event loop, transports, stores on disk, timers and policies."""
