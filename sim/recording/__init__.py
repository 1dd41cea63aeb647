"""Run a society and record it: the loop over its steps, its tables and its checkpoints."""
