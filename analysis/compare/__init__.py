"""Compare arms, two runs, and answers of agents."""
