"""Build the mind that the settings of a society name: client, budget, prompts and log."""

import os
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import SettingsError
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.call import Client
from memopolis.sim.mind.cassette import Recording, Replaying
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import SURVEY_BLOCK, Mind, RuleMind, check_is_mind
from memopolis.sim.mind.mix import by_block, by_class, by_share
from memopolis.sim.mind.openai_client import OpenAIClient
from memopolis.sim.mind.prompting import Prompts
from memopolis.sim.mind.registry import mind_builder
from memopolis.sim.model_server.key import PUBLIC
from memopolis.sim.settings import LlmSettings

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

MODEL = "MEMOPOLIS_MODEL"  # environment variable for the name of the model

BASE_URL = "MEMOPOLIS_BASE_URL"  # environment variable for the address of the server


def build_rule_mind(_society: "SocietyBase[Any]", *, client: Client | None = None) -> RuleMind:
    """Build the mind that answers by rules; it sends no calls."""
    del client
    return RuleMind()


def build_model_mind(society: "SocietyBase[Any]", *, client: Client | None = None) -> LlmMind:
    """Build the mind that asks a model; arguments and errors as in `build_mind`."""
    llm = society.settings.llm
    client = client or make_client(llm, replay=llm.replay or society.settings.mind == "replay")
    budget, log = society.budget, society.log_calls
    return model_mind(society, client, budget=budget, fallback=llm.fallback, log=log)


def model_mind(
    society: "SocietyBase[Any]", client: Client, *, budget: Budget, **options: Any
) -> LlmMind:
    """Return a mind that sends prompts as the settings of a society say."""
    llm = society.settings.llm
    is_replayed = llm.replay or society.settings.mind == "replay"
    return LlmMind(
        client,
        seed=society.seed,
        budget=budget,
        prompts=Prompts(
            None if llm.prompts == "none" else llm.prompts, context_tokens=llm.context_tokens
        ),
        temperature=llm.temperature,
        max_tokens=llm.max_tokens,
        min_answered=0.0 if is_replayed else llm.min_answered,
        **options,
    )


def make_client(llm: LlmSettings, *, replay: bool) -> Client:
    """Create the client that settings and environment name; a replay uses the cassette only."""
    if replay and llm.cassette == "none":
        raise SettingsError("a replay needs a recorded cassette: set llm.cassette")
    if replay:
        return Replaying(llm.cassette, model=llm.model or None)
    model = llm.model or os.environ.get(MODEL, "")
    if not model:
        raise SettingsError(f"no model is selected: set llm.model, --model or {MODEL}")
    client = OpenAIClient(
        model,
        base_url=llm.base_url or os.environ.get(BASE_URL, "") or PUBLIC,
        in_flight=llm.in_flight,
        rate=llm.rate,
        timeout=llm.timeout,
        retries=llm.retries,
        max_wait=llm.max_wait,
    )
    return client if llm.cassette == "none" else Recording(client, llm.cassette)


def build_mind(
    society: "SocietyBase[Any]", name: str | None = None, *, client: Client | None = None
) -> Mind:
    """Build the mind that the settings of a society name, or the registered mind `name`.

    It answers the questions of `llm.blocks` to `llm.share` of the agents of `llm.classes`; the
    rules answer all others. `client` sends the calls, by default the one that settings and
    environment name. Raises SettingsError if a setting names an unknown block, class or attribute,
    or no model is named.
    """
    name = name or society.settings.mind
    llm, rule = society.settings.llm, RuleMind()
    _check(society)
    build = mind_builder(name)
    mind: Mind = build(society) if client is None else build(society, client=client)
    check_is_mind(mind)
    if name == "rule":
        return mind
    if llm.share < 1:
        mind = by_share(mind, llm.share, rule, seed=society.seed)
    if llm.classes:
        mind = by_class(dict.fromkeys(llm.classes, mind), rule)
    if llm.blocks:
        mind = by_block(dict.fromkeys(llm.blocks, mind), rule)
    return mind


def build_archetype(society: "SocietyBase[Any]", *, client: Client | None = None) -> Archetype:
    """Build the mind that asks a model once for each group of similar agents."""
    groups = society.settings.archetype.model_dump()
    return Archetype(build_model_mind(society, client=client), seed=society.seed, **groups)


def _check(society: "SocietyBase[Any]") -> None:
    """Refuse unknown names, since a misspelt one would silently keep the model from being asked."""
    populations, settings = society.populations, society.settings
    blocks = {block.name for population in populations for block in population.blocks}
    _check_names("llm.blocks", settings.llm.blocks, blocks | {SURVEY_BLOCK})
    _check_names("llm.classes", settings.llm.classes, {p.name for p in populations})
    if settings.mind == "archetype":
        fields = {name for population in populations for name in population.attributes}
        structs = {name.partition(".")[0] for name in fields}
        _check_names("archetype.by", settings.archetype.by, structs | fields)


def _check_names(setting: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise SettingsError(
                f"{setting} names {name!r}, which does not exist; known names: "
                f"{', '.join(sorted(known))}"
            )
