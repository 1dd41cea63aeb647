"""Retrieval: profiles, filters and the compiled passes that score and rank memories."""
