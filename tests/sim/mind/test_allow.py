"""No test and no dry run reaches a model by mistake."""

import pytest

from memopolis.sim.errors import StateError
from memopolis.sim.mind.allow import check_allowed, models_allowed, no_models


def test_models_are_off_in_tests() -> None:
    assert not models_allowed()
    with pytest.raises(StateError, match="MEMOPOLIS_MODELS=off"):
        check_allowed()


def test_models_are_allowed_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMOPOLIS_MODELS")
    check_allowed()


def test_models_are_off_within_a_block_and_on_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMOPOLIS_MODELS")
    with no_models(), pytest.raises(StateError):
        check_allowed()
    assert models_allowed()
