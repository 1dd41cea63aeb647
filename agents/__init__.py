"""Who lives in a society, and what they do."""
