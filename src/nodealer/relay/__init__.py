"""The relay: its messages, permissions, sealing, invitations and pairing, and its client, server and stores."""
