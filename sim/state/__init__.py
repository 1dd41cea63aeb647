"""The state of a society as arrays and plain JSON, and how it is kept on disk."""
