"""Agents of a society and their behaviour."""
