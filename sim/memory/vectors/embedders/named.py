"""From the name of an embedder to the embedder."""

from collections.abc import Callable
from functools import cache
from typing import Any

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.vectors.embedders.checked import Embedder

NAMES = ("static", "minilm", "fastembed:MODEL", "openai:MODEL@URL")
"""Embedders by name."""


def embedder_of(given: Any) -> Embedder:
    """Give the embedder of a name, the same object each time, or the object itself.

    Args:
        given: One of `NAMES`, or any object with the method `vectors`.

    Raises:
        UnknownNameError: If there is no embedder of that name.
        ParameterError: If it is neither a name nor has that method.
        ExtraError: If a package is missing; the message says how to install it.
        DataFileError: If a model's file is missing or broken.
    """
    if isinstance(given, str):
        return _named(given)
    if callable(getattr(given, "vectors", None)) and not isinstance(given, type):
        found: Embedder = given
        return found
    raise ParameterError(
        f"an embedder is a name ({', '.join(NAMES)}) or an object with a method "
        f"vectors(texts), given {given!r}"
    )


def check_embedder(given: Any) -> None:
    """Refuse what `embedder_of` would refuse, as far as can be seen without loading a model.

    Raises:
        UnknownNameError: If there is no embedder of that name.
        ParameterError: If it is neither a name nor has the method `vectors`.
        ExtraError: If a package is missing.
    """
    if not isinstance(given, str):
        embedder_of(given)
    elif given != "static":
        _maker(given)


@cache
def _named(name: str) -> Embedder:
    return _maker(name)()


def _maker(name: str) -> Callable[[], Embedder]:
    """What makes the embedder of a name, once its packages are there."""
    kind, _, which = name.partition(":")
    if name == "static":
        from memopolis.sim.memory.vectors.embedders.static import static_table

        return static_table
    if name == "minilm":
        from memopolis.sim.memory.vectors.embedders.minilm import check_minilm, minilm

        check_minilm()
        return minilm
    if kind == "fastembed" and which:
        from memopolis.sim.memory.vectors.embedders.fastembed import FastEmbed, check_fastembed

        check_fastembed()
        return lambda: FastEmbed(which)
    if kind == "openai" and which:
        from memopolis.sim.memory.vectors.embedders.openai import OpenAI, check_openai, parse

        parse(which)
        check_openai()
        return lambda: OpenAI(which)
    raise UnknownNameError(f"no embedder {name!r}; there are: {', '.join(NAMES)}")
