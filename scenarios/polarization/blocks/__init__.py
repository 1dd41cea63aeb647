"""Blocks of the polarization scenario."""
