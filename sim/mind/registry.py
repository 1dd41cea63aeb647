"""Minds by name, and the mind that the settings of a society ask for."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from memopolis.sim.errors import SettingsError
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.call import Client
from memopolis.sim.mind.mind import SURVEY_BLOCK, Mind
from memopolis.sim.mind.mix import by_block, by_class, by_share
from memopolis.sim.mind.model_mind import model_mind
from memopolis.sim.mind.rule import RuleMind

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase


def build_mind(
    society: "SocietyBase[Any]", name: str | None = None, *, client: Client | None = None
) -> Mind:
    """Build the mind that the settings of a society name.

    A model answers the questions of `llm.blocks` to `llm.share` of the agents of
    `llm.classes`; the rules answer all others.

    Args:
        society: The society, with all of its populations and blocks.
        name: A key of `BUILDERS`; None for the setting `mind`.
        client: Sends the calls; None for the one that settings and environment name.

    Raises:
        SettingsError: If a setting names an unknown block, class or attribute, or no model is
            named.
        DataFileError: If a cassette or a file of prompts cannot be read.
        ExtraError: If a package of the extra `llm` is missing.
    """
    name = name or society.settings.mind
    rule = RuleMind()
    if name == "rule":
        return rule
    llm = society.settings.llm
    _check(society)
    mind = BUILDERS[name](society, client=client)
    if llm.share < 1:
        mind = by_share(mind, llm.share, rule, seed=society.seed)
    if llm.classes:
        mind = by_class(dict.fromkeys(llm.classes, mind), rule)
    if llm.blocks:
        mind = by_block(dict.fromkeys(llm.blocks, mind), rule)
    return mind


def _archetype(society: "SocietyBase[Any]", *, client: Client | None) -> Archetype:
    settings = society.settings.archetype
    return Archetype(
        model_mind(society, client=client),
        seed=society.seed,
        by=settings.by,
        bins=settings.bins,
        least=settings.least,
        answers=settings.answers,
    )


class Builder(Protocol):
    """Builds a mind that asks a model."""

    def __call__(self, society: "SocietyBase[Any]", *, client: Client | None) -> Mind:
        """Build the mind of a society."""
        ...


BUILDERS: Mapping[str, Builder] = {
    "llm": model_mind,
    "replay": model_mind,
    "archetype": _archetype,
}
"""How each mind other than the rules is built, by its name in the setting `mind`."""


def _check(society: "SocietyBase[Any]") -> None:
    """Refuse unknown names: with a misspelt one the model would silently not be asked."""
    populations, settings = society.populations, society.settings
    blocks = {block.name for population in populations for block in population.blocks}
    _check_names("llm.blocks", settings.llm.blocks, blocks | {SURVEY_BLOCK})
    _check_names("llm.classes", settings.llm.classes, {p.name for p in populations})
    if settings.mind == "archetype":
        columns = [population.memory.columns for population in populations]
        fields = {name for one in columns for name in one.arrays}
        structs = {name.partition(".")[0] for name in fields}
        _check_names("archetype.by", settings.archetype.by, structs | fields)


def _check_names(setting: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise SettingsError(
                f"{setting} names {name!r}, which there is not; there are: "
                f"{', '.join(sorted(known))}"
            )
