"""One society divided into parts, each in a process of its own."""
