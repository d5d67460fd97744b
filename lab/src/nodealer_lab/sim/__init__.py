"""A simulator: participants and a relay in one process, with everything that can go wrong between them, from one seed.

docs/internals/simulator.md says what it does and how a seed is replayed.
"""
