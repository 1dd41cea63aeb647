"""What an agent knows about its own memories: assessment, map and review; all read-only."""
