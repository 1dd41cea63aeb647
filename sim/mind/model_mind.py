"""The mind that a society's settings ask for: client, budget, prompts and log of one run."""

import os
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import SettingsError
from memopolis.sim.mind.call import Client
from memopolis.sim.mind.cassette import Recording, Replaying
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.openai_client import OpenAIClient
from memopolis.sim.mind.prompting import Prompts
from memopolis.sim.model_server.key import PUBLIC
from memopolis.sim.settings import LlmSettings

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

MODEL = "MEMOPOLIS_MODEL"
"""Environment variable with the name of the model."""

BASE_URL = "MEMOPOLIS_BASE_URL"
"""Environment variable with the address of the server."""


def model_mind(society: "SocietyBase[Any]", *, client: Client | None = None) -> LlmMind:
    """Make the model mind of a society, as its settings say.

    Args:
        society: Whose mind it is.
        client: Sends the calls; None for the one that settings and environment name.

    Raises:
        SettingsError: If no model is named, or a replay names no cassette.
        DataFileError: If a cassette or a file of prompts cannot be read.
        ExtraError: If a package of the extra `llm` is missing.
    """
    llm = society.settings.llm
    folder = None if llm.prompts == "none" else llm.prompts
    replay = llm.replay or society.settings.mind == "replay"
    return LlmMind(
        client or client_of(llm, replay=replay),
        seed=society.seed,
        fallback=llm.fallback,
        budget=society.budget,
        prompts=Prompts(folder, context_tokens=llm.context_tokens),
        log=society.log_calls,
        temperature=llm.temperature,
        max_tokens=llm.max_tokens,
    )


def client_of(llm: LlmSettings, *, replay: bool) -> Client:
    """The client that settings and environment name.

    Args:
        llm: The settings.
        replay: Whether all answers come from the cassette.

    Raises:
        SettingsError: If no model is named, or a replay names no cassette.
        DataFileError: If the cassette cannot be read.
        ExtraError: If the package openai is missing.
    """
    if replay and llm.cassette == "none":
        raise SettingsError("a replay needs the cassette that was recorded: set llm.cassette")
    if replay:
        return Replaying(llm.cassette, model=llm.model or None)
    model = llm.model or os.environ.get(MODEL, "")
    if not model:
        raise SettingsError(f"no model is named: set llm.model, --model or {MODEL}")
    client = OpenAIClient(
        model,
        base_url=llm.base_url or os.environ.get(BASE_URL, "") or PUBLIC,
        in_flight=llm.in_flight,
        rate=llm.rate,
        timeout=llm.timeout,
        retries=llm.retries,
    )
    return client if llm.cassette == "none" else Recording(client, llm.cassette)
