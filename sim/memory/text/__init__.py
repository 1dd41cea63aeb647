"""Texts: each distinct one once, its word pieces and words, and what is read from them."""
