"""Shocks on the page: a form to send them, and the timeline of the run."""
