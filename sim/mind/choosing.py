"""The mind of a society, as its settings say."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import SettingsError
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.call import Client
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import SURVEY_BLOCK, Mind
from memopolis.sim.mind.mix import by_block, by_class, by_share
from memopolis.sim.mind.model_mind import model_mind
from memopolis.sim.mind.rule import RuleMind

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase


def made_mind(
    society: "SocietyBase[Any]", kind: str | None = None, *, client: Client | None = None
) -> Mind:
    """Make the mind that a society's settings ask for.

    A model answers the questions of `llm.blocks` to `llm.share` of the agents of
    `llm.classes`; the rules answer all others.

    Args:
        society: Whose mind it is, with all of its populations and blocks.
        kind: "rule", "llm", "replay" or "archetype"; None for the settings' own.
        client: Sends the calls; None for the one that settings and environment name.

    Raises:
        SettingsError: If a block, class or attribute is named that there is not, or the
            model is not named.
        DataFileError: If a cassette or a file of prompts cannot be read.
        ExtraError: If a package of the extra `llm` is missing.
    """
    kind = kind or society.settings.mind
    rule = RuleMind()
    if kind == "rule":
        return rule
    llm = society.settings.llm
    _check(society)
    model = model_mind(society, client=client)
    mind: Mind = _archetype(society, model) if kind == "archetype" else model
    if llm.share < 1:
        mind = by_share(mind, llm.share, rule, seed=society.seed)
    if llm.classes:
        mind = by_class(dict.fromkeys(llm.classes, mind), rule)
    if llm.blocks:
        mind = by_block(dict.fromkeys(llm.blocks, mind), rule)
    return mind


def _archetype(society: "SocietyBase[Any]", model: LlmMind) -> Archetype:
    settings = society.settings.archetype
    return Archetype(
        model,
        seed=society.seed,
        by=settings.by,
        bins=settings.bins,
        least=settings.least,
        answers=settings.answers,
    )


def _check(society: "SocietyBase[Any]") -> None:
    """Refuse names that nothing has: a slip of the pen would turn the model off silently."""
    populations, settings = society.populations, society.settings
    blocks = {block.name for population in populations for block in population.blocks}
    _check_names("llm.blocks", settings.llm.blocks, blocks | {SURVEY_BLOCK})
    _check_names("llm.classes", settings.llm.classes, {p.name for p in populations})
    if settings.mind == "archetype":
        columns = [population.memory.columns for population in populations]
        there = {name.partition(".")[0] for one in columns for name in one.arrays}
        fields = {name for one in columns for name in one.arrays}
        _check_names("archetype.by", settings.archetype.by, there | fields)


def _check_names(setting: str, given: Iterable[str], there: Collection[str]) -> None:
    for name in given:
        if name not in there:
            raise SettingsError(
                f"{setting} names {name!r}, which there is not; there are: "
                f"{', '.join(sorted(there))}"
            )
