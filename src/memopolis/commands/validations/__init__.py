"""Validation plans of `memopolis validate`, one file per scenario."""
