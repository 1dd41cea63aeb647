"""Streams kept in Qdrant, for memory beyond one machine."""
