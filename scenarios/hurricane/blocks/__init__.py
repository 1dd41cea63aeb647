"""Behaviours that a hurricane brings."""
