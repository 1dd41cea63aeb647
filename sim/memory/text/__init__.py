"""Texts: each distinct text once, its word pieces and words, and lexical relevance."""
