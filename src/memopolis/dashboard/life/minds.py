"""The minds that can answer questions to a citizen: the rules, and the user's model."""

from collections.abc import Mapping

from memopolis.commands.shown_text import harmless
from memopolis.sim.settings import Settings

RULE, MODEL = "rule", "llm"
_NONE = "none"
_OF_THE_RUN = {"share", "blocks", "classes"}
"""Settings that limit which decisions a model makes; in interviews it answers for all agents."""


def minds_of(model: Mapping[str, object]) -> dict[str, str]:
    """Return the available minds: their labels by name.

    `model` holds settings of the model that the user named for the page; none without one. The
    folder of a run that is replayed names none: it may be a stranger's.
    """
    minds = {RULE: "the rules"}
    if model:
        minds[MODEL] = f"the model {harmless(str(model.get('llm.model', '')))}".strip()
    return minds


def own_model(settings: Settings) -> dict[str, object]:
    """Return the settings of a live society's model, for interviews with any agent.

    Returns settings; empty for a society without a model. Answers are not written into the run's
    cassette.
    """
    if settings.mind == RULE:
        return {}
    llm = settings.llm.model_dump(exclude=_OF_THE_RUN) | {"cassette": _NONE, "replay": False}
    return {"mind": MODEL, **{f"llm.{name}": value for name, value in llm.items()}}
