"""The order of a feed, its cut, and who is unfollowed."""

from typing import Any

import numpy as np
import pytest

from memopolis.scenarios.polarization.ranking import (
    FOLLOWED,
    NEAREST,
    OUTLET,
    RECOMMENDED,
    draw_follows,
    draw_least_preferred,
    log_preference,
    remove_like_minded,
)
from memopolis.scenarios.polarization.ranking_kernels import rank
from memopolis.sim.chance import Chance

PEOPLE, OUTLETS, SLOTS, RECOMMENDATIONS, TICK = 40, 3, 5, 6, 7


def test_preference_falls_as_a_power_of_distance() -> None:
    own = np.array([[0.5]])
    stance = np.array([[0.5, 0.6, 0.0, -0.5]])
    got = np.exp(log_preference(own, stance, strength=2.0))
    assert got[0] == pytest.approx([NEAREST**-2, 0.1**-2, 0.5**-2, 1.0], rel=1e-4)
    assert not log_preference(own, stance, strength=0.0).any()


def feed(strength: float, reach: float = 0.6, most: int = 4) -> dict[str, Any]:
    """A feed of some people by the compiled pass, and what went into it."""
    rng = np.random.default_rng(3)
    chance = Chance(1)
    rows = np.arange(PEOPLE)
    follows = draw_follows(np.full(PEOPLE, 0.5), SLOTS, chance)
    follows[3, 2] = -1
    present = np.append(rng.random(PEOPLE) < 0.5, [True] * OUTLETS)
    what: dict[str, Any] = {
        "rows": rows,
        "follows": follows,
        "active": np.flatnonzero(present[:PEOPLE]),
        "start": rng.integers(0, present[:PEOPLE].sum(), PEOPLE),
        "there": present,
        "topic": rng.integers(0, 2, PEOPLE + OUTLETS).astype(np.int8),
        "stance": rng.uniform(-1, 1, PEOPLE + OUTLETS).astype(np.float32),
        "held": rng.uniform(-1, 1, (PEOPLE, 2)).astype(np.float32),
        "authors": np.empty((PEOPLE, most), np.int32),
        "kinds": np.zeros((PEOPLE, most), np.int8),
        "outlet": rng.integers(-1, OUTLETS, PEOPLE).astype(np.int32),
    }
    rank(
        what["rows"], follows, what["outlet"], what["active"], what["start"], RECOMMENDATIONS,
        reach, present,
        what["topic"], what["stance"], what["held"], strength, NEAREST,
        chance.key("rank"), chance.key("reach"), TICK, what["authors"], what["kinds"],
    )  # fmt: skip
    return what


def by_hand(what: dict[str, Any], row: int, strength: float, reach: float) -> list[Any]:
    """All candidates of one reader, best first, reckoned one by one."""
    chance = Chance(1)
    followed = what["follows"][row].tolist()
    active = what["active"]
    ring = [active[(what["start"][row] + n) % len(active)] for n in range(RECOMMENDATIONS)]
    some = [(a, FOLLOWED, n) for n, a in enumerate(followed) if a >= 0 and what["there"][a]]
    some += [
        (a, RECOMMENDED, SLOTS + n) for n, a in enumerate(ring) if a != row and a not in followed
    ]
    some += [
        (PEOPLE + n, OUTLET, SLOTS + RECOMMENDATIONS + n)
        for n in range(OUTLETS)
        if n == what["outlet"][row] or chance.uniform("reach", [row], TICK, n)[0] < reach
    ]
    scored = []
    for author, kind, number in some:
        apart = abs(what["stance"][author] - what["held"][row, what["topic"][author]])
        noise = -np.log(-np.log(chance.uniform("rank", [row], TICK, number)[0]))
        liked = noise - strength * np.log(max(apart, NEAREST))
        followed_outlet = author - PEOPLE == what["outlet"][row]
        scored.append((np.inf if followed_outlet else liked, author, kind))
    return [(author, kind) for _, author, kind in sorted(scored, reverse=True)]


@pytest.mark.parametrize("strength", [0.0, 1.5])
def test_the_compiled_ranking_equals_a_slow_implementation(strength: float) -> None:
    what = feed(strength)
    for row in range(PEOPLE):
        expected = by_hand(what, row, strength, 0.6)[:4]
        shown = what["authors"][row] >= 0
        got = zip(what["authors"][row][shown], what["kinds"][row][shown], strict=True)
        assert list(got) == expected


def test_a_followed_outlet_is_shown_first_and_others_by_reach() -> None:
    what = feed(1.0, reach=0.0)
    follows = what["outlet"] >= 0
    assert follows.any()
    assert not follows.all()
    assert (what["authors"][follows, 0] == PEOPLE + what["outlet"][follows]).all()
    assert not (what["kinds"][~follows] == OUTLET).any()
    assert ((what["kinds"] == OUTLET).sum(axis=1) == follows).all()


def test_a_selective_feed_shows_near_messages() -> None:
    def distance(strength: float) -> float:
        what = feed(strength)
        shown = what["authors"] >= 0
        author = what["authors"][shown]
        reader = np.nonzero(shown)[0]
        own = what["held"][reader, what["topic"][author]]
        return float(np.abs(what["stance"][author] - own).mean())

    assert distance(10.0) < 0.7 * distance(0.0)


def test_no_message_is_shown_twice_or_to_its_author() -> None:
    what = feed(1.0, reach=1.0, most=14)
    for row, authors in enumerate(what["authors"]):
        shown = authors[authors >= 0]
        assert len(np.unique(shown)) == len(shown)
        assert row not in shown
        assert what["there"][shown].all()


def test_a_cut_replaces_like_minded_messages_by_others() -> None:
    order = np.array([[4, 7, 1, 0, 3, 9]])
    like = np.array([[True, False, True, True, False, False]])
    u = np.array([[0.1, 0.0, 0.9, 0.9, 0.0, 0.0]])
    shown = remove_like_minded(order, like, u, size=3, cut=0.5)
    # 4 is taken out; 0 is like-minded and does not move up; 3 does.
    assert shown.tolist() == [[7, 1, 3]]
    assert remove_like_minded(order, like, u, size=3, cut=0.0).tolist() == [[4, 7, 1]]


def test_a_cut_leaves_places_empty_if_no_other_author_is_left() -> None:
    order = np.array([[0, 1, 2, -1]])
    like = np.array([[True, True, True, False]])
    assert remove_like_minded(order, like, np.zeros((1, 4)), size=2, cut=1.0).tolist() == [[-1, -1]]


def test_a_cut_of_a_third_removes_a_third() -> None:
    rng = np.random.default_rng(1)
    like = rng.random((20_000, 12)) < 0.5
    order = np.broadcast_to(np.arange(12), like.shape)
    shown = remove_like_minded(order, like, rng.random(like.shape), size=6, cut=1 / 3)
    before = like[:, :6].sum()
    after = (np.take_along_axis(like, shown, axis=1) & (shown >= 0)).sum()
    assert after / before == pytest.approx(2 / 3, abs=0.01)


def test_dissimilar_accounts_are_unfollowed_more_often() -> None:
    rng = np.random.default_rng(2)
    preferred = np.tile(
        log_preference(np.zeros((1, 1)), np.array([[0.2, 0.6]]), strength=1.0), (9_000, 1)
    )
    left = draw_least_preferred(preferred, rng.random(9_000))
    assert left.mean() == pytest.approx(0.75, abs=0.02)  # 0.6 against 0.2
    assert draw_least_preferred(0 * preferred, rng.random(9_000)).mean() == pytest.approx(
        0.5, abs=0.02
    )


def test_follows_are_distinct_and_prefer_active_accounts() -> None:
    activity = np.where(np.arange(600) < 300, 0.9, 0.1)
    follows = draw_follows(activity, 10, Chance(4))
    assert (follows != np.arange(600)[:, None]).all()
    assert all(len(np.unique(row)) == 10 for row in follows)
    assert (follows < 300).mean() == pytest.approx(0.9, abs=0.02)


def test_a_small_population_leaves_places_empty() -> None:
    follows = draw_follows(np.array([0.5, 0.5]), 3, Chance(4))
    assert np.sort(follows[:, :], axis=1)[:, :2].tolist() == [[-1, -1], [-1, -1]]
    assert follows.max(axis=1).tolist() == [1, 0]
