import pytest

from memopolis.sim.sweep.seeds import bootstrap_seed, points_generator, run_seed


def test_paired_seeds_agree_across_points() -> None:
    seeds = {run_seed(1, point=point, replication=3, seeds="paired") for point in range(50)}
    assert len(seeds) == 1


def test_independent_seeds_differ_in_every_run_and_from_paired_ones() -> None:
    every = [
        run_seed(1, point=point, replication=replication, seeds="independent")
        for point in range(1_000)
        for replication in range(100)
    ]
    paired = [run_seed(1, point=0, replication=one, seeds="paired") for one in range(1_000)]
    assert len(set(every) | set(paired)) == 101_000


def test_seeds_equal_stored_values() -> None:
    # Kept runs are found again by them, whatever is added to a design.
    assert run_seed(1, point=9, replication=0, seeds="paired") == 4117112474581694
    assert run_seed(1, point=2, replication=1, seeds="independent") == 6238814088122568


@pytest.mark.parametrize("kind", ["paired", "independent"])
def test_json_and_floats_keep_a_seed(kind: str) -> None:
    seeds = [run_seed(2, point=1, replication=one, seeds=kind) for one in range(1_000)]  # type: ignore[arg-type]
    assert all(0 <= seed < 2**53 and int(float(seed)) == seed for seed in seeds)
    assert max(seeds) > 2**52


def test_other_root_seeds_give_other_seeds() -> None:
    assert len({run_seed(root, point=0, replication=0, seeds="paired") for root in range(99)}) == 99
    assert points_generator(1).random() == points_generator(1).random()
    assert points_generator(1).random() != points_generator(2).random()
    assert bootstrap_seed(0) > 0
