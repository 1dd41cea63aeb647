"""The connection to a model server: the API key, limits on what is read, and the event loop."""
