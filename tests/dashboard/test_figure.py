"""Figures of the page: each drawn once for all, and not kept for good."""

import asyncio
import gc
from typing import Any

import pytest
from matplotlib.figure import Figure

from memopolis.analysis.run.run import Run

pytestmark = pytest.mark.extras


class Artist:
    """Draws an empty figure, and counts."""

    def __init__(self) -> None:
        self.drawn: list[Run] = []

    def __call__(self, run: Run) -> Figure:
        self.drawn.append(run)
        return Figure(figsize=(1, 1))


def a_run() -> Run:
    return Run.__new__(Run)


def gallery() -> Any:
    from memopolis.dashboard.figure import Gallery

    return Gallery()


def test_a_figure_is_drawn_once_for_all_visitors() -> None:
    shown, artist, run = gallery(), Artist(), a_run()

    async def look() -> list[Any]:
        looks = [shown.drawn(lambda: run, "map", artist, lambda _: "a map") for _ in range(3)]
        return [*await asyncio.gather(*looks), await shown.drawn(lambda: None, "map", artist, str)]

    *result, nothing = asyncio.run(look())
    assert len(artist.drawn) == 1
    assert result[0] == result[1] == result[2]
    assert result[0].alt == "a map"
    assert shown.image(result[0].address).startswith(b"\x89PNG")
    assert nothing is None


def test_only_the_latest_requested_step_is_drawn() -> None:
    shown, artist = gallery(), Artist()
    moments = [a_run()]

    async def look() -> None:
        first = asyncio.create_task(shown.drawn(lambda: moments[-1], "a", artist, repr_of))
        later = asyncio.create_task(shown.drawn(lambda: moments[-1], "b", artist, repr_of))
        await first
        moments.append(a_run())
        await later

    def repr_of(_run: Run) -> str:
        # While the first is drawn, time goes on.
        moments.append(a_run())
        return ""

    asyncio.run(look())
    assert artist.drawn[0] is moments[0]
    assert artist.drawn[1] is not moments[0]


def test_the_number_of_cached_pictures_is_limited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from memopolis.dashboard import figure

    shown, artist, runs = gallery(), Artist(), [a_run()]

    async def look(key: str) -> Any:
        return await shown.drawn(lambda: runs[0], key, artist, lambda _: "")

    async def look_at_many() -> Any:
        first = await look("first")
        monkeypatch.setattr(figure, "_MOST_BYTES", 4 * len(shown.image(first.address)))
        number = 0
        while shown.image(first.address) is not None:
            await look(str(number := number + 1))
        return await look("first")

    again = asyncio.run(look_at_many())
    assert shown.image(again.address) is not None
    assert 1 < len(shown._images) < len(artist.drawn)
    assert sum(map(len, shown._images.values())) <= figure._MOST_BYTES
    runs.clear()
    artist.drawn.clear()
    gc.collect()
    assert len(shown._of_run) == 0


def test_errors_of_a_figure_are_reported_and_the_next_one_is_drawn() -> None:
    shown, artist, run = gallery(), Artist(), a_run()

    def fail(_run: Run) -> Figure:
        raise ValueError("no paint")

    async def look() -> Any:
        with pytest.raises(ValueError, match="no paint"):
            await shown.drawn(lambda: run, "bad", fail, lambda _: "")
        return await shown.drawn(lambda: run, "good", artist, lambda _: "fine")

    assert asyncio.run(look()).alt == "fine"
