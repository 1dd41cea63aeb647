"""BM25 of the query and the text."""

from memopolis.sim.memory.retrieval.terms.text_table import TextTable

TERM = TextTable("bm25")
