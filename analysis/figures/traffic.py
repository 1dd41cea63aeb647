"""Figure of an evacuation on the roads: vehicles on the way out, and those that have left."""

from matplotlib.figure import Figure

from memopolis.analysis.facts.clearing import MEASURE, describe_clearance
from memopolis.analysis.figures.lines import Panel
from memopolis.analysis.figures.over_time import draw_over_time
from memopolis.analysis.run.run import Run

ON_THE_ROAD = "vehicles_on_the_road"  # measure of the vehicles on the way out


def roads_out(run: Run) -> Figure:
    """Draw vehicles on the way out over time, and those that have left by road."""
    people = float(run.facts["people_per_agent"]) / 1_000
    roads = [road for road in run.groups(MEASURE) if road]
    left = {road: people * run.measure(MEASURE, road).fillna(0) for road in roads}
    cleared = describe_clearance(run)
    return draw_over_time(
        run,
        "Vehicles on the way out of the region",
        "Thousands of vehicles, scaled to the population" + (f"; {cleared}" if cleared else ""),
        Panel({"": people * run.measure(ON_THE_ROAD)}, "On the way, at the end of the hour"),
        Panel(left, "Left so far, by road"),
    )
