"""Share of the query in all memories of the same interaction."""

from memopolis.sim.memory.retrieval.terms.coverage import ALL, Coverage

TERM = Coverage(reach=ALL)
