"""Vectors of whole texts: embedders, how alike texts are, and from where they are related."""
