"""A run, read from its folder into tidy tables."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from memopolis.analysis import panel, written
from memopolis.analysis.manifest import read_manifest
from memopolis.analysis.run_measures import RunMeasures
from memopolis.analysis.run_people import RunPeople
from memopolis.sim.errors import RunFolderError
from memopolis.sim.state.checkpoints import checkpoints_of

if TYPE_CHECKING:
    from memopolis.analysis.life import Life


def load_run(folder: str | Path, *, so_far: bool = False) -> "Run":
    """Read a run.

    Args:
        folder: Where it was recorded.
        so_far: Whether a run is read, too, that another process is making or that was killed:
            as it stood at its newest checkpoint, up to which all tables are whole.

    Returns:
        The run; its tables are read when they are asked for. A run that was interrupted or
        failed says so in `status`, as does one that is still "running".

    Raises:
        RunFolderError: If there is no run, it is broken, or it has not ended; with `so_far`, if
            it has no checkpoint yet.
    """
    folder = Path(folder)
    manifest = read_manifest(folder, so_far=so_far)
    if manifest.get("status") != "running":
        return Run(folder, manifest)
    step = step_so_far(folder)
    if step is None:
        raise RunFolderError(
            f"the run in {folder} has not ended and has no checkpoint yet, up to which it could be "
            "read; checkpoint.every and checkpoint.minutes say when one is written"
        )
    from memopolis.analysis.until import Moment

    return Moment(Run(folder, manifest | {"ticks": step}), step)


def step_so_far(folder: Path) -> int | None:
    """Steps up to which a run that has not ended can be read; None if there are none yet.

    Rows wait in memory until their part is full. At a checkpoint all of them are written, and
    its folder has its name only then.
    """
    return max((one.step for one in checkpoints_of(folder)), default=None)


class Run(RunMeasures, RunPeople):
    """What a run recorded. Tables are DataFrames, read once, when they are first asked for.

    A moment of a run (`until`) and a run under way (`UnderWay`) are runs, too. Frames may be
    shared among them: copy what you change.

    Args:
        folder: Where it lies.
        manifest: What its manifest says.
        rows: Its tables; None for those in the folder.

    Attributes:
        folder: Where it lies.
        manifest: What it was: versions, settings, seed, hashes of data, declared measures.
        rows: Its tables as they were recorded.
    """

    def __repr__(self) -> str:
        return f"<Run {self.title} seed {self.seed}, {self.status}, {self.folder}>"

    def until(self, step: int) -> "Run":
        """The run as it stood after some steps: nothing recorded later is there.

        Args:
            step: How many steps were made, >= 0.

        Returns:
            A run whose tables end there; static tables (zones, weather, track) are whole. This
            run itself where it has no more steps.

        Raises:
            ParameterError: If `step` is negative or no whole number.
        """
        from memopolis.analysis.until import run_until

        return run_until(self, step)

    @property
    def knows_held(self) -> bool:
        """Whether it is known what agents still remember: at the end of a run, or right now."""
        return True

    @cached_property
    def memories(self) -> pd.DataFrame:
        """Memories as written, with their texts written out."""
        return written.told_memories(self._named_memories, self.thoughts)

    @cached_property
    def decisions(self) -> pd.DataFrame:
        """Decisions: texts written out, `evidence` lists the ids of memories they rest on."""
        return written.told_decisions(self._dated("decisions"), self.thoughts)

    @cached_property
    def thoughts(self) -> pd.DataFrame:
        """Decisions that ended in a text, written out, and their evidence in words."""
        if "decisions" not in self.tables:
            return pd.DataFrame(columns=[*written.THOUGHTS])
        named = self._named_memories if "memories" in self.tables else pd.DataFrame()
        return written.thoughts_among(self, self._dated("decisions"), named)

    @cached_property
    def model_calls(self) -> pd.DataFrame:
        """What a model was asked: prompt and answer in words, tokens and outcome of each call."""
        frame = self._dated("model_calls")
        words = self.table("prompts").set_index("hash")["text"]
        for name in ("prompt", "answer"):
            frame[name] = frame[name].map(words).astype(object)
        return frame

    @cached_property
    def survey(self) -> pd.DataFrame:
        """Answers to surveys: when, who, item, value, choice, text, points, evidence.

        `points` are what a rating counts, turned round where the item is reversed.
        """
        return panel.panel_of(self, self._dated("survey"))

    @cached_property
    def survey_scores(self) -> pd.DataFrame:
        """Scores of surveys: when, who, score, value, and whether it reaches the cut-off."""
        return panel.scores_of(self, self.survey)

    def search_memory(self, agent: int, query: str, *, k: int = 20) -> pd.DataFrame:
        """Search what an agent remembers at this moment; looking changes nothing.

        Args:
            agent: Its unique_id.
            query: What is asked for, in words.
            k: Most memories, >= 1.

        Returns:
            Best first, by their id in the run: time, topic, kind, text, emotion, the terms
            recency, importance and relevance, each 0..1 before its weight, and score.

        Raises:
            UnknownNameError: If nobody has that unique_id, or no memories were recorded.
            ParameterError: If the query is empty or `k` is below 1.
        """
        from memopolis.analysis.respondent import respondent

        return respondent(self, agent).search(query, k=k)

    def life(self, agent: int) -> "Life":
        """Gather everything about one agent.

        Raises:
            UnknownNameError: If nobody has that unique_id.
        """
        from memopolis.analysis.life import life_of

        return life_of(self, agent)

    @cached_property
    def _named_memories(self) -> pd.DataFrame:
        return written.named_memories(self, self._dated("memories"))
