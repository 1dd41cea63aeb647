"""Keeping: the whole of a memory saved, loaded, and carried elsewhere."""
