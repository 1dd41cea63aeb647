"""Vectors of whole texts: embedders, cosines between texts, and thresholds of cosines."""
