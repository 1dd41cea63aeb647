"""Status: what agents know about themselves, as typed columns, and where it comes from."""
