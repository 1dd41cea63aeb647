"""Figures in one style; matplotlib is imported here and nowhere else."""
