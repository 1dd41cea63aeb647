"""A guided tour of the page, in two minutes."""
