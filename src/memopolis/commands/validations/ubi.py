"""Validation of basic income against studies, public figures and null arms."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis.commands.sections import Section, judged_section
from memopolis.commands.validations.plan import (
    NIGHT,
    RECORDED,
    VERDICTS,
    WITH_MEMORIES,
    Plan,
    Runs,
    lives_section,
    memory_use_section,
    without_section,
)

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.analysis.run.run import Run

ARMS: Mapping[str, str] = {
    "no policy": "no basic income",
    "zero": "a basic income of zero dollars from month 48 on",
    "pilot": "1,000 USD per month, from created money, to 30% of the adults in households with a "
    "monthly market income below 2,600 USD per adult",
    "all": "1,000 USD per month to all adults, from created money",
    "tax": "1,000 USD per month to all adults, funded by a flat tax on market income",
    "no night": "as `tax`, with nights that change no memories",
}
"""Arms with descriptions; all share their seeds, and so citizens and random numbers."""

LOW_INCOME = 2_600
"""USD of market income a month for each adult: about three poverty lines of 2019, the limit of the
cash study (recalled), which is 3,120 for one adult alone and 2,110 for each of two."""

_STATIC = (
    "U-P6 without behaviour: microdata of the Current Population Survey with 1,000 or 500 USD per "
    "month added for each adult, unfunded or funded by a flat tax on market income."
)
_FACTS = (
    "Months 96 to 119, with the policy from month 96 on. U-P1 to U-P4 follow the recipients in "
    "`pilot`, in both runs of a seed; U-P1 to U-P3 those from 21 to 40 years, the ages of the "
    "study. The study paid few people in large economies; hence recipients are drawn at random "
    "and the money comes from outside. Still, all of them spend in one small economy here. U-P5 "
    "compares households of `all` by quintile. The rules were calibrated on U-P1 and U-P4, the "
    "markets on the ranges of U-P8; the others are held out."
)


def changes_of(_: Path) -> dict[str, dict[str, object]]:
    """Return the settings of each arm."""
    arms: dict[str, dict[str, object]] = {
        "no policy": {"amount": 0},
        "zero": {"amount": 0, "start": 48},
        "pilot": {
            "who": "low_income",
            "funding": "created",
            "policy.share": 0.3,
            "policy.low_income": LOW_INCOME,
        },
        "all": {"funding": "created"},
        "tax": {"funding": "tax"},
        "no night": {"funding": "tax", **NIGHT["no night"][1]},
    }
    recorded = {arm: {"record.tables": RECORDED, **changes} for arm, changes in arms.items()}
    recorded["tax"]["record.tables"] = WITH_MEMORIES
    return recorded


def sections_of(_: int, arms: "Runs") -> list[Section]:
    """Return all tables of the validation."""
    from memopolis.analysis.facts import basic_income_table

    return [
        judged_section("static", "Without behaviour", _STATIC, _static()),
        judged_section(
            "facts", "Facts of whole runs", f"{_FACTS} {VERDICTS}", basic_income_table(arms)
        ),
        memory_use_section("tax", arms["tax"]),
        lives_section("tax", arms["tax"]),
        without_section("tax", arms, _outcomes()),
    ]


def _outcomes() -> "Mapping[str, Callable[[Run], float]]":
    from memopolis.analysis.facts.reading import outcome_of

    names = ("unemployment", "hours", "consumption", "price_level", "participation")
    return {name: outcome_of(name, "mean") for name in names}


def _static() -> "pd.DataFrame":
    from memopolis.analysis.facts import static_gini_table
    from memopolis.scenarios.ubi.microdata import static_gini

    return static_gini_table(static_gini)


PLAN = Plan("ubi", ARMS, 2_500, changes_of, sections_of)
