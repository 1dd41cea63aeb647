"""Streams: the memories of agents, and how they are added, read, linked and forgotten."""
