"""Measures of the scenario."""

from memopolis.sim.measures import Measure

MEASURES = (
    Measure(
        "evacuated_share",
        "evacuated",
        group="order_zone",
        chart="Evacuated share",
        description="Share of citizens who have left because of the storm, by order in their zone",
    ),
    Measure(
        "away_share",
        "away",
        group="order_zone",
        chart="Away because of the storm",
        description="Share of citizens outside the region, by order in their zone",
    ),
    Measure(
        "evacuated_by_band",
        "evacuated",
        group="surge_band",
        description="Share of citizens who have left, by surge band",
    ),
    Measure(
        "evacuated_by_housing",
        "evacuated",
        group="mobile_home",
        description="Share of citizens who have left, by whether they live in a mobile home",
    ),
    Measure(
        "departures",
        "leaving",
        of="sum",
        unit="people",
        chart="Departures",
        description="Citizens leaving in the step",
    ),
    Measure(
        "trips",
        "trips",
        of="sum",
        unit="trips",
        chart="Trips",
        description="Trips within the region in the step",
    ),
    Measure(
        "store_visits",
        "buying",
        of="sum",
        unit="visits",
        chart="Visits to stores and filling stations",
        description="Citizens at a store or filling station",
    ),
    Measure(
        "fear", "emotion.fear", unit="0-10", chart="Emotions", description="Mean intensity of fear"
    ),
    Measure(
        "joy", "emotion.joy", unit="0-10", chart="Emotions", description="Mean intensity of joy"
    ),
    Measure(
        "anger",
        "emotion.anger",
        unit="0-10",
        chart="Emotions",
        description="Mean intensity of anger",
    ),
    Measure(
        "sadness",
        "emotion.sadness",
        unit="0-10",
        chart="Emotions",
        description="Mean intensity of sadness",
    ),
    Measure(
        "government_trust",
        "attitude.government_trust",
        unit="0-10",
        chart="Attitudes",
        description="Mean trust in the government",
    ),
    Measure(
        "emergency_preparedness",
        "attitude.emergency_preparedness",
        unit="0-10",
        chart="Attitudes",
        description="Mean attitude to emergency preparedness",
    ),
    Measure(
        "threat",
        "threat",
        chart="Perceived threat",
        description="Mean threat perceived at the last decision",
    ),
    Measure("prepared_share", "prepared", description="Share of citizens who prepared"),
    Measure(
        "spent", "spent", of="sum", unit="cents", description="Money spent in shops in the step"
    ),
)
