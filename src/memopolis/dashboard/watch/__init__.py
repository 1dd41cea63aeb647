"""The watched runs: a running society, or a moment of finished runs."""
