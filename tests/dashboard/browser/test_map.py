"""The map and the network move, can be pointed at, and show the time of the clock."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit, colours

pytestmark = pytest.mark.extras

SAMPLES = 50
SHOWN = """() => {
    const clock = document.querySelector('[data-clock]').innerText;
    const step = Number(clock.match(/step ([\\d,]+)/)[1]);
    const seen = [...document.querySelectorAll('.map-canvas, .chart')].filter(one => {
        const box = one.getBoundingClientRect();
        return box.height && box.top < innerHeight && box.bottom > 0;
    });
    const parts = seen.map(one => [Number(one.dataset.step), Boolean(one.closest('.updating'))]);
    return {step, parts};
}"""
"""Step of the clock; step of each map and chart in sight, and whether it is marked."""
SLOW = """host => {
    const {drawing} = host, {people} = drawing;
    Object.assign(people, {started: performance.now(), lasts: 300_000});
    drawing.request();
}"""
"""Let the moves of this step take minutes."""
MOVING = """host => {
    const {drawing} = host, {people} = drawing;
    const at = [...people.agents].map(agent => drawing.where(agent));
    const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
    const moves = at.map((one, i) => one && one[0] > 60 && one[0] < host.clientWidth - 240
        && Math.hypot(people.toX[i] - people.x[i], people.toY[i] - people.y[i]) > 1
        && at.every((other, j) => !other || j === i || far(other, one) > 12));
    return moves.flatMap((is, i) => is ? [people.agents[i]] : []);
}"""
"""Agents that are moving, away from others."""
CROWD = """(host, count) => {
    const {drawing} = host, {people} = drawing, before = {...people};
    people.set(Array.from({length: count}, (_, i) => before.agents[i % before.agents.length]));
    for (const name of ["zone", "doing", "shown", "fromX", "fromY", "toX", "toY"]) {
        people[name].forEach((_, i, all) => { all[i] = before[name][i % before.agents.length]; });
    }
    drawing.request();
}"""
"""Draw each person of the map many times."""


def where(page: Visit, testid: str, agent: int) -> tuple[float, float]:
    """Position of an agent on the screen."""
    box = page[testid].bounding_box()
    assert box
    x, y = page[testid].evaluate("(host, agent) => host.drawing.where(agent)", agent)
    return box["x"] + x, box["y"] + y


def lonely(page: Visit, testid: str) -> int:
    """An agent without neighbours in the drawing."""
    lone: int = page[testid].evaluate(
        """host => {
            const drawing = host.drawing;
            const agents = [...(drawing.agents ?? drawing.people.agents)];
            const at = agents.map(agent => drawing.where(agent));
            const near = i => Math.min(...at.map((one, j) => !one || j === i ? 1e9
                : Math.hypot(one[0] - at[i][0], one[1] - at[i][1])));
            const inside = one => one && one[0] > 60 && one[0] < host.clientWidth - 240;
            return agents.reduce((best, agent, i) => inside(at[i]) && near(i) > best[1]
                ? [agent, near(i)] : best, [-1, 0])[0];
        }"""
    )
    assert lone > 0
    return lone


def test_a_click_on_a_moving_person_opens_its_life(
    live: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(live).steps(7)  # the morning, when people go to work
    page.drawn("map-1", page.step)
    page.steps(1)["map-1"].evaluate(SLOW)
    page.page.wait_for_timeout(200)
    agent, *_ = page["map-1"].evaluate(MOVING)
    page.page.mouse.click(*where(page, "map-1", agent))
    opened(page, agent)


def test_hovering_shows_name_and_activity(live: Server, visit: Callable[..., Visit]) -> None:
    page = visit(live).steps(1)
    page.drawn("map-1", page.step)
    agent = lonely(page, "map-1")
    page.page.mouse.move(*where(page, "map-1", agent))
    tip = page["map-1"].locator(".mp-tip")
    page.wait(lambda: not tip.inner_text().split("\n")[0].isdecimal(), "no name is shown")
    name, what = tip.inner_text().split("\n")
    assert re.match(r"[a-z ]+, in \w", what), what
    page.tab("citizens")["citizens-search"].fill(str(agent))
    page.wait(lambda: page.text(f"citizen-open-{agent}") == name, f"{name} is not {agent}")


def test_a_large_crowd_is_drawn_as_density(live: Server, visit: Callable[..., Visit]) -> None:
    page = visit(live)
    points = page.drawn("map-1", page.step)
    legend = page["map-1"].locator(".mp-legend")
    assert "density" not in legend.inner_text()
    page["map-1"].evaluate(CROWD, 100_000)
    page.wait(lambda: "density" in legend.inner_text(), "the crowd is drawn as points")
    here = re.match(r"([\d,]+) \w+ here\s+shown as density; zoom in", legend.inner_text())
    assert here, legend.inner_text()
    assert int(here[1].replace(",", "")) > 50_000
    assert page.picture("map-1") != points
    page["map-1"].evaluate(CROWD, 10_000)
    page.wait(lambda: "density" not in legend.inner_text(), "points do not return")


def test_map_charts_and_clock_agree_at_sampled_moments(
    replayed: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(replayed)
    go_to_start(page)
    page.choose("speed", "2 steps per second").click("start")
    moments: list[Any] = []

    def sampled() -> bool:
        moments.append(page.page.evaluate(SHOWN))
        return len(moments) >= SAMPLES and len({one["step"] for one in moments}) > 10

    page.wait(sampled, "the clock does not move")
    assert all(moment["parts"] for moment in moments)
    for moment in moments:
        for step, marked in moment["parts"]:
            assert marked or step == moment["step"], moment
    page.click("pause")
    page.wait(lambda: page.state != "Playing", "it does not pause")
    page.wait(lambda: not page.page.locator(".updating").count(), "a part is never updated")


def test_two_runs_never_show_different_steps(
    runs: Path, serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve("storm", "calm", folder=runs))
    go_to_start(page)
    page.choose("speed", "10 steps per second").click("start")
    for _ in range(SAMPLES):
        both = page.page.evaluate(
            "() => [1, 2].map(n => document.querySelector(`[data-testid=map-${n}]`).dataset.step)"
        )
        assert both[0] == both[1], both
        page.page.wait_for_timeout(20)
    assert int(both[0]) > 3


def test_charts_below_the_fold_are_current_when_scrolled_to(
    replayed: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(replayed, height=600)
    go_to_start(page)
    page.steps(5)
    last = page.page.locator(".chart").last
    testid = last.get_attribute("data-testid") or ""
    last.scroll_into_view_if_needed()
    picture = page.drawn(testid, 5)
    assert colours(picture) > 3
    assert last.get_attribute("data-points") == "5"
    page["slider"].focus()
    page.page.keyboard.press("ArrowLeft")
    page.at(4)
    last.scroll_into_view_if_needed()
    page.drawn(testid, 4)
    assert last.get_attribute("data-points") == "4"


def test_a_replay_moves_every_hour(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed)
    go_to_start(page)
    zones = "host => [...host.drawing.people.zone].join() + [...host.drawing.people.doing].join()"
    seen = []
    for step in range(6, 12):
        page.page.evaluate(
            """step => { const one = document.querySelector('[data-testid=slider]');
                one.value = step; one.dispatchEvent(new Event('input')); }""",
            step,
        )
        page.at(step).drawn("map-1", step)
        seen.append(page["map-1"].evaluate(zones))
    assert len(set(seen)) == len(seen)


def test_zoom_and_options_change_the_map(live: Server, visit: Callable[..., Visit]) -> None:
    page = visit(live)
    pictures = [page.drawn("map-1", page.step)]
    page["map-1"].get_by_role("button", name="Zoom in").click()
    pictures.append(page.picture("map-1"))
    page["map-1"].get_by_role("button", name="Show everything").click()
    for testid, label in (("map-shade", "Current population"), ("map-colour", "Attitude")):
        page.choose(testid, label)
        page.page.wait_for_timeout(300)
        pictures.append(page.picture("map-1"))
    page.click("map-people")
    page.page.wait_for_timeout(300)
    pictures.append(page.picture("map-1"))
    assert len(set(pictures)) == len(pictures)


def test_the_network_is_coloured_and_opens_lives(live: Server, visit: Callable[..., Visit]) -> None:
    page = visit(live).steps(1).tab("network")
    page.drawn("network-1", page.step)
    legend = page["network-1"].locator(".mp-legend").inner_text()
    assert "Attitude" in legend
    assert "ties" in legend
    places = "host => host.drawing.places.join()"
    before = page["network-1"].evaluate(places)
    page.steps(1).drawn("network-1", page.step)
    assert page["network-1"].evaluate(places) == before
    agent = lonely(page, "network-1")
    page.page.mouse.move(*where(page, "network-1", agent))
    tip = page["network-1"].locator(".mp-tip")
    page.wait(lambda: "shown" in tip.inner_text(), "nothing is shown")
    page.page.mouse.click(*where(page, "network-1", agent))
    opened(page, agent)


def opened(page: Visit, agent: int) -> None:
    """Wait until the life of an agent is shown."""
    page.wait(lambda: page.text("citizen-about").endswith(f" {agent}"), f"no life of {agent}")


def go_to_start(page: Visit) -> None:
    """Go to step 0 of a replay."""
    page["slider"].focus()
    page.page.keyboard.press("Home")
    page.at(0)
