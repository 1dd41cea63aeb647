"""Compare arms, and find where two runs diverge."""
