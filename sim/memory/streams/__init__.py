"""Streams: what agents lived through, how it is told, kept, read, linked and forgotten."""
