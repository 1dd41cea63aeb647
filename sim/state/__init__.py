"""The state of a society as arrays and plain JSON, and its files."""
