"""Tools that find agents of a run, describe their lives, search their memories and ask them."""

import operator
import re
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.interview.restored_agent import RestoredAgent
from memopolis.mcp_server import arguments as arg
from memopolis.mcp_server.answers import Answer, KnowledgeMap, Memories, Table, assessment_of, plain
from memopolis.mcp_server.served_runs import ServedRuns, note_of
from memopolis.sim.errors import ParameterError

_ALWAYS = ("agent", "name", "zone_name")
_FEW = 12  # default columns of a citizen
_MOST_DECISIONS = 20
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge, "<=": operator.le, "!=": operator.ne, "==": operator.eq,
    "=": operator.eq, ">": operator.gt, "<": operator.lt,
}  # fmt: skip
_FORM = re.compile(rf"\s*([\w.]+)\s*({'|'.join(_SIGNS)})\s*(.*?)\s*", re.DOTALL)
_LONGEST = 500  # maximum characters of a condition, because long blanks take minutes to match
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class AgentTools:
    """Tools about citizens and other agents; they never change the run."""

    def __init__(self, runs: ServedRuns) -> None:
        self._runs = runs
        self._model = Lock()

    def list_citizens(
        self, *, run: arg.Run = "", name: arg.NamePart = "", where: arg.Conditions = None,
        columns: arg.ShownColumns = None, population: arg.Population = "", step: arg.Step = None,
        limit: arg.Limit = 20,
    ) -> Table:  # fmt: skip
        """Find citizens, firms or other agents by name or latest status.

        describe_run lists the attributes of citizens under `attributes`.
        """
        opened = self._runs.run(run, step)
        people = opened.people(population)
        chosen = matching(people, where or ())
        if text := name.strip().casefold():
            names = people["name"].astype(str).str.casefold()
            is_number = people["agent"].astype(str) == text
            chosen &= (names.str.contains(text, regex=False) | is_number).to_numpy(np.bool_)
        recorded = [str(column) for column in people]
        for column in columns or ():
            arg.check_known("no agent has an attribute", column, recorded)
        selected = {*_ALWAYS, *(recorded[:_FEW] if columns is None else columns)}
        shown = people[[column for column in recorded if column in selected]][chosen]
        return Table.first(
            shown.reset_index(drop=True), limit, "name or where", note=note_of(opened),
            population=population or opened.populations[0], populations=list(opened.populations),
        )  # fmt: skip

    def citizen_life(
        self, *, agent: arg.Agent, run: arg.Run = "", step: arg.Step = None,
        decisions: arg.Decisions = 5,
    ) -> Answer:  # fmt: skip
        """Describe an agent: profile, status, latest decisions and thoughts, with reasons.

        `profile` does not change, `status` is the record of `status_at`. Decisions and thoughts
        are the newest first; `evidence` has the texts of the memories that a decision is based on.
        Use search_memory to search the agent's memories.
        """
        opened = self._runs.run(run, step)
        life = opened.life(agent)
        topics = life.memories.get("topic", pd.Series(dtype=object)).value_counts()
        status = life.status.iloc[-1] if len(life.status) else pd.Series(dtype=object)
        return Answer.of(
            agent=agent,
            name=life.name,
            population=life.population,
            at=opened.end,
            profile=plain(life.profile),
            status=plain(status.to_dict()),
            status_at=status.name if len(status) else None,
            memories_by_topic={str(name): int(count) for name, count in topics.items() if count},
            decisions=life.decisions.iloc[::-1].head(decisions),
            thoughts=life.thoughts.iloc[::-1].head(decisions),
            note=note_of(opened),
        )

    def search_memory(
        self, *, agent: arg.Agent, query: arg.Words, run: arg.Run = "", topic: arg.AnyTopic = "",
        kind: arg.Kind = "", k: arg.Most = 10, step: arg.Step = None,
    ) -> Memories:  # fmt: skip
        """Search an agent's memories by words, such as "the evacuation order".

        For memories of a situation or a feeling, such as a weekend or bad news, use context_search.
        Each memory has the terms of its score, 0 to 1 before weighting: recency (since it was last
        recalled), importance and relevance (to the query).
        """
        restored = self._runs.restored_agent(run, agent, step)
        matches = restored.search(query, k=k, topic=topic, kind=kind)
        return Memories.of(**_who(restored), memories=matches)

    def context_search(
        self, *, agent: arg.Agent, query: arg.Words, run: arg.Run = "", tags: arg.Situations = None,
        emotion: arg.Emotion = "", k: arg.Most = 10, step: arg.Step = None,
    ) -> Memories:  # fmt: skip
        """Search an agent's memories of a situation or a feeling, such as bad news at work.

        Returns matches of the words that have one of the tags and the emotion; for words alone use
        search_memory. `match` is the share of the tags that a memory has.
        """
        restored = self._runs.restored_agent(run, agent, step)
        matches = restored.context_search(query, tags=tags or (), emotion=emotion, k=k)
        return Memories.of(**_who(restored), memories=matches)

    def assess_knowledge(
        self, *, agent: arg.Agent, topic: arg.Words, run: arg.Run = "", step: arg.Step = None
    ) -> Answer:
        """Assess how well an agent knows a topic, from the number and strength of its memories.

        Returns `level` (none, very_low, low, medium or high), `score` (0 to 1), their means of
        confidence, recency and consolidation, suggestions, and the best memories as `evidence`.
        """
        restored = self._runs.restored_agent(run, agent, step)
        return assessment_of(restored.assess(topic), **_who(restored))

    def knowledge_map(
        self, *, agent: arg.Agent, topic: arg.Words, run: arg.Run = "", depth: arg.Depth = 2,
        least: arg.Least = 0.3, step: arg.Step = None,
    ) -> KnowledgeMap:  # fmt: skip
        """Return what an agent knows about a topic, as a graph of related memories.

        `depth` of a node is the number of links from the best memories; `weight` of an edge is the
        similarity of the memories `a` and `b`.
        """
        restored = self._runs.restored_agent(run, agent, step)
        return KnowledgeMap.of_graph(
            restored.map(topic, depth=depth, least=least), **_who(restored)
        )

    def review_list(
        self, *, agent: arg.Agent, run: arg.Run = "", topic: arg.AnyTopic = "", k: arg.Most = 10,
        least: arg.LeastPriority = None, step: arg.Step = None,
    ) -> Memories:  # fmt: skip
        """List the memories that an agent should rehearse, the most urgent first.

        `priority` is the value of rehearsing a memory, `overdue` the days since it was due.
        """
        restored = self._runs.restored_agent(run, agent, step)
        return Memories.of(**_who(restored), memories=restored.review(k, least, topic))

    def interview(
        self, *, agent: arg.Agent, question: arg.Question, run: arg.Run = "",
        memories: arg.Recalled = 5, step: arg.Step = None,
    ) -> Answer:  # fmt: skip
        """Interview an agent, who answers from its memories; they are listed as `evidence`.

        Unless the server was started with a model, reasons, friends and opinions are answered from
        recorded decisions, ties and attitudes, other questions with relevant memories. `mind` is
        rule, model, replay, or fallback: the rule, for the reason `fault`. `decisions` are those
        explained, then the last ones of the kinds that the question names; a decision is carried
        out if `draw` is below `probability`.
        """
        restored = self._runs.restored_agent(run, agent, step)
        with self._model:  # one at a time, because a model's answers may be recorded in a file
            reply = restored.interview(question, memories=memories)
        return Answer.of(
            **_who(restored),
            question=question,
            answer=reply.text,
            mind=reply.mind,
            fault=reply.fault or None,
            evidence=reply.evidence,
            decisions=reply.decisions.head(_MOST_DECISIONS),
        )


def _who(restored: RestoredAgent) -> dict[str, Any]:
    run = restored.run
    return {"agent": restored.agent, "name": restored.name, "at": run.end, "note": note_of(run)}


def matching(frame: pd.DataFrame, conditions: Sequence[str]) -> NDArray[np.bool_]:
    """Return which rows meet all conditions, shape (rows,).

    These are such as "age >= 65", "evacuated = true" or "gender = female"; texts are compared
    without regard to capitals.
    """
    meets = np.ones(len(frame), np.bool_)
    for condition in conditions:
        read = _FORM.fullmatch(condition) if len(condition) <= _LONGEST else None
        if read is None:
            raise ParameterError(
                f"{condition[:80]!r} is not a condition; write 'age >= 65' or 'zone_name = North'"
            )
        name, sign, value = read.groups()
        arg.check_known("no agent has an attribute", name, list(map(str, frame)))
        met = _SIGNS[sign](*_comparable(frame[name], name, value))
        meets &= np.asarray(met.fillna(False), np.bool_)  # noqa: FBT003 - the value filled in
    return meets


def _comparable(column: pd.Series, name: str, value: str) -> tuple[pd.Series, bool | float | str]:
    """Return a column and the value of a condition as types that can be compared."""
    if pd.api.types.is_bool_dtype(column):
        if value.casefold() not in _TRUTH:
            raise ParameterError(f"{name} must be true or false, not {value[:80]!r}")
        return column, _TRUTH[value.casefold()]
    if pd.api.types.is_numeric_dtype(column):
        try:
            return column, float(value)
        except ValueError:
            raise ParameterError(f"{name} must be a number, not {value[:80]!r}") from None
    return column.astype(str).str.casefold(), value.strip("'\"").casefold()
