"""Related memories, clusters, merging, consolidation, replay and sleep, as passes over agents."""
