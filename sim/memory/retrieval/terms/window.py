"""Share of the query in a memory or the two before and after it in the same interaction."""

from memopolis.sim.memory.retrieval.terms.coverage import Coverage

TERM = Coverage(reach=2)
