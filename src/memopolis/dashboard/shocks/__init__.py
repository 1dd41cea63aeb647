"""Shocks on the page: sent by hand, and listed as they have happened and will."""
