"""How much information a text contains: a greeting has little, many and rare words have much."""

from memopolis.sim.memory.retrieval.terms.text_property import TextProperty

TERM = TextProperty(lambda texts: texts.information)
