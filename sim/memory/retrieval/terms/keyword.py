"""The share of the text that is the query, or of shared words."""

from memopolis.sim.memory.retrieval.terms.text_table import TextTable

TERM = TextTable("keyword", replaces="tfidf")
