"""A replay of a run as one HTML file, which needs no server."""
