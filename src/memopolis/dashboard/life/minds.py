"""Who can answer a question to a citizen: the rules, and the model that its run was made with."""

from typing import TYPE_CHECKING

from memopolis.dashboard.shown_text import harmless

if TYPE_CHECKING:
    from memopolis.analysis.load import Run

RULE, MODEL = "rule", "llm"
_NONE = "none"
_OF_THE_RUN = ("share", "blocks", "classes")
"""Settings that say whose decisions the model made; it answers for whoever is asked."""


def minds_of(run: "Run") -> dict[str, str]:
    """Who can answer, in words, by the name of the mind.

    Args:
        run: A run; where its own mind was a model, that model can answer, too.
    """
    minds = {RULE: "the rules"}
    if run.settings.get("mind", RULE) != RULE:
        model = str(run.settings.get("llm", {}).get("model", ""))
        minds[MODEL] = f"the model {harmless(model)}".strip()
    return minds


def mind_settings(run: "Run", mind: str) -> dict[str, object]:
    """Settings of the mind that answers, by name.

    Args:
        run: A run.
        mind: "rule" or "llm".

    Returns:
        Those of the run, whoever it let the model think for; an answer is not written into its
        cassette.
    """
    if mind == RULE:
        return {}
    given = run.settings.get("llm", {})
    llm = {name: value for name, value in given.items() if name not in _OF_THE_RUN}
    llm.update(cassette=_NONE, replay=False)
    return {"mind": MODEL, **{f"llm.{name}": value for name, value in llm.items()}}
