"""Whether a text is a statement: 0 for a question, which rarely answers one, else 1."""

from memopolis.sim.memory.retrieval.terms.text_property import TextProperty

TERM = TextProperty(lambda texts: texts.statement)
