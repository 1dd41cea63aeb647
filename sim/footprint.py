"""Memory and time per agent that a scenario declares."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Footprint:
    """Memory and time per agent, as measured by `benchmarks/size.py`.

    Attributes:
        base: Bytes of the process without agents.
        built: Bytes per agent at the peak of building.
        agent: Bytes per agent at the peak of a run, as if it had no step.
        step: Bytes that each step adds per agent, mostly memories, until streams are full.
        build_seconds: Processor time per agent of building.
        step_seconds: Processor time per agent and step, recorded, without calls of a model.
        full: Bytes of an agent's full stream; by default of 1,000 memories: 33 pages of 32, and the
            reserve of an eighth.
    """

    base: float
    built: float
    agent: float
    step: float
    build_seconds: float
    step_seconds: float
    full: float = 36_000.0

    def bytes_of_agent(self, steps: int) -> float:
        """Return the bytes per agent at the peak of a run."""
        return max(self.built, self.agent + min(self.step * steps, self.full))


USUAL = Footprint(2.94e8, 195, 2_610, 86.5, 9.5e-8, 6.58e-7)
"""Default footprint: 8,000 citizens who store one memory in each step."""
