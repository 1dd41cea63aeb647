"""Write out memories and thoughts, whose texts are recorded once each, as templates.

The result is the text that an agent reads in its own stream. A thought is written out from the
memories that its decision recorded as evidence, which are those of its day.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from memopolis.sim.memory.retrieval.recollection import (
    EARLIER,
    EVIDENCE,
    FORGOTTEN,
    fill_template,
    join_sentences,
    quote_speech,
)

THOUGHTS = ("tick", "time", "population", "agent", "text", "evidence", "evidence_text")
"""Columns of thoughts if there are none."""
OTHER_TEXTS = ("message", "summary", "gist")
"""Kinds of decisions that produce a text that is no thought."""
_MEMORY_KEY = ["population", "agent", "id"]


def fill_names(
    templates: pd.Series,
    actors: pd.Series,
    places: pd.Series,
    *,
    name_of: Callable[[int], str],
    place_name: Callable[[int], str],
) -> pd.Series:
    """Fill {actor} and {place} of templates, of which only {evidence} may be left.

    Actors are unique_ids, -1 for none, and places numbers of zones, shape (memories,) each.
    """
    combined = pd.DataFrame({"template": templates, "actor": actors, "place": places})
    # There are few templates and names, so each combination is written out once.
    number = combined.groupby(list(combined), sort=False, dropna=False).ngroup().to_numpy()
    first = combined.drop_duplicates()
    texts = np.empty(len(first), dtype=object)
    for i, (template, actor, place) in enumerate(first.itertuples(index=False)):
        # A text that the run did not record is missing, and stays so.
        texts[i] = (
            fill_template(template, int(actor), int(place), name_of=name_of, place_name=place_name)
            if isinstance(template, str)
            else template
        )
    return pd.Series(texts[number], index=templates.index, dtype=object)


def fill_thoughts(thoughts: pd.DataFrame, named: pd.DataFrame) -> pd.DataFrame:
    """Fill {evidence} of decisions that produced a text, and add it as `evidence_text`.

    `named` are the memories of the same agents, with names filled in.
    """
    words = _evidence_texts(thoughts, named)
    return thoughts.assign(evidence_text=words, text=_fill_evidence(thoughts["text"], words))


def fill_thought_memories(named: pd.DataFrame, thoughts: pd.DataFrame) -> pd.DataFrame:
    """Fill {evidence} of memories of thoughts, from the decisions that produced them.

    Names are filled in already, and `thoughts` come from `fill_thoughts`.
    """
    frame = named.copy()
    are_thoughts = frame["kind"] == "thought"
    if are_thoughts.any():
        keys = ["population", "agent", "tick"]
        own = frame.loc[are_thoughts, keys]
        if "kind" in thoughts:
            thoughts = thoughts[~thoughts["kind"].astype(str).isin(OTHER_TEXTS)]
        filled = thoughts[[*keys, "evidence_text"]].drop_duplicates(keys)
        words = own.merge(filled, on=keys, how="left")
        words.index = own.index
        texts = _fill_evidence(frame.loc[are_thoughts, "text"], words["evidence_text"])
        frame.loc[are_thoughts, "text"] = texts
    return frame.assign(text=drop_evidence(frame["text"]))


def join_texts(decisions: pd.DataFrame, thoughts: pd.DataFrame) -> pd.DataFrame:
    """Add texts to decisions, and turn their lists of ids into Python lists.

    `thoughts` are the decisions that produced a text, from `fill_thoughts`.
    """
    lists = {
        name: pd.Series([ids.tolist() for ids in decisions[name]], decisions.index, object)
        for name in ("evidence", "together")
    }
    return decisions.assign(text=thoughts["text"].reindex(decisions.index), **lists)


def drop_evidence(texts: pd.Series) -> pd.Series:
    """Remove {evidence} from thoughts that were retold without it."""
    plain: pd.Series = texts.str.replace(" {evidence}", "", regex=False)
    return plain


def _fill_evidence(texts: pd.Series, evidence: pd.Series) -> pd.Series:
    """Fill {evidence} of texts; a missing one is called forgotten."""
    is_open = texts.str.contains("{evidence}", regex=False, na=False)
    result = texts.copy()
    words = evidence[is_open].fillna(FORGOTTEN)
    pairs = zip(result[is_open], words, strict=True)
    result[is_open] = [text.replace("{evidence}", word) for text, word in pairs]
    return result


def _evidence_texts(decisions: pd.DataFrame, named: pd.DataFrame) -> pd.Series:
    """Write out the evidence of decisions: its `EVIDENCE` most important memories."""
    if named.empty or decisions.empty:
        return pd.Series(float("nan"), index=decisions.index, dtype=object)
    rows = decisions[["population", "agent", "evidence"]].explode("evidence")
    rows = rows.dropna(subset=["evidence"]).rename(columns={"evidence": "id"})
    rows = rows.astype({"id": "int32"}).rename_axis("decision").reset_index()
    rows = rows.merge(named[[*_MEMORY_KEY, "importance", "text"]], on=_MEMORY_KEY, how="inner")
    rows = rows.sort_values(["decision", "importance", "id"], ascending=[True, False, True])
    # Without texts that the run did not record.
    distinct = rows.dropna(subset=["text"]).drop_duplicates(["decision", "text"])
    best = distinct.groupby("decision", sort=False).head(EVIDENCE)
    parts = best["text"].str.replace("{evidence}", EARLIER, regex=False).map(quote_speech)
    joined: pd.Series = parts.groupby(best["decision"]).agg(join_sentences).astype(object)
    return joined.reindex(decisions.index)
