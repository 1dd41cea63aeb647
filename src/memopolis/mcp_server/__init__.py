"""A run that answers an assistant: tools of the Model Context Protocol."""
