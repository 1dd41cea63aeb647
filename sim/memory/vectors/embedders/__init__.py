"""Embedders: the shipped table, models by name, or your own object."""
