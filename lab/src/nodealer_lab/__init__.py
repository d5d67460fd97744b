"""The lab: measurements and demonstrations. It may use everything but the commands and the web table."""
