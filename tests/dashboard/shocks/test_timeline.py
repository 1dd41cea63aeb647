"""The timeline that is listed: what has happened, what is to come, and what was sent by hand."""

from tests.dashboard.own_towns import Fair, Town

from memopolis.dashboard.shocks.offers import list_entries, select_shown
from memopolis.sim.timeline import Message, News


def test_the_list_marks_past_and_manual_shocks() -> None:
    town = Town(agents=6, days=2, rng=1)
    town.steer("2026-01-01 01:00", Message((1, 2, 3, 4), "Hello"))
    town.steer("2026-01-01 08:00", News("A fair is coming.", topic="fair", importance=0.9))
    town.steer("2026-01-01 20:00", Fair(("n",), 0.1))
    for _ in range(4):
        town.step()
    result = list_entries(town)
    assert [(one.tick, one.kind, one.past, one.by_hand) for one in result] == [
        (8, "News", False, True),
        (8, "News", False, False),
        (20, "Fair", False, True),
        (1, "Message", True, True),
    ]
    assert result[-1].audience.startswith("to villager (1), villager (2), villager (3) and 1 more")
    assert result[2].audience == "zones n · joy 0.1"
    assert f"{result[0].date:%H:%M}" == "08:00"


def test_a_long_list_is_cut_around_the_current_step() -> None:
    town = Town(agents=6, days=2, rng=1)
    for hour in range(24):
        town.timeline.at(f"2026-01-01 {hour:02}:30", News(f"hour {hour}"))
    town.steer("2026-01-02 20:00", Fair(("n",)))
    for _ in range(12):
        town.step()
    result = list_entries(town)
    few = select_shown(result, most=8)
    assert [one.tick for one in few] == [12, 13, 14, 15, 44, 11, 10, 9, 8]
    assert select_shown(result) == result
