"""Run and record a society: its folder, checkpoints, resuming, forking and repeating."""
