"""The terms of the score, one in each file: its numpy definition and its compiled loop."""
