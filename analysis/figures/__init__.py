"""Draw figures of runs, comparisons and sweeps."""
