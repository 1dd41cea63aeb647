"""Profile and current status of a citizen."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from memopolis.dashboard.elements import error_line, show_line
from memopolis.dashboard.life.attribute_words import AttributeText, describe_attributes
from memopolis.dashboard.life.components import Part, section, side_by_side
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.sim.memory.status.schema import REFERENCES

if TYPE_CHECKING:
    from memopolis.dashboard.viewer import Viewer


class Profile:
    """Profile and status of the citizen in each run."""

    def __init__(self, viewer: "Viewer") -> None:
        with section("Profile", "profile"):
            self._sides = side_by_side(
                viewer, lambda number: (error_line(), Part(f"profile-{number}"))
            )
        with section("Current status", "status"):
            self._now = side_by_side(viewer, lambda number: Part(f"status-{number}"))

    def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Show the profile and the latest status."""
        for one, (line, part), now in zip(opened, self._sides, self._now, strict=True):
            show_line(line, one.error)
            profile = _profile(one)
            part.show(profile, partial(_facts, profile))
            when, status = _status(one)
            now.show((when, status), partial(_status_now, when, status))


def _profile(one: OpenedAgent) -> tuple[AttributeText, ...]:
    if one.life is None:
        return ()
    declared = _declared(one)
    known = {name: value for name, value in one.life.profile.items() if name != "name"}
    # Attributes of a group, such as emotions, belong to the status even if they never changed.
    single = {name: value for name, value in known.items() if "." not in name}
    shown = {name: single[name] for name in single if not _inner(declared.get(name, {}))}
    return tuple(describe_attributes(shown, declared))


def _status(one: OpenedAgent) -> tuple[str, tuple[AttributeText, ...]]:
    """Return when the status was recorded, as a sentence, and the status."""
    if one.life is None or one.life.status.empty:
        return "", ()
    (last,) = one.life.status.tail(1).to_dict("records")
    values = {str(name): value for name, value in last.items()}
    values |= {name: value for name, value in one.life.profile.items() if "." in name}
    declared = _declared(one)
    ordered = {name: values[name] for name in [*declared, *values] if name in values}
    shown = {n: v for n, v in ordered.items() if not _inner(declared.get(n, {}))}
    return _recorded(one), tuple(describe_attributes(shown, declared))


def _inner(facts: Mapping[str, object]) -> bool:
    """Return whether an attribute is an internal reference."""
    return facts.get("role") in REFERENCES


def _recorded(one: OpenedAgent) -> str:
    when = one.required_life.status.index[-1]
    gone = "" if one.is_present else ". The agent has since died or left"
    return f"Recorded in the step of {when:%a %d %b %Y %H:%M}{gone}."


def _declared(one: OpenedAgent) -> dict[str, dict[str, object]]:
    return one.run.attributes(one.required_life.population)


def _status_now(when: str, attributes: Sequence[AttributeText]) -> None:
    ui.label(when or "No changing attribute has been recorded yet.").classes("quiet")
    _facts(attributes)


def _facts(attributes: Sequence[AttributeText]) -> None:
    if not attributes:
        return
    if any(one.is_need for one in attributes):
        ui.label("Needs such as hunger: 1 is fully satisfied, 0 not at all.").classes("quiet")
    with ui.element("dl").classes("facts"):
        for one in attributes:
            with ui.element("div") as pair:
                pair.props["title"] = one.meaning
                TextElement(tag="dt", text=one.label)
                TextElement(tag="dd", text=one.value).props("dir=auto")
