"""The feed of a run: decisions, thoughts, speech, news and orders as lines, the newest first."""
