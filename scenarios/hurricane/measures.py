"""Measures of the scenario."""

from memopolis.sim.measures import Measure

MEASURES = (
    Measure(
        "evacuated_share",
        "evacuated",
        "Share of citizens who have left because of the storm, by order in their zone",
        unit="share",
        group="order_zone",
        chart="Evacuated share",
    ),
    Measure(
        "away_share",
        "away",
        "Share of citizens outside the region, by order in their zone",
        unit="share",
        group="order_zone",
        chart="Away because of the storm",
    ),
    Measure(
        "evacuated_by_band",
        "evacuated",
        "Share of citizens who have left, by surge band",
        unit="share",
        group="surge_band",
    ),
    Measure(
        "evacuated_by_housing",
        "evacuated",
        "Share of citizens who have left, by whether they live in a mobile home",
        unit="share",
        group="mobile_home",
    ),
    Measure(
        "departures",
        "leaving",
        "Citizens leaving in the step",
        of="sum",
        unit="people",
        chart="Departures",
    ),
    Measure(
        "trips",
        "trips",
        "Trips within the region in the step",
        of="sum",
        unit="trips",
        chart="Trips",
    ),
    Measure(
        "store_visits",
        "buying",
        "Citizens at a store or filling station",
        of="sum",
        unit="visits",
        chart="Visits to stores and filling stations",
    ),
    Measure("fear", "emotion.fear", "Mean intensity of fear", unit="0-10", chart="Emotions"),
    Measure("joy", "emotion.joy", "Mean intensity of joy", unit="0-10", chart="Emotions"),
    Measure("anger", "emotion.anger", "Mean intensity of anger", unit="0-10", chart="Emotions"),
    Measure(
        "sadness", "emotion.sadness", "Mean intensity of sadness", unit="0-10", chart="Emotions"
    ),
    Measure(
        "government_trust",
        "attitude.government_trust",
        "Mean trust in the government",
        unit="0-10",
        chart="Attitudes",
    ),
    Measure(
        "emergency_preparedness",
        "attitude.emergency_preparedness",
        "Mean attitude to emergency preparedness",
        unit="0-10",
        chart="Attitudes",
    ),
    Measure(
        "threat", "threat", "Mean threat perceived at the last decision", chart="Perceived threat"
    ),
    Measure("prepared_share", "prepared", "Share of citizens who prepared", unit="share"),
    Measure("spent", "spent", "Money spent in shops in the step", of="sum", unit="cents"),
    Measure(
        "open_stores",
        "open",
        "Share of stores that are open",
        unit="share",
        population="firm",
        chart="Open stores",
    ),
    Measure(
        "stock",
        "inventory",
        "Baskets in stock, mean of the stores",
        unit="baskets",
        population="firm",
        chart="Stock of stores",
    ),
    Measure(
        "turned_away",
        "turned_away",
        "Customers of the step who found nothing in stock",
        of="sum",
        unit="people",
        population="firm",
    ),
    Measure(
        "considered_order",
        "order",
        "Strictest order that the government considers right: 0 none, 1 voluntary, 2 mandatory",
        population="government",
    ),
    Measure(
        "shelters_open",
        "shelters",
        "Whether public shelters are open",
        unit="share",
        population="government",
    ),
)
