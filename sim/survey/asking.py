"""Ask a survey as an observer, without changing the society."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.recollection import Recalled
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.mind.mind import SURVEY_BLOCK, Decisions, Question
from memopolis.sim.population import Cohort
from memopolis.sim.survey.rule import answer_item, bearing, on_scale
from memopolis.sim.survey.survey import SURVEY_ITEM, Answers, Item, Survey

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase


def ask_survey(society: "SocietyBase[Any]", survey: Survey) -> list[Answers]:
    """Ask a survey now; return the answers by item, empty if no agent is asked.

    Asking records no access to memories, uses separate random streams and adds no text, so all
    other results are the same with and without it. Raises SettingsError if there is no such
    population.
    """
    cohort = respondents(society, survey)
    if not len(cohort):
        return []
    recalled: dict[str, Recalled] = {}
    answers = []
    with _unwritten(cohort.population.memory.texts):
        for item in survey.items:
            question = _question(cohort, survey, item, recalled)
            decisions = society.questions.ask(question, block=SURVEY_BLOCK)
            answers.append(_answers(survey, item, decisions))
    return answers


def respondents(society: "SocietyBase[Any]", survey: Survey) -> Cohort:
    """Return the agents that are asked: old enough, and in a share drawn once for the run."""
    name = survey.population or society.populations[0].name
    cohort = society.population(name).cohort().of_age(survey.from_age)
    if survey.share < 1:
        drawn = society.chance.uniform(f"{name}.{SURVEY_BLOCK}.{survey.name}", cohort.rows)
        cohort = cohort.where(drawn < survey.share)
    return cohort


@contextmanager
def _unwritten(texts: Texts) -> Iterator[None]:
    """Remove texts that a mind writes inside the context, since relevance depends on all texts."""
    first = texts.capacity
    yield
    texts.drop_from(first)


def _question(
    cohort: Cohort, survey: Survey, item: Item, recalled: dict[str, Recalled]
) -> Question:
    query = item.query or survey.query or item.text
    if query not in recalled:  # items of one survey often share a query
        is_explained = any(_needs_relevance(cohort, one) for one in survey.items)
        recalled[query] = _recall(cohort, query, survey.memories, explain=is_explained)
    return Question(
        SURVEY_ITEM,
        cohort,
        item.form,
        partial(answer_item, item=item),
        about=survey.wording(item),
        memories=recalled[query],
        known=_known(cohort, survey, item, recalled[query]),
        low=item.low,
        high=item.high,
        options=item.options,
    )


def _known(
    cohort: Cohort, survey: Survey, item: Item, recalled: Recalled
) -> dict[str, NDArray[Any]]:
    """Return what the rule uses: a status attribute if the item reads one, else memories."""
    if not _needs_relevance(cohort, item):
        level = np.asarray(cohort.memory.status.get(item.reads, default=np.nan), np.float32)
        return {"level": level, "deviation": _deviate(cohort, survey, item)}
    if item.form == "choice" and not item.reads:
        return _support(cohort, survey, item)
    weight = bearing(recalled.terms["relevance"]) * (recalled.ids >= 0)
    if item.form == "text":
        return {"weight": weight}
    stream = cohort.memory.observed.stream
    for column in ("importance", "confidence"):
        weight = weight * np.nan_to_num(stream.column(column, recalled.ids))
    return {"weight": weight, "valence": np.nan_to_num(stream.column("valence", recalled.ids))}


def _deviate(cohort: Cohort, survey: Survey, item: Item) -> NDArray[np.float32]:
    """Draw deviations of ratings from what the status implies, as shares of the scale.

    Source: Classical test theory (Lord and Novick 1968): a fixed tendency of the person, and an
    error.
    """
    chance, tick = cohort.population.society.chance, cohort.population.society.clock.tick
    name = f"{cohort.population.name}.{SURVEY_BLOCK}.{survey.name}"
    points = np.zeros(len(cohort))
    if survey.disposition:
        points += survey.disposition * chance.normal(f"{name}.disposition", cohort.rows)
    points *= -1 if item.reversed else 1
    if survey.noise:
        points += survey.noise * chance.normal(f"{name}.{item.name}", cohort.rows, tick)
    return (points / (item.high - item.low)).astype(np.float32)


def _support(cohort: Cohort, survey: Survey, item: Item) -> dict[str, NDArray[Any]]:
    """Return the support for each option: summed relevance, and ids (agents, options, k)."""
    recalled = [_recall(cohort, option, survey.memories, explain=True) for option in item.options]
    weights = [bearing(search.terms["relevance"]) * (search.ids >= 0) for search in recalled]
    pairs = zip(weights, recalled, strict=True)
    ids = [np.where(weight > 0, one.ids, -1) for weight, one in pairs]
    support = [weight.sum(axis=1) for weight in weights]
    return {"support": np.stack(support, axis=1), "found": np.stack(ids, axis=1)}


def _needs_relevance(cohort: Cohort, item: Item) -> bool:
    """Whether the rule of an item weighs memories by relevance, and not by a status attribute."""
    return not (item.reads and item.reads in cohort.population.attributes)


def _recall(cohort: Cohort, query: str, k: int, *, explain: bool) -> Recalled:
    return cohort.memory.observed.stream.search(query, k=k, explain=explain)


def _answers(survey: Survey, item: Item, decisions: Decisions) -> Answers:
    value = decisions.value
    if item.form == "rating":
        value = on_scale(value, low=item.low, high=item.high, step=item.step)
    text = _written(decisions) if item.form == "text" else ("",) * len(value)
    return Answers(survey, item, decisions, value, text)


def _written(decisions: Decisions) -> tuple[str, ...]:
    """Return the texts of the mind, or the memories of the evidence if it wrote none."""
    cohort = decisions.question.cohort
    memory = cohort.population.memory
    evidence = cohort.memory.observed.stream.read(decisions.evidence)
    return tuple(
        memory.texts[number]
        if number >= 0
        else " ".join(memory_found.text for memory_found in best)
        for number, best in zip(decisions.text.tolist(), evidence, strict=True)
    )
