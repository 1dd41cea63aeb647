"""Sweeps: many runs of one scenario, planned by a design and kept in one folder."""
