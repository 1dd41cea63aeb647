"""Streams: what agents lived through, how it is formatted, kept, read, linked and forgotten."""
