"""Save and load a memory, and copy one agent to another memory."""
