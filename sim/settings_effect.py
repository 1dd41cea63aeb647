"""Refuse a setting that was changed although another setting keeps it from acting."""

from collections.abc import Iterator

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from memopolis.sim.settings_text import needed_by, typed


def check_effect(settings: BaseModel) -> None:
    """Refuse settings that differ from the scenario's defaults and cannot act.

    A default without effect is allowed, since the user did not choose it.

    Args:
        settings: All settings of a scenario.

    Raises:
        ValueError: If a changed setting cannot act; the message says what to do.
    """
    for key, value, default, group, field in _changed(settings, None, ""):
        for other, allowed in needed_by(field).items():
            actual = _value(group, other)
            if str(actual) not in allowed:
                name = key[: key.rfind(".") + 1] + other
                raise ValueError(
                    f"setting {key} was given {typed(value)}, but has no effect with "
                    f"{name}={actual}; leave it at {typed(default)}, or set {name} to "
                    f"{' or '.join(allowed)}"
                )


def _changed(
    group: BaseModel, defaults: BaseModel | None, prefix: str
) -> Iterator[tuple[str, object, object, BaseModel, FieldInfo]]:
    """Yield key, value, default, group and field of each setting that was changed."""
    for name, field in type(group).model_fields.items():
        value = getattr(group, name)
        default = field.default if defaults is None else getattr(defaults, name, field.default)
        if isinstance(value, BaseModel):
            nested = default if isinstance(default, BaseModel) else None
            yield from _changed(value, nested, f"{prefix}{name}.")
        elif value != default:
            yield f"{prefix}{name}", value, default, group, field


def _value(group: BaseModel, key: str) -> object:
    value: object = group
    for part in key.split("."):
        value = getattr(value, part)
    return value
