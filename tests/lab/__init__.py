"""Benchmarks: that they run and judge rightly. Never how long something takes."""
