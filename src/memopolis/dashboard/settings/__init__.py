"""The settings form; changes take effect with the next reset."""
