"""Behaviours of citizens, firms and government."""
