"""The feed lists what changed, only up to its moment, and passes filters by person and place."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from memopolis import Hurricane, Message, Order, Run, load_run
from memopolis.analysis.feed.feed import DecisionRows, Feed, FeedLine, FeedQuery, feed_of
from memopolis.analysis.feed.rows import KINDS, PackedRows, Vocabulary, empty_rows
from memopolis.analysis.feed.speech import utterance_in
from memopolis.sim.running.by_hand import RunByHand

ALL = 100_000
EVERYTHING = FeedQuery()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A week of 60 people, with a message to two of them and an order by hand."""
    folder = tmp_path_factory.mktemp("feed") / "run"
    with RunByHand(Hurricane(agents=60, days=7, rng=1), folder) as by_hand:
        send_shocks(by_hand)
        while by_hand.step < by_hand.steps:
            by_hand.make_step()
        by_hand.finish()
    return load_run(folder)


def send_shocks(by_hand: RunByHand) -> None:
    place = by_hand.society.place
    assert place is not None
    by_hand.shock(Message(to=(3, 5), text="Come home, <b>now</b>."))
    by_hand.shock(Order((place.zones[0],), "voluntary"), "2019-08-29 12:00")


def lines_of(run: Run, query: FeedQuery = EVERYTHING) -> list[FeedLine]:
    return feed_of(run).newest(run, query, ALL)


def test_all_kinds_occur_newest_first(run: Run) -> None:
    lines = lines_of(run)
    assert {line.kind for line in lines} == set(KINDS)
    ticks = [line.tick for line in lines]
    assert ticks == sorted(ticks, reverse=True)


@pytest.mark.parametrize("most", [1, 41, 500])
def test_the_newest_lines_are_the_first_of_all(run: Run, most: int) -> None:
    for query in (EVERYTHING, FeedQuery(per_kind=2), FeedQuery(("attitude",), zone=3)):
        whole, lines = lines_of(run, query), feed_of(run).newest(run, query, most)
        assert len(lines) == min(most, len(whole))
        # Of the last step, only some lines are listed.
        later = [repr(line) for line in whole if line.tick > lines[-1].tick]
        assert [repr(line) for line in lines[: len(later)]] == later


def test_packed_rows_are_the_rows_that_were_added() -> None:
    ticks = np.sort(np.random.default_rng(1).integers(0, 200, 30_000))
    rows = empty_rows(len(ticks))
    rows["tick"], rows["agent"] = ticks, np.arange(len(ticks))
    packed = PackedRows()
    for first in range(0, 200, 40):
        packed.append(rows[(ticks >= first) & (ticks < first + 40)])
    for before in (0, 57, 200):
        batches = list(packed.newest_first(before))
        assert np.concatenate(batches[::-1]).tobytes() == rows[ticks < before].tobytes()
        steps = [set(batch["tick"].tolist()) for batch in batches]
        assert sum(map(len, steps)) == len(set().union(*steps))


@pytest.mark.parametrize("step", [0, 1, 37, 100])
def test_a_moment_shows_nothing_of_later_steps(run: Run, step: int) -> None:
    lines = lines_of(run.until(step))
    assert all(line.tick < step for line in lines)
    assert [repr(line) for line in lines_of(run) if line.tick < step] == list(map(repr, lines))


def test_a_run_in_progress_has_the_lines_of_the_finished_one(tmp_path: Path, run: Run) -> None:
    feed = Feed()
    with RunByHand(Hurricane(agents=60, days=7, rng=1), tmp_path / "live") as by_hand:
        send_shocks(by_hand)
        now = load_run(by_hand)
        for steps in (1, 2, 20, 30):
            for _ in range(steps):
                by_hand.make_step()
            now = now.latest()
            expected = lines_of(run.until(now.ticks))
            shown = feed.newest(now, FeedQuery(), ALL)
            assert list(map(repr, shown)) == list(map(repr, expected))


def test_decisions_differ_from_the_last_one_on_the_same_subject(run: Run) -> None:
    for line in lines_of(run, FeedQuery(("attitude",))):
        assert abs(line.value - line.before) >= 0.1 - 1e-5
    decided = run.decisions
    left = decided[(decided["kind"] == "stay_or_go") & (decided["draw"] < decided["probability"])]
    shown = [
        (line.tick, line.agent)
        for line in lines_of(run, FeedQuery(("decision",)))
        if line.subject == "stay_or_go"
    ]
    assert sorted(shown) == sorted(zip(left["tick"], left["agent"], strict=True))
    assert shown


def test_only_thoughts_are_listed_as_thoughts() -> None:
    """Summaries, gists and messages are texts that minds write, too."""
    kinds = ["summary", "thought", "gist", "message"]
    n = len(kinds)
    table = pa.table(
        {
            "tick": [5] * n, "agent": [7] * n, "kind": kinds, "item": [""] * n,
            "choice": [""] * n, "reason": [""] * n, "value": [np.nan] * n, "text": [*range(1, 5)],
        }
    )  # fmt: skip
    (row,) = DecisionRows(Vocabulary()).extract(table)
    assert (KINDS[int(row["kind"])], row["text"]) == ("thought", 2)


def test_speech_is_one_line_for_all_who_hear_it(run: Run) -> None:
    lines = lines_of(run, FeedQuery(("speech",)))
    events = run.memories[run.memories["kind"] == "event"]
    heard = events[events["text"].str.contains(r"^[^:]+ (?:told me|answered): ")]
    assert sum(line.count for line in lines) == len(heard)
    assert {line.verb for line in lines} == {"told", "answered"}
    assert all(line.agent != line.other for line in lines)


def test_a_message_and_an_order_by_hand_are_marked(run: Run) -> None:
    (message,) = lines_of(run, FeedQuery(("message",)))
    assert message.shock is not None
    assert message.shock.by_hand
    assert message.shock.text == "Come home, <b>now</b>."
    assert message.shock.agents == (3, 5)
    orders = [line.shock for line in lines_of(run, FeedQuery(("order",))) if line.shock]
    assert [one.by_hand for one in orders if one.title == "Order"] == [True]
    assert any(one.title == "In force" and "Mandatory" in one.text for one in orders)


def test_a_person_is_filtered_by_name_or_number(run: Run) -> None:
    name = run.name_of(7)
    by_number = lines_of(run, FeedQuery(person="7"))
    assert by_number
    assert all(7 in (line.agent, line.other) for line in by_number)
    by_name = lines_of(run, FeedQuery(person=name.upper()))
    assert {repr(line) for line in by_number} <= {repr(line) for line in by_name}
    assert lines_of(run, FeedQuery(person="[")) == []


def test_a_place_keeps_its_people_and_the_shocks_for_it(run: Run) -> None:
    people = run.people()
    zone = int(people["zone"][people["zone"] >= 0].mode().iloc[0])
    inside = set(people["agent"][people["zone"] == zone])
    lines = lines_of(run, FeedQuery(("decision", "attitude", "thought"), zone=zone))
    assert lines
    assert {line.agent for line in lines if run.population_of(line.agent) == "citizen"} <= inside
    news = lines_of(run, FeedQuery(("news",), zone=zone))
    assert len(news) == len(lines_of(run, FeedQuery(("news",))))


def test_a_limit_per_kind_counts_what_it_leaves_out(run: Run) -> None:
    full, short = lines_of(run), lines_of(run, FeedQuery(per_kind=3))
    agents = [line for line in short if line.shock is None]
    assert len(agents) < len([line for line in full if line.shock is None])
    assert len(agents) + sum(line.more for line in agents) == len(
        [line for line in full if line.shock is None]
    )
    _, counts = np.unique([f"{one.tick} {one.kind}" for one in agents], return_counts=True)
    assert counts.max() == 3


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{actor} told me: Leave now: today.", ("told", "Leave now: today.")),
        ("{actor} posted: {place} is full.", ("posted", "{place} is full.")),
        ("I told {actor}: Leave.", None),
        ("I met {actor} in {place}.", None),
        ("{actor} met {actor}: well", None),
    ],
)
def test_words_are_recognized_in_what_a_listener_remembers(
    template: str, expected: tuple[str, str] | None
) -> None:
    assert utterance_in(template) == expected
