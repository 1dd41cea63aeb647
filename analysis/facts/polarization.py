"""Facts P-P1 to P-P13 of polarization, its null arms and published models, computed from tables.

Real figures and their sources are in the scenario's README. An arm is compared with another of the
same seed, hence with the same citizens and random draws.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from memopolis.analysis.facts.fact import Fact, Value, judged_rows, make_fact, read_facts
from memopolis.analysis.facts.reading import NONE, Arms, published
from memopolis.analysis.facts.social_life import parties_of_friends
from memopolis.analysis.metrics.persistence import correlate_answers
from memopolis.analysis.run.run import Run
from memopolis.sim.survey.named import GUN_CONTROL

ATTITUDE = "attitude.gun_control"
WEEK, MONTH = 7, 28  # days
PARTIES = ("Democrat", "Independent", "Republican")


def at_end(run: Run, column: str) -> float:
    """Return a figure of the statistics bureau in the last step."""
    return float(published(run, column).iloc[-1])


def gap(arms: Arms, arm: str, other: str, column: str) -> float:
    """Return the difference of two arms in a figure in the last step."""
    return at_end(arms[arm], column) - at_end(arms[other], column)


def start_shares(arms: Arms) -> Fact:
    """P-P4: initial opinions of the parties, measured in the arm without talk."""
    people = arms["none"].table("agents_citizen", ["party", ATTITUDE])
    first = people[people["tick"] == people["tick"].min()]
    above = first[ATTITUDE] > 5
    by_party = above.groupby(first["party"].astype(str)).mean()
    numbers = {f"share of {party}s above 5": by_party.get(party, NONE) for party in PARTIES}
    return make_fact("P-P4", numbers | {"share of all above 5": above.mean()})


def echo_chambers(arms: Arms) -> Fact:
    """P-P5: like-minded persuaders make opinions more extreme; variances are for information."""
    numbers = {
        "variance, echo minus control": gap(arms, "echo", "control", "variance"),
        "extreme share, echo minus control": gap(arms, "echo", "control", "extreme_share"),
        "variance, echo minus random": gap(arms, "echo", "random", "variance"),
        "variance, cross minus random": gap(arms, "cross", "random", "variance"),
        "variance, cross minus control": gap(arms, "cross", "control", "variance"),
        "party gap, cross minus control": gap(arms, "cross", "control", "party_gap"),
    }
    return make_fact("P-P5", numbers)


def other_side(arms: Arms) -> Fact:
    """P-P8: messages of the other side hardly change opinions, and make hostility no worse."""
    numbers = {
        "mean of Democrats, cross minus control": gap(arms, "cross", "control", "mean_democrat"),
        "mean of Republicans, cross minus control": gap(
            arms, "cross", "control", "mean_republican"
        ),
        "warmth, cross minus control": gap(arms, "cross", "control", "warmth"),
    }
    return make_fact("P-P8", numbers)


def stability(arms: Arms) -> Fact:
    """P-P9: without persuaders and news, the opinions of the parties stay as they are."""
    people = arms["control"].table("agents_citizen", ["party", ATTITUDE])
    numbers = {}
    for party in ("Democrat", "Republican"):
        own = people[people["party"].astype(str) == party]
        share = (own[ATTITUDE] > 5).groupby(own["tick"]).mean().to_numpy()
        change = float(share[-1] - share[0]) if len(share) else NONE
        numbers[f"change of the share of {party}s above 5"] = change
    variance = published(arms["control"], "variance")
    paths = people.pivot_table(index="agent", columns="tick", values=ATTITUDE)
    month = correlate_answers(paths, days=len(paths.columns) // 2, error=GUN_CONTROL.noise)
    numbers |= {
        "change of the variance of all": variance.iloc[-1] / variance.iloc[0] - 1,
        "correlation of answers, half a run apart": month,
    }
    return make_fact("P-P9", numbers)


def persistence(arms: Arms) -> Fact:
    """P-P10: attitudes change little from day to day, and more the longer the time between."""
    people = arms["control"].table("agents_citizen", [ATTITUDE])
    paths = people.pivot_table(index="agent", columns="tick", values=ATTITUDE)
    end = len(paths.columns) - 1
    supports = paths.to_numpy() > 5
    numbers = {
        f"correlation of attitudes, {days} days apart": correlate_answers(paths, days=days)
        for days in (1, WEEK, MONTH)
    }
    numbers |= {
        f"correlation of answers, {WEEK} days apart": correlate_answers(
            paths, days=WEEK, error=GUN_CONTROL.noise
        ),
        "correlation of attitudes, first and last day": correlate_answers(paths, days=end),
        "change of an attitude in a day, mean": np.abs(np.diff(paths)).mean(),
        "share that ever crosses the middle": (supports != supports[:, :1]).any(axis=1).mean(),
    }
    return make_fact("P-P10", numbers)


def activity(arms: Arms) -> Fact:
    """P-P11: a few citizens write most posts, and most write none."""
    people = arms["control"].table("agents_citizen", ["posted"])
    posts = np.sort(people.groupby("agent")["posted"].sum().to_numpy())[::-1]
    tenth = max(len(posts) // 10, 1)
    numbers = {
        "share that never posts": (posts == 0).mean(),
        "share of posts by the most active tenth": posts[:tenth].sum() / max(posts.sum(), 1),
    }
    return make_fact("P-P11", numbers)


def treatments_of_feeds(arms: Arms) -> Fact:
    """P-P12: strong and weak treatments of the feed side by side, all against the control arm.

    Differences of the gap between the parties are in standard deviations of attitudes.
    """
    numbers = {}
    for arm in ("no feed", "full cut", "counter", "flat feed", "cut"):
        numbers[f"gap between parties, {arm} minus control"] = gap_in_sd(arms, arm, days=MONTH)
        numbers[f"warmth, {arm} minus control"] = gap(arms, arm, "control", "warmth")
    return make_fact("P-P12", numbers)


def gap_in_sd(arms: Arms, arm: str, *, days: int) -> float:
    """Return the difference of an arm to control in the gap between parties after some days."""
    treated, control = (published(arms[name], "party_gap") for name in (arm, "control"))
    at = min(days, len(control)) - 1
    sd = np.sqrt(published(arms["control"], "variance").iloc[at])
    return float((treated.iloc[at] - control.iloc[at]) / sd)


def sorting(arms: Arms) -> Fact:
    """P-P7: a feed that ranks by similarity sorts follows by party; a flat feed does not."""
    ranked, flat = (published(arms[arm], "ei_follows") for arm in ("control", "flat feed"))
    change, other = (float(series.iloc[-1] - series.iloc[0]) for series in (ranked, flat))
    numbers = {
        "change of the E-I index of follows": change,
        "E-I index of follows at the end": ranked.iloc[-1],
        "change minus that with a feed that does not rank": change - other,
    }
    return make_fact("P-P7", numbers)


def cut_exposure(arms: Arms) -> Fact:
    """Nyhan 2023: a third less like-minded content changes exposure, but hardly attitudes."""
    less = _like_minded(arms["cut"]) - _like_minded(arms["control"])
    numbers = {
        "like-minded share of what is read, cut minus control": less,
        "mean attitude, cut minus control": gap(arms, "cut", "control", "mean"),
        "party gap, cut minus control": gap(arms, "cut", "control", "party_gap"),
    }
    return make_fact("cut", numbers)


def _like_minded(run: Run) -> float:
    read = run.table("agents_citizen", ["read", "read_like"])
    return float(read["read_like"].sum() / max(read["read"].sum(), 1))


def null_arms(arms: Arms) -> Fact:
    """Null arms: neutral messages, no talk, mirrored parties, a placebo attitude."""
    sides = (published(arms["symmetric"], f"mean_{side}") for side in ("democrat", "republican"))
    tilt = next(sides) + next(sides) - 10
    mean, variance = (gap(arms, "neutral", "control", name) for name in ("mean", "variance"))
    placebo = float(np.ptp(published(arms["control"], "left_right")))
    now = float(tilt.iloc[-1])
    numbers = {
        "mean, neutral minus control": mean,
        "variance, neutral minus control": variance,
        "largest change of an attitude without talk": run_change(arms["none"]),
        "sum of both parties' distance from 5, mirrored parties": now,
        "its change since the first day": now - float(tilt.iloc[0]),
        "change of the placebo attitude": placebo,
    }
    return make_fact("null-arms", numbers)


def run_change(run: Run) -> float:
    """Return the largest change of a citizen's attitude from the first to the last record."""
    people = run.table("agents_citizen", [ATTITUDE])
    by_tick = people.pivot_table(index="agent", columns="tick", values=ATTITUDE)
    return float((by_tick.iloc[:, -1] - by_tick.iloc[:, 0]).abs().max())


FACTS = (
    start_shares, echo_chambers, sorting, other_side, stability, persistence, activity,
    treatments_of_feeds, parties_of_friends, cut_exposure, null_arms,
)  # fmt: skip
"""All facts that need runs of the scenario, in order.

The arms are control, echo, cross, random, neutral, none, "flat feed", cut, symmetric, "no feed",
"full cut" and counter.
"""


def model_facts_table(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Judge the results of published models by fact, as `judge_facts`.

    Each table is one of `memopolis.agents.opinion.reference`: a row per case and seed, with the
    columns case, low, high, measured and seed.
    """
    rows: list[dict[str, object]] = []
    for fact, table in tables.items():
        for case, same in table.groupby("case", sort=False):
            first = same.iloc[0]
            values = [
                Value(str(case), float(number), float(first["low"]), float(first["high"]))
                for number in same["measured"]
            ]
            rows += judged_rows(fact, read_facts()[fact]["statement"], [values])
    return pd.DataFrame(rows)
