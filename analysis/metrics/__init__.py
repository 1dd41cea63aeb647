"""Equations that behaviour is measured by: pure functions of arrays, each with its source."""
