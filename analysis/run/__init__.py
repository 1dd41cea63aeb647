"""Read the folder of a run, or a run in progress."""
