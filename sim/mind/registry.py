"""Minds by the name that the setting `mind` takes."""

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

from memopolis.sim.errors import ParameterError

_PACKAGE = "memopolis.sim.mind.building"
# By reference: the functions read settings, and settings read the names here.
_SHIPPED = {
    "rule": f"{_PACKAGE}:build_rule_mind",
    "llm": f"{_PACKAGE}:build_model_mind",
    "replay": f"{_PACKAGE}:build_model_mind",
    "archetype": f"{_PACKAGE}:build_archetype",
}
_added: dict[str, Callable[[Any], Any]] = {}


def add_mind(name: str, build: Callable[[Any], Any]) -> None:
    """Register a mind of your own, so that the setting `mind` can name it; `build` gets a society.

    Call it where the mind is defined, at the top level of a module: other processes, such as those
    of a sweep, import that module again. A mind registered by the same name is replaced;
    ParameterError if the name is that of a shipped mind.
    """
    if not name.strip() or name in _SHIPPED:
        raise ParameterError(
            f"a mind cannot be registered as {name!r}; choose a name other than "
            f"{', '.join(_SHIPPED)}"
        )
    _added[name] = build


def mind_names() -> tuple[str, ...]:
    """Return the names of all registered minds, the shipped ones first."""
    return (*_SHIPPED, *_added)


def mind_builder(name: str) -> Callable[..., Any]:
    """Return the function that builds the mind of a registered name."""
    if name in _added:
        return _added[name]
    builder: Callable[..., Any] = resolve_name(_SHIPPED[name])
    return builder
