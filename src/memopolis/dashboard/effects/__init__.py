"""The effect of a shock sent by a visitor, against the same run without it."""
