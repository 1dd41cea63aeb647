"""Surveys during a run, and interviews of agents restored from one."""

from memopolis.analysis.interview.restored_agent import RestoredAgent, restore_agent
from memopolis.sim.survey.asking import ask_survey
from memopolis.sim.survey.named import find_survey
from memopolis.sim.survey.survey import Item, Score, Survey

__all__ = [
    "Item",
    "RestoredAgent",
    "Score",
    "Survey",
    "ask_survey",
    "find_survey",
    "restore_agent",
]
