"""Judge runs by stylised facts: numbers computed from tables, with tolerances."""

from memopolis.analysis.facts.basic_income import basic_income_table, static_gini_table
from memopolis.analysis.facts.fact import Fact, Value
from memopolis.analysis.facts.hurricane import (
    facts_of,
    facts_table,
    null_arm_table,
    orders_table,
)
from memopolis.analysis.facts.memory_use import memory_table, recall_table
from memopolis.analysis.facts.opinion_models import model_facts_table
from memopolis.analysis.facts.polarization import polarization_table

__all__ = [
    "Fact",
    "Value",
    "basic_income_table",
    "facts_of",
    "facts_table",
    "memory_table",
    "model_facts_table",
    "null_arm_table",
    "orders_table",
    "polarization_table",
    "recall_table",
    "static_gini_table",
]
