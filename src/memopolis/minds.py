"""Minds that answer the questions of agents, and what they share."""

from memopolis.sim.mind.allow import no_models
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.call import ScriptedClient
from memopolis.sim.mind.checking import check_mind
from memopolis.sim.mind.estimate import estimate
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Answer, Decisions, Mind, Outcome, Question, RuleMind
from memopolis.sim.mind.mix import Mix, by_block, by_class, by_share
from memopolis.sim.mind.registry import add_mind

__all__ = [
    "Answer",
    "Archetype",
    "Budget",
    "Decisions",
    "LlmMind",
    "Mind",
    "Mix",
    "Outcome",
    "Question",
    "RuleMind",
    "ScriptedClient",
    "add_mind",
    "by_block",
    "by_class",
    "by_share",
    "check_mind",
    "estimate",
    "no_models",
]
