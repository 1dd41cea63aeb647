"""Restore agents of saved runs, and interview them."""
