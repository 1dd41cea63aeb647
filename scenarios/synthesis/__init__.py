"""Synthetic populations from survey records, shared by scenarios."""
