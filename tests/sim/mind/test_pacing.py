"""When requests leave."""

import asyncio

import pytest

from memopolis.sim.mind.chat_request import MOST_HELD, Pace, asked_to_wait, pause


def test_a_pause_doubles_up_to_eight_seconds_and_is_jittered_down_to_half() -> None:
    for tries, full in ((1, 0.5), (2, 1.0), (3, 2.0), (4, 4.0), (5, 8.0), (9, 8.0)):
        pauses = [pause(f"call {number}", tries) for number in range(200)]
        assert full / 2 <= min(pauses) < 0.52 * full
        assert 0.98 * full < max(pauses) < full


def test_a_pause_is_the_same_for_the_same_call_and_try() -> None:
    assert pause("a", 1) == pause("a", 1)
    assert pause("a", 1) != pause("b", 1)
    assert pause("a", 6) != pause("a", 7)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("2", 2.0), ("0.25", 0.25), ("-3", 0.0), ("9999", MOST_HELD), ("inf", MOST_HELD),
        ("nan", None), (None, None), ("", None), ("Wed, 21 Oct 2015 07:28:00 GMT", None),
    ],
)  # fmt: skip
def test_a_server_may_name_a_wait_of_at_most_a_minute(
    header: str | None, seconds: float | None
) -> None:
    assert asked_to_wait(header) == seconds


def times(pace: Pace, requests: int, *, held: float = 0.0) -> list[float]:
    """When each request leaves, seconds from the start."""

    async def leave() -> list[float]:
        clock = asyncio.get_running_loop().time
        start = clock()
        if held:
            pace.hold(held)

        async def one() -> float:
            await pace.turn()
            return clock() - start

        return await asyncio.gather(*(one() for _ in range(requests)))

    return asyncio.run(leave())


def test_a_rate_spaces_requests_evenly() -> None:
    left = times(Pace(1_200), 5)  # one in 0.05 s
    assert all(at >= 0.05 * number - 0.001 for number, at in enumerate(left))
    assert left == sorted(left)


def test_without_a_rate_limit_no_call_waits() -> None:
    assert max(times(Pace(None), 100)) < 0.5


def test_a_hold_stops_everyone() -> None:
    assert min(times(Pace(None), 3, held=0.1)) >= 0.099
