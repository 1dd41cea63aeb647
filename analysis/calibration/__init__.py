"""Calibrate settings with uncertainty: approximate Bayesian computation on sweeps."""
