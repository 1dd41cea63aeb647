"""How much information a text contains: many and rare words answer more questions than a greeting."""

from memopolis.sim.memory.retrieval.terms.text_property import TextProperty

TERM = TextProperty(lambda texts: texts.information)
