"""Run arms of a scenario with the same seeds, and compare their outcomes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis.compare.intervals import (
    NAN,
    Interval,
    bootstrap_interval,
    check_confidence,
    effect_size,
    interval,
    paired_difference,
    superiority,
)
from memopolis.analysis.run.run import Run, load_run
from memopolis.sim import outcomes as taken
from memopolis.sim.arms import (
    ARMS,
    REPLICATES,
    Changes,
    check_arms,
    folder_name,
    read_arms,
    save_arms,
)
from memopolis.sim.errors import ParameterError, RunFolderError, SettingsError, UnknownNameError
from memopolis.sim.mind.estimate import price_of
from memopolis.sim.outcomes import Outcome, read_outcomes
from memopolis.sim.progress import RunProgress
from memopolis.sim.replicate import listed, replicate_arms, settings_of
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society


def compare(
    scenario: type[Society[Any]] | str,
    settings: Settings | Mapping[str, object] | None = None,
    *,
    arms: Sequence[str] | Mapping[str, Changes],
    seeds: Iterable[int],
    folder: str | Path,
    outcomes: Sequence[str] = (),
    confidence: float = 0.95,
    workers: int | None = None,
    progress: RunProgress | None = None,
    force: bool = False,
) -> "Comparison":
    """Run the arms of a scenario with the same seeds.

    All arms of a seed share random draws, so differences vary less than means. In a script, call
    this below `if __name__ == "__main__":`, since other processes import the script, too.

    Args:
        scenario: Class of a society, or its name as for `memopolis run`.
        settings: Settings that all arms share, or changes to the defaults by name.
        arms: Names of arms that the scenario declares, or changes of settings such as
            "storm=none+agents=500"; or changes by a custom name. The first is the
            reference for all others.
        seeds: Random seeds, at least two; every arm is run with each of them.
        folder: Folder of the runs, which become ARM/seed-00001. Finished runs of the same
            settings in it are reused.
        outcomes: Outcomes in the notation of `read_outcomes`; () for those of the scenario.
        confidence: Of the intervals, in (0, 1).
        workers: Number of processes, >= 1; None for one per core.
        progress: Called after each run with the numbers of runs succeeded, failed and in total.
        force: Whether to run even if the workers may need more memory than this machine has.

    Raises:
        UnknownNameError: If there is no such scenario, arm or outcome, or no run has the group of
            an outcome; the runs are kept.
        SettingsError: If a setting is unknown or not allowed, or an arm records no measures.
        ParameterError: If there are fewer than two arms or seeds, no outcomes, or `confidence` is
            not between 0 and 1.
        RunFolderError: If a folder contains something else, or cannot be written.
        ReplicationError: If runs failed; the others are kept.
    """
    known = find_scenario(scenario) if isinstance(scenario, str) else scenario
    changes = dict(arms) if isinstance(arms, Mapping) else read_arms(known, arms)
    check_arms(list(changes))
    chosen = listed(seeds)
    if len(chosen) < 2:
        raise ParameterError(
            f"arms are compared over {len(chosen)} seeds; an interval needs at least 2, better 10"
        )
    check_confidence(confidence)
    declared = [measure.to_dict() for measure in known.measures]
    compared = tuple(read_outcomes(outcomes or known.outcomes, declared, title=known.title))
    _check_outcomes(compared, [measure["name"] for measure in declared], known.title)
    shared = settings_of(known, settings)
    by_arm = {arm: shared.with_changes(changed) for arm, changed in changes.items()}
    base = Path(folder).resolve()
    _check_measured(by_arm)
    _check_folder(base)
    folders = {base / folder_name(arm): own for arm, own in by_arm.items()}
    finished = replicate_arms(
        known, folders, seeds=chosen, workers=workers, progress=progress, force=force,
        checked=partial(save_arms, base, list(by_arm)),
    )  # fmt: skip
    runs = {
        arm: tuple(load_run(run) for run in own)
        for arm, own in zip(by_arm, finished.values(), strict=True)
    }
    _check_groups(compared, runs)
    return Comparison(base, runs, compared, confidence)


@dataclass(frozen=True)
class Comparison:
    """Runs of several arms that share their seeds."""

    folder: Path  # folder of the runs
    runs: Mapping[str, tuple[Run, ...]]  # by arm, in the order of the seeds; the reference first
    outcomes: tuple[Outcome, ...]  # outcomes in which the arms are compared
    confidence: float = 0.95  # of the intervals

    @property
    def arms(self) -> list[str]:
        """Names of the arms, the reference first."""
        return list(self.runs)

    @property
    def seeds(self) -> list[int]:
        """Seeds that all arms share."""
        return [run.seed for run in self.runs[self.arms[0]]]

    @cached_property
    def values(self) -> pd.DataFrame:
        """Outcomes of every run: outcome, arm, seed, value."""
        return pd.DataFrame(
            [
                {"outcome": name, "arm": arm, "seed": run.seed, "value": value}
                for arm, runs in self.runs.items()
                for run in runs
                for name, value in taken.read(run.folder, self.outcomes).items()
            ],
            columns=["outcome", "arm", "seed", "value"],
        )

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per outcome and arm.

        Columns: outcome, arm, reference, mean, low, high (over seeds), difference, diff_low,
        diff_high (arm minus reference, paired by seed, Student's t), boot_low, boot_high (its
        bootstrap interval), effect_size (Hedges' g of pairs), superiority (share of seeds in
        which the arm has more) and seeds (number of seeds that have a value). Differences and
        effects are NaN for the reference itself.
        """
        rows = []
        for outcome, frame in self.values.groupby("outcome", sort=False):
            by_arm = {str(arm): list(own["value"]) for arm, own in frame.groupby("arm")}
            rows += [self._row(str(outcome), arm, by_arm) for arm in self.arms]
        return pd.DataFrame(rows)

    @cached_property
    def paths(self) -> pd.DataFrame:
        """The compared measures in every step: measure, group, arm, seed, time, value."""
        series = dict.fromkeys((o.measure, o.group) for o in self.outcomes)
        parts = [
            run.measure(name, group)
            .rename("value")
            .reset_index()
            .assign(measure=name, group=group, arm=arm, seed=run.seed)
            for name, group in series
            for arm, runs in self.runs.items()
            for run in runs
            if group in run.groups(name)
        ]
        names = ["measure", "group", "arm", "seed", "time", "value"]
        empty = pd.DataFrame(columns=names)
        return pd.concat(parts, ignore_index=True)[names] if parts else empty

    @cached_property
    def model_calls(self) -> pd.DataFrame:
        """Use of language models by arm; empty if no arm calls one.

        Columns: arm, model ("-" for none) and means per run: calls, failed (calls without a
        usable answer), fallbacks (answers that the rule gave instead), tokens_in, tokens_out,
        dollars (NaN if the prices are unknown) and seconds (of the whole run).
        """
        used = [_model_use(arm, run) for arm, runs in self.runs.items() for run in runs]
        if not any(mind["calls"] for mind in used):
            return pd.DataFrame()
        return pd.DataFrame(used).groupby(["arm", "model"], sort=False).mean().reset_index()

    def _row(self, outcome: str, arm: str, by_arm: Mapping[str, list[float]]) -> dict[str, object]:
        reference = self.arms[0]
        mean = interval(by_arm[arm], confidence=self.confidence)
        difference = bootstrap = Interval(NAN, NAN, NAN, 0)
        effect = more = NAN
        if arm != reference:
            treated, control = by_arm[arm], by_arm[reference]
            difference = paired_difference(treated, control, confidence=self.confidence)
            differences = [one - other for one, other in zip(treated, control, strict=True)]
            bootstrap = bootstrap_interval(differences, confidence=self.confidence)
            effect, more = effect_size(treated, control), superiority(treated, control)
        values = (
            *(outcome, arm, reference, *mean[:3], *difference[:3]),
            *(bootstrap.low, bootstrap.high, effect, more, mean.seeds),
        )
        return dict(zip(_COLUMNS, values, strict=True))


_COLUMNS = (
    *("outcome", "arm", "reference", "mean", "low", "high", "difference", "diff_low", "diff_high"),
    *("boot_low", "boot_high", "effect_size", "superiority", "seeds"),
)
_USE = ("calls", "failed", "fallbacks", "tokens_in", "tokens_out")


def _model_use(arm: str, run: Run) -> dict[str, Any]:
    """Return the use of models by a run, from its manifest."""
    facts = run.manifest["mind"]
    minds = facts.get("minds", [facts] if facts else [])
    used = {name: sum(int(mind.get(name, 0)) for mind in minds) for name in _USE}
    llm = run.manifest["settings"]["llm"]
    price = price_of(used["tokens_in"], used["tokens_out"], llm["price_in"], llm["price_out"])
    return {
        "arm": arm,
        "model": ", ".join(dict.fromkeys(str(mind.get("model", "-")) for mind in minds)) or "-",
        **used,
        "dollars": NAN if price is None and used["calls"] else price or 0.0,
        "seconds": float(run.timings.get("seconds", NAN)),
    }


def _check_outcomes(outcomes: Sequence[Outcome], measures: Sequence[str], title: str) -> None:
    """Refuse a comparison without outcomes, before any run starts."""
    if outcomes:
        return
    if not measures:
        raise ParameterError(
            f"{title} has no measures, so its arms cannot be compared; declare some in its class "
            f"as `measures`"
        )
    raise ParameterError(
        f"{title} has no outcomes: none of its measures has a chart; name outcomes (--outcomes); "
        f"its measures are {', '.join(measures)}"
    )


def _check_measured(arms: Mapping[str, Settings]) -> None:
    """Refuse arms that do not record measures, before they run."""
    for arm, settings in arms.items():
        if "measures" not in settings.record.tables:
            raise SettingsError(
                f"arm {arm}: record.tables is {', '.join(settings.record.tables) or 'none'}; arms "
                "are compared in their measures, so add measures to it"
            )


def _check_folder(folder: Path) -> None:
    """Refuse a folder with other files, which the tables and the report could replace."""
    if not folder.is_dir() or (folder / ARMS).exists():
        return
    if any(folder.iterdir()) and not any(folder.glob(f"*/{REPLICATES}")):
        raise RunFolderError(
            f"{folder} contains other files than runs of arms; choose another folder"
        )


def _check_groups(outcomes: Sequence[Outcome], runs: Mapping[str, Sequence[Run]]) -> None:
    """Refuse a group that no run has; runs without a group have no value."""
    for outcome in outcomes:
        groups = {
            group for own in runs.values() for run in own for group in run.groups(outcome.measure)
        }
        if outcome.group not in groups:
            known = ", ".join(sorted(filter(None, groups))) or "none"
            raise UnknownNameError(
                f"outcome {outcome.name}: no run has the group {outcome.group!r}; groups of "
                f"{outcome.measure} are {known}"
            )
