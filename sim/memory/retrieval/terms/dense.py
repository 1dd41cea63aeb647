"""Cosine of the vectors of query and text, -1..1; nan if one has no vector."""

from memopolis.sim.memory.retrieval.terms.text_table import TextTable

TERM = TextTable("dense")
