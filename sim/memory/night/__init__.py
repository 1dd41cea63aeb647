"""Night: related memories, clusters, merging, consolidation and replay, in passes over agents."""
