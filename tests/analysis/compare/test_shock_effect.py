"""A copy of a society without a shock differs from it only by what the shock did."""

from pathlib import Path

import pytest

from memopolis import Hurricane, Message, News, Run, Shock, load_run
from memopolis.analysis.compare.shock_effect import find_differences, trace_spread
from memopolis.sim.errors import ParameterError
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.forking import Branch

WARNING = "The dam broke; leave the coast today."


def both(folder: Path, shock: Shock | None, *, steps: int = 26) -> tuple[Run, Run, int]:
    """A run and its copy without a shock that is sent after 30 steps, after some more steps."""
    with RunByHand(Hurricane(agents=60, days=5, rng=1), folder / "with") as by_hand:
        for _ in range(30):
            by_hand.make_step()
        branch = Branch.of(by_hand.society)
        tick = by_hand.step if shock is None else by_hand.shock(shock)
        without = branch.begin(folder / "without")
        for _ in range(steps):
            by_hand.make_step()
            without.make_step()
        run = load_run(by_hand).until(by_hand.step)
        other = load_run(without).until(without.step)
        find_differences(run, other, tick)  # reads what waits in memory
        without.abandon()
        return run, other, tick


def test_nothing_differs_without_a_shock(tmp_path: Path) -> None:
    run, other, tick = both(tmp_path, None)
    differences = find_differences(run, other, tick)
    assert differences.step == 56
    assert (
        len(differences.attitudes) == len(differences.decisions) == len(differences.measures) == 0
    )


def test_a_warning_changes_attitudes_and_is_passed_on(tmp_path: Path) -> None:
    news = News(WARNING, topic="disaster", stance=-0.9, importance=0.9)
    run, other, tick = both(tmp_path, news)
    differences = find_differences(run, other, tick)
    attitudes = differences.attitudes
    gap = attitudes["with"] - attitudes["without"]
    assert len(attitudes)
    assert gap.to_list() == pytest.approx(attitudes["difference"].to_list())
    assert attitudes["difference"].abs().is_monotonic_decreasing
    assert set(differences.decisions["kind"]) >= {"attitude", "stay_or_go"}
    assert "fear" in set(differences.measures["measure"])
    spread = trace_spread(run, WARNING, tick)
    texts = run.memories[run.memories["text"] == WARNING]
    assert set(spread.received) == set(texts["agent"])
    heard = run.memories[run.memories["text"].str.endswith(f"told me: {WARNING}")]
    pairs = {(a, b) for a, known in spread.passed_on.items() for b in known}
    assert pairs == set(zip(heard["actor"], heard["agent"], strict=True))
    assert spread.reached == len(set(texts["agent"]) | set(heard["agent"]))
    assert trace_spread(other, WARNING, tick).reached == 0


def test_a_message_reaches_those_it_is_sent_to(tmp_path: Path) -> None:
    run, _, tick = both(tmp_path, Message((3, 5), WARNING, actor=7), steps=1)
    spread = trace_spread(run, WARNING, tick, sender=7)
    assert (spread.received, spread.passed_on, spread.reached) == ((3, 5), {}, 2)


def test_a_society_of_a_model_is_not_copied() -> None:
    society = Hurricane(agents=10, days=1, rng=1)
    society.settings = society.settings.with_changes({"mind": "llm", "llm.model": "m"})
    with pytest.raises(ParameterError, match="ask again"):
        Branch.of(society)
