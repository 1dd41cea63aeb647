"""Interview one agent from a saved run."""
