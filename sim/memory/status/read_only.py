"""Read-only lists, sets and dicts, as the status returns them: a change of a copy would be lost.

They equal plain ones, and their operators, copies and pickles are plain ones. So
`person.items += ["shell"]` assigns a new list, while `person.items.append("shell")` is an error.
"""

from typing import Any, ClassVar, NoReturn

from memopolis.sim.errors import StateError

_ATOMS = frozenset((int, str, float, bool, type(None)))


class _ReadOnly:
    """Base of the read-only classes; `name` is the attribute that the value was read from."""

    __slots__ = ()
    plain: ClassVar[type]
    name: str

    def __reduce__(self) -> tuple[object, ...]:
        return self.plain, (self.plain(self),)


def _refuse(self: _ReadOnly, *_: object, **__: object) -> NoReturn:
    raise StateError(
        f"{self.name!r} is a copy, so this change would be lost; assign a new value, or add to "
        f"the old one with status.update({self.name!r}, ..., mode='merge')"
    )


class ReadOnlyList(_ReadOnly, list[Any]):
    """A list that cannot be changed."""

    __slots__ = ("name",)
    plain = list
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = _refuse
    __iadd__ = list.__add__  # type: ignore[assignment]
    __imul__ = list.__mul__  # type: ignore[assignment]


class ReadOnlySet(_ReadOnly, set[Any]):
    """A set that cannot be changed."""

    __slots__ = ("name",)
    plain = set
    add = update = pop = remove = discard = clear = _refuse
    difference_update = intersection_update = symmetric_difference_update = _refuse
    __ior__ = set.__or__  # type: ignore[assignment]
    __iand__ = set.__and__  # type: ignore[assignment]
    __isub__ = set.__sub__  # type: ignore[assignment]
    __ixor__ = set.__xor__  # type: ignore[assignment]


class ReadOnlyDict(_ReadOnly, dict[Any, Any]):
    """A dict that cannot be changed, whose values are read-only, too."""

    __slots__ = ("name",)
    plain = dict
    update = pop = popitem = setdefault = clear = _refuse
    __setitem__ = __delitem__ = _refuse
    __ior__ = dict.__or__  # type: ignore[assignment]


def read_only(value: object, name: str) -> object:
    """Return a read-only copy of a list, set or dict and all that it contains; others unchanged."""
    copy: ReadOnlyList | ReadOnlySet | ReadOnlyDict
    if type(value) is list:
        atoms = _ATOMS.issuperset(map(type, value))
        copy = ReadOnlyList(value if atoms else [read_only(item, name) for item in value])
    elif type(value) is dict:
        atoms = _ATOMS.issuperset(map(type, value.values()))
        copy = ReadOnlyDict(
            value if atoms else {key: read_only(item, name) for key, item in value.items()}
        )
    elif type(value) is set:
        copy = ReadOnlySet(value)
    else:
        return value
    copy.name = name
    return copy
