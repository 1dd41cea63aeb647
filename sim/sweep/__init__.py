"""Sweeps: many runs of one scenario, planned by a design and stored in one folder."""
