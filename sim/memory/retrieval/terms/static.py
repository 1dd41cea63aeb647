"""Cosine of query and text by the shipped static table, -1..1, whatever the embedder.

It needs no model and no server, so that a profile can rely on it.
"""

from memopolis.sim.memory.retrieval.terms.text_table import TextTable

TERM = TextTable("static")
