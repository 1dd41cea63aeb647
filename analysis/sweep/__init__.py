"""Run sweeps, read their results, and analyse sensitivity."""
