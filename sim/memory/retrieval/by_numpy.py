"""The definition of a search, with numpy alone: what the compiled passes must give.

Both give the same bits. The compiled passes are what runs; this one explains scores term by
term and is the yardstick of their tests.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.night.consolidation import Tables, consolidation, last_updates
from memopolis.sim.memory.retrieval import combining, scoring, tfidf
from memopolis.sim.memory.retrieval import terms as more
from memopolis.sim.memory.retrieval.filters import passes
from memopolis.sim.memory.retrieval.profiles import TERMS
from memopolis.sim.memory.retrieval.request import Extra, Fit, Request
from memopolis.sim.memory.streams.stream import CONTINUES, Streams

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]
IntArray = NDArray[np.int64]

IMPORTANCE = scoring.importance_table()
"""Importance of each code."""


def find_numpy(streams: Streams, request: Request) -> tuple[Int32, Float32]:
    """Find what `search.find` finds, bit for bit."""
    slots, starts = streams.live(request.rows)
    accessed = streams.at("accessed", slots)
    owner, ids = streams.listed(request.rows)
    if request.luck is None:
        scores = terms(streams, request)["score"]
    else:
        from memopolis.sim.memory.retrieval import kernels

        scores = kernels.draws(request.rows[owner], request.now, ids, request.luck)
    passing = passes(streams, request.filters, slots, owner)
    firsts = streams.first(request.rows)
    return scoring.best(scores, accessed, passing, starts=starts, firsts=firsts, k=request.k)


def terms(streams: Streams, request: Request) -> dict[str, NDArray[Any]]:
    """Work out every term of the score of all memories of the agents, in turn.

    Returns:
        Each of shape (memories,): recency, importance and relevance; own, near, actor and
        date, the parts of relevance in units of a full match; the further terms that have a
        weight (dense is nan where there is no vector); NAME_weighted of each that has one, as
        it enters the score (stretched to 0..1 first, where the profile says so); and score.
    """
    slots, starts = streams.live(request.rows)
    owner, _ = streams.listed(request.rows)
    found: dict[str, NDArray[Any]] = {
        "recency": scoring.recency(streams.at(request.since, slots), request.now, request.recency),
        "importance": IMPORTANCE[streams.at("importance", slots)],
        **_relevance(streams, request, slots, starts, owner),
    }
    if request.extra is None:
        weights = (*request.weights, *[0.0] * (len(TERMS) - 3))
        three = (found["recency"], found["importance"], found["relevance"])
        return {
            **found,
            **combining.summed(found, weights),
            "score": scoring.score(*three, request.weights),
        }
    return _with_more(streams, request, slots, owner, found, extra=request.extra)


def _relevance(
    streams: Streams, request: Request, slots: IntArray, starts: IntArray, owner: IntArray
) -> dict[str, NDArray[Any]]:
    """Soft lexical relevance and its parts."""
    text = streams.at("text", slots)
    if request.relevance.table is None:
        from memopolis.sim.memory.retrieval import kernels

        found = kernels.relevances(request.relevance.pairs, request.query[owner], text)
    else:
        found = request.relevance.table[request.query[owner], text]
    own, shares = scoring.whole(found), request.shares
    near = actor = date = np.zeros(len(own), np.int32)
    if request.neighbours:
        first = np.zeros(len(own), np.bool_)
        first[starts[:-1][np.diff(starts) > 0]] = True
        near = scoring.near(own, (streams.at("kind", slots) & CONTINUES) > 0, first, shares)
    if request.cues:
        whose = streams.at("actor", slots)
        actor = scoring.by_actor(whose, request.named[owner], shares.actor)
        time = streams.at("time", slots)
        date = scoring.in_date(time, request.first[owner], request.last[owner], shares.date)
    return {
        "relevance": scoring.relevance(np.int32(scoring.OWN) * own + near + (actor + date)),
        "own": scoring.relevance(np.int32(scoring.OWN) * own),
        "near": scoring.relevance(near),
        "actor": scoring.relevance(actor),
        "date": scoring.relevance(date),
    }


def _with_more(
    streams: Streams,
    request: Request,
    slots: IntArray,
    owner: IntArray,
    found: dict[str, NDArray[Any]],
    *,
    extra: Extra,
) -> dict[str, NDArray[Any]]:
    """Add the further terms of a profile, and combine them as it says."""
    passing = passes(streams, request.filters, slots, owner)
    found |= _marks(streams, extra, slots, owner)
    found |= _texts(streams, extra, slots, owner, passing)
    if extra.firm is not None:
        found["consolidation"] = _firm(streams, request, extra.firm, slots)
    if extra.fading is not None and extra.firm is not None:
        age = np.int32(request.now) - streams.at(request.since, slots)
        found["recency"] = more.adaptive_recency(
            age, found["consolidation"], extra.fading.pace, extra.firm.boost, extra.fading.table
        )
    used = {name: found[name] for name in TERMS if name in found}
    if extra.normalise:
        agents = len(request.rows)
        used = {n: combining.min_max(v, passing, owner, agents) for n, v in used.items()}
    else:
        used = {name: combining.known(values) for name, values in used.items()}
    combine = combining.multiplied if extra.product else combining.summed
    return {**found, **combine(used, extra.weights)}


def _marks(streams: Streams, extra: Extra, slots: IntArray, owner: IntArray) -> dict[str, Float32]:
    """Context and feeling, where they are asked."""
    found = {}
    if extra.tags is not None:
        found["context"] = more.context_match(streams.at("tags", slots), extra.tags[owner])
    if extra.feeling is not None:
        valence = streams.at("valence", slots)
        found["feeling"] = more.feeling_match(valence, extra.feeling[owner])
    return found


def _texts(
    streams: Streams,
    extra: Extra,
    slots: IntArray,
    owner: IntArray,
    passing: NDArray[np.bool_],
) -> dict[str, Float32]:
    """The text terms that have a table or a fit."""
    text = streams.at("text", slots)
    found = {}
    for name in ("bm25", "dense", "keyword"):
        table = getattr(extra, name)
        if table is not None:
            found[name] = table.values[table.row[owner], text]
    if extra.fit is not None:
        found["tfidf"] = _fitted(extra.fit, text, owner, passing)
    return found


def _fitted(fit: Fit, text: Int32, owner: IntArray, passing: NDArray[np.bool_]) -> Float32:
    """tf-idf, fitted agent by agent on the memories that pass."""
    found = np.zeros(len(text), np.float32)
    edges = np.searchsorted(owner, np.arange(len(fit.query) + 1))
    for agent, (begin, end) in enumerate(pairwise(edges.tolist())):
        mine = begin + np.flatnonzero(passing[begin:end])
        query = int(fit.query[agent])
        found[mine] = tfidf.cosines(fit.words, text[mine], fit.asked, query, fit.logs)
    return found


def _firm(streams: Streams, request: Request, of: Tables, slots: IntArray) -> Float32:
    """How firmly each memory sits."""
    now, made = np.int32(request.now), streams.at("time", slots)
    last = last_updates(streams, slots)
    topic = streams.at("topic", slots)
    return consolidation(streams.at("accesses", slots), now - made, now - last, topic, of)


def explain(streams: Streams, request: Request, ids: Int32) -> dict[str, NDArray[Any]]:
    """Give the terms of the memories found, each of shape (n, k), 0 where there is none."""
    _, starts = streams.live(request.rows)
    there = ids >= 0
    at = np.where(there, ids - streams.first(request.rows)[:, None] + starts[:-1, None], 0)
    found = {}
    for name, values in terms(streams, request).items():
        found[name] = np.zeros(ids.shape, values.dtype)
        found[name][there] = values[at[there]]
    return found
