"""Who somebody is and how it fares, as far as it was recorded."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from memopolis.dashboard.elements import line_box, tell
from memopolis.dashboard.life.attribute_words import AttributeTold, attributes_told
from memopolis.dashboard.life.opened import Opened
from memopolis.dashboard.life.pieces import Part
from memopolis.dashboard.life.sections import section, side_by_side

if TYPE_CHECKING:
    from memopolis.dashboard.viewer import Viewer


class Profile:
    """Profile and status of the citizen in each run.

    Args:
        viewer: The visitor.
    """

    def __init__(self, viewer: "Viewer") -> None:
        with section("Who it is", "profile"):
            self._sides = []
            for number, place in enumerate(side_by_side(viewer), 1):
                with place:
                    self._sides.append((line_box(), Part(f"profile-{number}")))
        with section("Status now", "status"):
            self._now = []
            for number, place in enumerate(side_by_side(viewer), 1):
                with place:
                    self._now.append(Part(f"status-{number}"))

    def show(self, opened: Sequence[Opened]) -> None:
        """Show what stands now."""
        for one, (line, part), now in zip(opened, self._sides, self._now, strict=True):
            tell(line, one.refused)
            told = _profile(one)
            part.show(told, partial(_facts, told))
            when, status = _status(one)
            now.show((when, status), partial(_status_now, when, status))


def _profile(one: Opened) -> tuple[AttributeTold, ...]:
    if one.life is None:
        return ()
    declared = _declared(one)
    known = {name: value for name, value in one.life.profile.items() if name != "name"}
    # What belongs to a group, such as an emotion, is a state also where it never changed.
    single = {name: value for name, value in known.items() if "." not in name}
    shown = {name: single[name] for name in single if not _inner(declared.get(name, {}))}
    return tuple(attributes_told(shown, declared))


def _status(one: Opened) -> tuple[str, tuple[AttributeTold, ...]]:
    """When it was recorded, in words, and what."""
    if one.life is None or one.life.status.empty:
        return "", ()
    (last,) = one.life.status.tail(1).to_dict("records")
    values = {str(name): value for name, value in last.items()}
    values |= {name: value for name, value in one.life.profile.items() if "." in name}
    declared = _declared(one)
    ordered = {name: values[name] for name in [*declared, *values] if name in values}
    shown = {n: v for n, v in ordered.items() if not _inner(declared.get(n, {}))}
    return _recorded(one), tuple(attributes_told(shown, declared))


def _inner(facts: Mapping[str, object]) -> bool:
    """Whether an attribute is a number that only tables can follow."""
    return str(facts.get("description") or "").startswith(("Id of ", "Row of "))


def _recorded(one: Opened) -> str:
    when = one.known.status.index[-1]
    gone = "" if one.there else ". It is not there any more: it died or left"
    return f"Recorded in the step of {when:%a %d %b %Y %H:%M}{gone}."


def _declared(one: Opened) -> dict[str, dict[str, object]]:
    return one.run.attributes(one.known.population)


def _status_now(when: str, told: Sequence[AttributeTold]) -> None:
    ui.label(when or "Nothing that changes was recorded yet.").classes("quiet")
    _facts(told)


def _facts(told: Sequence[AttributeTold]) -> None:
    if not told:
        return
    if any(one.meaning.startswith("Satisfaction of ") for one in told):
        ui.label("Of a need, such as hunger, 1 is fully satisfied, 0 not at all.").classes("quiet")
    with ui.element("dl").classes("facts"):
        for one in told:
            with ui.element("div") as pair:
                pair.props["title"] = one.meaning
                TextElement(tag="dt", text=one.label)
                TextElement(tag="dd", text=one.value).props("dir=auto")
