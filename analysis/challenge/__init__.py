"""Held-out predictions: cases, frozen predictions of any engine, and their scores."""
