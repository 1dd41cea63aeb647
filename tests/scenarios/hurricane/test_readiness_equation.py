"""The equation of readiness in the ODD description, written again and compared with the code."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.hurricane.blocks.stay_or_go import rate_readiness
from memopolis.scenarios.hurricane.settings import DecisionSettings
from memopolis.sim.mind.mind import Answer, Question

README = Path(__file__).parents[3] / "scenarios" / "hurricane" / "README.md"
PUBLISHED = ("mobile_home", "contacts", "coping", "female", "left_before", "invited")


def by_the_odd(known: Mapping[str, NDArray[Any]], settings: DecisionSettings) -> NDArray[Any]:
    """Compute R as step 5 of "Stay or go" describes it."""
    order = known["order"]
    published = settings.mandatory * (order >= 1)
    for name in PUBLISHED:
        weight = getattr(settings, "invitation" if name == "invited" else name)
        published = published + weight * known[name]
    published = published + settings.voluntary * ((order > 0) & (order < 1))
    published = published + settings.trust * known["trust"] * order
    published = published + settings.surge * known["exposure"] * order
    factor = np.sqrt(1 + (16 * np.sqrt(3) / (15 * np.pi) * settings.spread) ** 2)
    logit = settings.constant + settings.threat * known["threat"] + factor * published
    logit = logit + known["inclination"]
    return np.where((known["threat"] > 0) | (order > 0), 10 / (1 + np.exp(-logit)), 0)


def test_the_code_computes_the_equation_of_the_odd_description() -> None:
    rng = np.random.default_rng(1)
    count = 500
    known = {name: rng.integers(0, 2, count).astype(float) for name in PUBLISHED}
    known |= {
        "contacts": rng.random(count),
        "exposure": rng.choice([0.0, 0.2, 0.5, 1.0], count),
        "coping": rng.uniform(-1, 1, count),
        "trust": rng.random(count),
        "threat": np.where(rng.random(count) < 0.2, 0, rng.random(count)),
        "order": rng.choice([0.0, 0.5, 1.0], count),
        "inclination": rng.normal(4, 3.5, count),
    }
    expected = by_the_odd(known, settings := DecisionSettings())
    extra = {"passed": np.zeros(count, np.uint8), "dangerous": np.ones((count, 0), bool)}
    people: Any = range(count)
    rule = lambda _: Answer(np.zeros(count))  # noqa: E731
    question = Question("stay_or_go", people, "rating", rule, known=known | extra)
    answer = rate_readiness(question, settings=settings)
    np.testing.assert_allclose(answer.value, expected, atol=1e-4)
    assert 0.1 < np.mean(expected > 5) < 0.9


def test_the_odd_description_names_each_weight_of_the_code() -> None:
    text = README.read_text(encoding="utf-8")
    section = text.partition("### Stay or go")[2].partition("### ")[0]
    named = set(re.findall(r"`(\w+)`", section))
    weights = {
        "constant",
        "threat",
        "mandatory",
        "voluntary",
        "trust",
        "spread",
        "surge",
        "invitation",
        *set(PUBLISHED) - {"invited"},
    }
    assert weights <= named
