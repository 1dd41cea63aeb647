"""The panels of the page, each a function of its viewer."""
