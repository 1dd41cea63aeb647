"""Running a society to its end: its folder, its checkpoints, resuming and forking."""
