"""The lab: attacks, simulated games and benchmarks. It may use everything but the commands and the web table."""
