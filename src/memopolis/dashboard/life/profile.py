"""Profile and current status of a citizen."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from memopolis.analysis.labels import format_moment
from memopolis.dashboard.elements import error_line, note, show_line
from memopolis.dashboard.life.components import Part
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.life.words import AttributeText, describe_attributes
from memopolis.sim.memory.status.schema import REFERENCES

_START = "At the start, before the first step."


def show_profile(part: Part, one: OpenedAgent) -> None:
    """Show the attributes that do not change, or why there are none."""
    facts: list[AttributeText] = []
    if one.life is not None:
        # Attributes of a group, such as emotions, belong to the status even if they never changed.
        profile = one.life.profile.items()
        facts = _describe(one, {n: v for n, v in profile if n != "name" and "." not in n})
    part.show((one.error, *facts), partial(_build_profile, one.error, facts))


def show_status(part: Part, one: OpenedAgent) -> None:
    """Show the latest record of the attributes that change, in the order of the declarations."""
    life, facts = one.life, list[AttributeText]()
    when = "" if life is None else "No changing attribute is recorded in this run."
    if life is not None and not life.status.empty:
        gone = "" if one.is_present else ". The agent has since died or left"
        recorded = format_moment(life.status.index[-1], one.run.hours)
        is_start = one.run.agent_rows(one.agent)["tick"].iloc[-1] < 0
        when = _START if is_start else f"Recorded in the step of {recorded}{gone}."
        (last,) = life.status.tail(1).to_dict("records")
        values: dict[str, Any] = {str(name): value for name, value in last.items()}
        values |= {name: value for name, value in life.profile.items() if "." in name}
        declared = one.run.attributes(life.population)
        facts = _describe(one, {n: values[n] for n in [*declared, *values] if n in values})
    part.show((when, *facts), partial(_build_status, when, facts))


def _describe(one: OpenedAgent, values: Mapping[str, Any]) -> list[AttributeText]:
    """Format attributes, without internal references."""
    declared = one.run.attributes(one.required_life.population)
    is_inner = {name: declared.get(name, {}).get("role") in REFERENCES for name in values}
    return describe_attributes({n: v for n, v in values.items() if not is_inner[n]}, declared)


def _build_profile(error: str, facts: Sequence[AttributeText]) -> None:
    show_line(error_line(), error)
    _build_facts(facts)


def _build_status(when: str, facts: Sequence[AttributeText]) -> None:
    note(when)
    _build_facts(facts)


def _build_facts(facts: Sequence[AttributeText]) -> None:
    if not facts:
        return
    if any(one.is_need for one in facts):
        note("Needs such as hunger: 100% is fully satisfied, 0% not at all.")
    with ui.element("dl").classes("facts"):
        for one in facts:
            with ui.element("div") as pair:
                pair.props["title"] = one.meaning
                TextElement(tag="dt", text=one.label)
                TextElement(tag="dd", text=one.value).props("dir=auto")
