"""Memories and thoughts written out: texts are recorded as templates, each once.

The same words come out as when an agent reads its own stream. A thought is written out from
the memories it rests on as its decision recorded them, which are those of its day.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from memopolis.sim.memory.streams.telling import EARLIER, EVIDENCE, FORGOTTEN, filled

KEYS = ["population", "agent", "id"]


def with_names(
    templates: pd.Series,
    actors: pd.Series,
    places: pd.Series,
    *,
    name_of: Callable[[int], str],
    place_name: Callable[[int], str],
) -> pd.Series:
    """Fill {actor} and {place} of templates.

    Args:
        templates: Texts as recorded, shape (memories,).
        actors: unique_id of each actor, -1 for none, shape (memories,).
        places: Number of each zone, -1 for none, shape (memories,).
        name_of: Name of a unique_id.
        place_name: Name of a zone.

    Returns:
        Texts in which only {evidence} may still stand, with the index of `templates`.
    """
    combined = pd.DataFrame({"template": templates, "actor": actors, "place": places})
    # Few templates, few names: each combination is written out once.
    number = combined.groupby(list(combined), sort=False, dropna=False).ngroup().to_numpy()
    first = combined.drop_duplicates()
    written = np.empty(len(first), dtype=object)
    for i, (template, actor, place) in enumerate(first.itertuples(index=False)):
        # A text that the run did not record is missing, and stays so.
        written[i] = (
            filled(template, int(actor), int(place), name_of=name_of, place_name=place_name)
            if isinstance(template, str)
            else template
        )
    return pd.Series(written[number], index=templates.index, dtype=object)


def evidence_texts(evidence: pd.DataFrame, memories: pd.DataFrame) -> pd.Series:
    """Write out what decisions rest on, as a thought's {evidence} names it.

    Args:
        evidence: One row a memory rested on: decision (a number), population, agent, id.
        memories: population, agent, id, importance, text (without names to fill).

    Returns:
        The most important `EVIDENCE` memories of each decision, oldest first, joined by
        semicolons; by decision.
    """
    found = evidence.merge(memories[[*KEYS, "importance", "text"]], on=KEYS, how="inner")
    found = found.sort_values(["decision", "importance", "id"], ascending=[True, False, True])
    best = found.groupby("decision", sort=False).head(EVIDENCE).sort_values(["decision", "id"])
    parts = best["text"].str.replace("{evidence}", EARLIER, regex=False).str.rstrip(". ")
    joined: pd.Series = parts.groupby(best["decision"]).agg("; ".join)
    return joined


def with_evidence(texts: pd.Series, evidence: pd.Series) -> pd.Series:
    """Fill {evidence} of texts.

    Args:
        texts: Shape (n,).
        evidence: What each rests on, written out, NaN where nothing is left of it, shape (n,).

    Returns:
        Texts of shape (n,).
    """
    there = texts.str.contains("{evidence}", regex=False, na=False)
    result = texts.copy()
    words = evidence[there].fillna(FORGOTTEN)
    pairs = zip(result[there], words, strict=True)
    result[there] = [text.replace("{evidence}", word) for text, word in pairs]
    return result


def without_evidence(texts: pd.Series) -> pd.Series:
    """Leave {evidence} out where a thought was told on and its evidence was not."""
    told: pd.Series = texts.str.replace(" {evidence}", "", regex=False)
    return told
