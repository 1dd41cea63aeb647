"""Who can answer a question to a citizen: the rules, and a model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memopolis.dashboard.shown_text import harmless

if TYPE_CHECKING:
    from memopolis.analysis.load import Run

RULE, MODEL = "rule", "llm"
_NONE = "none"
_OF_THE_RUN = ("share", "blocks", "classes")
"""Settings that say whose decisions the model made; it answers for whoever is asked."""


def minds_of(run: "Run", named: Mapping[str, object]) -> dict[str, str]:
    """Who can answer, in words, by the name of the mind.

    Args:
        run: A run.
        named: Settings of a model that was named for the page; none to take the run's own.
    """
    minds, model = {RULE: "the rules"}, mind_settings(run, MODEL, named)
    if model:
        minds[MODEL] = f"the model {harmless(str(model.get('llm.model', '')))}".strip()
    return minds


def mind_settings(run: "Run", mind: str, named: Mapping[str, object]) -> dict[str, object]:
    """Settings of the mind that answers, by name; none for the rules, or where there is no model.

    Args:
        run: A run.
        mind: "rule" or "llm".
        named: Settings of a model that was named for the page; none to take the run's own. That
            one answers for everybody, and what it says is not written into the run's cassette.
    """
    if mind == RULE:
        return {}
    if named:
        return dict(named)
    if run.settings.get("mind", RULE) == RULE:
        return {}
    given = run.settings.get("llm", {})
    llm = {name: value for name, value in given.items() if name not in _OF_THE_RUN}
    llm.update(cassette=_NONE, replay=False)
    return {"mind": MODEL, **{f"llm.{name}": value for name, value in llm.items()}}
