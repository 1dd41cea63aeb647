"""Query tables of runs and sweeps in SQL."""
