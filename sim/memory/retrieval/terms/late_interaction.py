"""Mean over the tokens of the query of the best cosine with a token of the text, -1..1."""

from memopolis.sim.memory.retrieval.terms.text_table import TextTable

TERM = TextTable("late_interaction")
