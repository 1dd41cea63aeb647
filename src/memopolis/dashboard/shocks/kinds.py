"""Find the kinds of shocks that a society reacts to."""

from collections.abc import Iterable, Iterator
from inspect import getdoc
from types import CodeType, FunctionType
from typing import Any

from memopolis.sim.block import Block
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, News, Order, Policy, Shock

USUAL: tuple[type[Shock], ...] = (News, Order, Policy, Message)
"""Kinds of shocks of the core."""
_NAMES = {News: "on_air", Policy: "policies"}
"""Name by which code refers to a kind, if it is not the class name."""
_ONLY_SCHEDULED = {"__init__", "build", "check_shock"}
"""Methods that mention kinds without reacting to them."""


def kinds_of(society: Society[Any]) -> list[type[Shock]]:
    """Return the kinds of shocks that a society reacts to, the scenario's own last.

    A kind counts where code of the society or of one of its blocks names it; News where a block
    asks what is on air. Messages reach everybody everywhere.
    """
    names = _names_in(society)
    others = (kind for kind in Shock.kinds.values() if kind not in USUAL)
    return [kind for kind in (*USUAL, *others) if _acts(society, kind, names)]


def missing_kinds(society: Society[Any]) -> list[type[Shock]]:
    """Return the core kinds that nothing in a society reacts to."""
    offered = kinds_of(society)
    return [kind for kind in USUAL if kind not in offered]


def describe_kind(kind: type[Shock]) -> str:
    """Describe a kind of shock in one line."""
    return (getdoc(kind) or kind.__name__).splitlines()[0]


def _acts(society: Society[Any], kind: type[Shock], names: set[str]) -> bool:
    if kind is Message:
        return bool(society.populations)
    if kind is Policy and society.rules:
        return True
    return _NAMES.get(kind, kind.__name__) in names


def _names_in(society: Society[Any]) -> set[str]:
    """Return all names in the code of a society and its blocks."""
    blocks = [type(block) for population in society.populations for block in population.blocks]
    classes = {
        *_above(type(society), Society),
        *(cls for block in blocks for cls in _above(block, Block)),
        *(type(part) for part in society.world),
    }
    codes = (code for cls in classes for code in _codes_of(cls))
    return {name for code in codes for name in _names(code)}


def _above(cls: type, base: type) -> Iterator[type]:
    """Return a class and its bases, up to a common base."""
    return (one for one in cls.__mro__ if issubclass(one, base) and one is not base)


def _codes_of(cls: type) -> Iterator[CodeType]:
    for name, value in vars(cls).items():
        method = getattr(value, "__func__", value)
        if isinstance(method, FunctionType) and name not in _ONLY_SCHEDULED:
            yield method.__code__


def _names(code: CodeType) -> Iterable[str]:
    yield from (*code.co_names, *code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
