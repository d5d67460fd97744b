"""Games: rules and chips, as state machines over public events. They never see a ciphertext."""
