"""A simulator: participants and a relay in one process, with every fault drawn from one seed.

docs/internals/simulator.md explains what it does and how to replay a seed.
"""
