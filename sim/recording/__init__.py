"""Record the tables of a run."""
