"""Stores of streams in Qdrant."""
