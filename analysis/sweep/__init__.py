"""Sweeps: made, read again, and asked what their outcomes depend on."""
