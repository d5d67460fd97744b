"""Games: rules and chips, as machines over public events that never see a ciphertext."""
