"""Explain why an agent left its home or stayed, by the decisions of its household."""

import pandas as pd

from memopolis.analysis.interview.questions import LEAVE
from memopolis.analysis.interview.wording import (
    date,
    join_names,
    percent,
    quote_reason,
    quoted_ids,
    short_number,
)
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run

KIND = "stay_or_go"
AWAY_TOPIC, HOME_TOPIC = "evacuation", "relief"  # topics of memories of leaving and of coming home


def explain_leaving(
    run: Run, life: Life, what: str
) -> tuple[str, tuple[int, ...], pd.DataFrame] | None:
    """Explain the last decision to leave, or the decision to stay when leaving was likeliest.

    `what` is "leave" or "stay". If the agent did not do what the question assumes, the answer says
    so and explains what it did. Returns a text, the ids of the quoted memories, and the row of
    `Life.decisions`; None if no decision with a draw was recorded for the agent or an adult of its
    household.
    """
    decider = _deciding_life(run, life)
    if decider is None:
        return None
    own = _drawn(decider)
    left = own[own["draw"] < own["probability"]]
    opening: list[str] = []
    if what == LEAVE and left.empty:
        opening.append("I did not leave.")
    elif what != LEAVE and len(left):
        opening.append("I did not stay.")
    if decider.agent != life.agent:
        opening.append(f"{decider.name}, with whom I live, decided, and gives this account:")
    rows = left.iloc[[-1]] if len(left) else own.loc[[own["probability"].idxmax()]]
    row = rows.iloc[0]
    decided = _describe(run, decider, row, decisions=len(own))
    follows = _followed(decider, row["time"]) if len(left) else []
    earlier = [date(time) for time in left["time"].iloc[:-1]]
    if earlier:
        follows.append(f"I had also decided to leave on {join_names(earlier)}.")
    if decider.agent != life.agent:
        return " ".join([*opening, *decided, *follows]), (), life.decisions.iloc[:0]
    ids = quoted_ids(life, row["rests_on"], reason=str(row["reason"]))
    return " ".join([*opening, *decided, *follows]), ids, rows


def _drawn(life: Life) -> pd.DataFrame:
    """Return the decisions to stay or go of an agent that were made by a draw."""
    decisions = life.decisions
    if decisions.empty:
        return decisions
    is_drawn = (decisions["kind"].astype(str) == KIND) & decisions["probability"].notna()
    return decisions[is_drawn]


def _deciding_life(run: Run, life: Life) -> Life | None:
    """Return the agent, or the first adult of its household if it did not decide itself."""
    if len(_drawn(life)):
        return life
    people = run.people(life.population)
    if "household" not in people or "household" not in life.profile:
        return None
    members = people[people["household"] == life.profile["household"]]["agent"]
    others = (run.life(int(agent)) for agent in members if agent != life.agent)
    return next((one for one in others if len(_drawn(one))), None)


def _describe(run: Run, life: Life, row: pd.Series, *, decisions: int) -> list[str]:
    is_leaving = row["draw"] < row["probability"]
    when, chance, draw = date(row["time"]), percent(row["probability"]), short_number(row["draw"])
    if is_leaving:
        parts = [f"I decided to leave on {when}."]
    else:
        times = "the one time" if decisions == 1 else f"each of the {decisions} times"
        parts = [f"I decided to stay {times} that I considered leaving."]
        if row["probability"] > 0:
            parts.append(f"Leaving was likeliest on {when}.")
    parts.append(quote_reason(life, row))
    parts.append(_household(run, row))
    result = "so we left" if is_leaving else "so we stayed"
    side = "below" if is_leaving else "not below"
    parts.append(
        f"That gave a chance of {chance} to leave; the draw was {draw}, {side} it, {result}."
    )
    return [part for part in parts if part]


def _household(run: Run, row: pd.Series) -> str:
    """Describe how ready the agent and the others of its household were to leave."""
    mine = f"I rated my readiness to leave {row['value']:.1f} of 10"
    others = []
    for agent in row["together"]:
        theirs = _drawn(run.life(int(agent)))
        same = theirs[theirs["time"] == row["time"]]
        rating = f" ({same['value'].iloc[0]:.1f})" if len(same) else ""
        others.append(f"{run.name_of(int(agent))}{rating}")
    return f"{mine}, and decided together with {join_names(others)}." if others else f"{mine}."


def _followed(life: Life, since: pd.Timestamp) -> list[str]:
    """Quote the memories of leaving and of coming home that followed a decision."""
    memories = life.memories
    own = memories[(memories["actor"] < 0) & (memories["time"] > since)]
    topic = own["topic"].astype(str)
    away = own[topic == AWAY_TOPIC].head(1)
    if away.empty:
        return ["We did not leave after all."]
    time = away["time"].iloc[0]
    parts = [f"On {date(time)}: {away['text'].iloc[0]}"]
    if "destination" in life.status:
        to = life.status["destination"][life.status.index >= time].astype(str).head(1)
        parts += [f"Our destination: {name}." for name in to if name != "none"]
    elif life.profile.get("destination", "none") != "none":
        parts.append(f"Our destination: {life.profile['destination']}.")
    text = own["text"].astype(str)
    home = own[(topic == HOME_TOPIC) & (own["time"] > time) & text.str.contains("home")].head(1)
    if len(home):
        parts.append(f"On {date(home['time'].iloc[0])}: {home['text'].iloc[0]}")
    else:
        parts.append("We have not come home yet.")
    return parts
