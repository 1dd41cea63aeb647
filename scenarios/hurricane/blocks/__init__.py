"""Blocks of the hurricane scenario."""
