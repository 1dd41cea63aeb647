"""Attitudes of firms, bank, government and statistics bureau, and the topics that change them."""

from memopolis.agents.appraisal import Attitude
from memopolis.agents.blocks.institution import outlook

FIRM_ATTITUDES = (
    outlook("our customers, shelves, staff and costs", "sales", "shortage", "staff", "price"),
)
BANK_ATTITUDES = (
    outlook("unemployment, and borrowers who could not repay us", "unemployment", "default"),
    # High inflation is a bad memory, and raises concern.
    Attitude("inflation_concern", "inflation compared with our target", {"inflation": -1.0}),
)
GOVERNMENT_ATTITUDES = (
    outlook("unemployment, poverty and our budget", "unemployment", "poverty", "budget"),
    Attitude("public_approval", "what people think of us and of our policy", {"reaction": 1.0}),
)
BUREAU_ATTITUDES = (outlook("the figures that we published", "figures"),)
"""Attitudes of institutions; all effects are illustrative."""
