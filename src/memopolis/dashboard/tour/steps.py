"""The steps of the tour: an element of the page, and what it is for."""

from collections.abc import Collection
from dataclasses import asdict, dataclass

from memopolis.analysis.labels import a_step, plural
from memopolis.dashboard.viewer import Viewer


@dataclass(frozen=True)
class TourStep:
    """A step of the tour."""

    # data-testid of the element that it points at; a step without one on the page is left out
    target: str
    title: str  # heading
    text: str  # explanation
    tab: str = ""  # name of the tab of the element, "" if it is in the header


def tour_steps(viewer: Viewer, tabs: Collection[str]) -> list[dict[str, str]]:
    """Return the steps for the tabs of a page, as plain values for the browser."""
    run = viewer.runs[0]
    people = plural(run.populations[0]) if run.populations else "agents"
    length = a_step(run.hours)
    steps = [
        TourStep(
            "title",
            "A society that remembers",
            f"This page shows one run: its {people} remember what happens to them, talk, and "
            f"decide from what they remember. A step is {length}.",
        ),
        *(_LIVE if viewer.live is not None else _REPLAY),
        TourStep(
            "clock",
            "The clock",
            "The date and the step. Map, lines and charts below show this moment.",
        ),
        TourStep(
            "map-panel",
            "The map",
            "Where people are, and what moves. The drop-down list shades the zones by another "
            "attribute.",
            "map",
        ),
        TourStep(
            "feed",
            "What happens",
            "Decisions, changes of attitude, thoughts, speech, news and orders, the newest first. "
            "Filter by kind, person or place; click a name to open that person's life.",
            "map",
        ),
        TourStep(
            "charts", "Charts", "The measures of the scenario, from the first step to now.", "map"
        ),
        TourStep(
            "network-panel",
            "The network",
            "Ties between people, coloured by an attitude.",
            "network",
        ),
        TourStep(
            "citizens",
            "All agents",
            "Search, filter and sort. A click on a name opens its life: status, memories, "
            "thoughts, decisions and the memories they are based on.",
            "citizens",
        ),
        TourStep(
            "ask-group",
            "Ask people",
            "Put a question to a sample of people. A life has a field for questions to one person. "
            "Questions and answers are kept with the run.",
            "ask",
        ),
        TourStep(
            "shocks",
            "Send a message",
            "News, orders, policies and messages into the run. The panel below then shows who "
            "received it, who passed it on, and what differs from the run without it.",
            "shocks",
        ),
        TourStep(
            "settings",
            "Settings",
            "Everything that can be set, with its meaning and range. Changes apply at the next "
            "Reset.",
            "settings",
        ),
    ]
    return [asdict(one) for one in steps if not one.tab or one.tab in tabs]


_LIVE = (
    TourStep(
        "start",
        "Start and pause",
        "Start runs the society, and Pause stops it after the current step. The speed is next to "
        "it.",
    ),
    TourStep("step", "One step", "Step runs a single step, to look at it closely."),
)
_REPLAY = (
    TourStep(
        "start", "Play and pause", "Start plays the run from this moment at the speed next to it."
    ),
    TourStep(
        "slider", "Any moment", "Drag the slider, or use the arrow keys, to go to another step."
    ),
)
