"""Descriptions of saved arrays: what fits, and one line for what does not."""

from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import RunFolderError
from memopolis.sim.saved_arrays import SavedArray, check_arrays, kind_name, single

COUNTS = SavedArray(("int32",), (3,), low=0, high=9)


@pytest.mark.parametrize(
    ("description", "values", "problem"),
    [
        (COUNTS, np.array([0, 9, 4], np.int32), ""),
        (COUNTS, np.zeros(3, np.int64), "has the type int64; int32 is needed"),
        (COUNTS, np.zeros(2, np.int32), r"has the shape (2,); (3,) is needed"),
        (COUNTS, np.zeros((1, 3), np.int32), r"has the shape (1, 3); (3,) is needed"),
        (COUNTS, np.array([0, -1, 0], np.int32), "contains -1; at least 0 is allowed"),
        (COUNTS, np.array([0, 10, 0], np.int32), "contains 10; at most 9 is allowed"),
        (SavedArray(("int8",), (range(2, 4), None)), np.zeros((4, 1), np.int8),
         r"has the shape (4, 1); (2 to 3, any) is needed"),
        (SavedArray(("number",), (2,), finite=True), np.array([1.0, np.nan]),
         "contains nan or infinity; finite numbers are needed"),
        (SavedArray(("float",), (1,)), np.array([np.nan]), ""),
        (SavedArray(("uint8",), (2,), allowed=(0, 64)), np.array([64, 2], np.uint8),
         "contains 2; allowed are 0, 64"),
        (SavedArray(("int64",), (3,), rising=True), np.array([1, 2, 2]),
         "is not in ascending order without repetition"),
        (SavedArray(("bool",), (2,)), np.array([0, 2], np.uint8).view(np.bool_),
         "contains bytes other than 0 and 1"),
        (SavedArray(("int64",), (1,), rules=(lambda _: "is odd",)), np.array([3]), "is odd"),
    ],
)  # fmt: skip
def test_an_array_is_compared_with_its_description(
    description: SavedArray, values: np.ndarray[Any, Any], problem: str
) -> None:
    assert description.problem(values) == problem


def test_parts_of_an_array_are_checked() -> None:
    whole = SavedArray(
        ("int64",), (4,), parts={"even": SavedArray(("int64",), (2,), low=0)},
        split=lambda values: {"even": values[::2]},
    )  # fmt: skip
    whole.check("words", np.array([0, -5, 0, -5]))
    with pytest.raises(RunFolderError, match="words, even, contains -1; at least 0"):
        whole.check("words", np.array([0, -5, -1, -5]))


def test_missing_and_further_arrays_are_refused() -> None:
    described = [("limit", single("int64", 1)), ("counts", COUNTS)]
    good = {"limit": np.array([1]), "counts": np.zeros(3, np.int32)}
    check_arrays(good, described)
    with pytest.raises(RunFolderError, match="a/counts is missing"):
        check_arrays({"limit": np.array([1])}, described, "a/")
    with pytest.raises(RunFolderError, match="other is not part of what is saved"):
        check_arrays(good | {"other": np.zeros(1)}, described)
    check_arrays(good | {"other": np.zeros(1)}, described, others=True)


def test_a_description_may_depend_on_arrays_that_were_checked() -> None:
    arrays = {"count": np.array([-1]), "values": np.zeros(0)}

    def described() -> Any:
        yield "count", single("int64", 0)
        raise AssertionError("the count was used")

    with pytest.raises(RunFolderError, match="count contains -1"):
        check_arrays(arrays, described())


def test_types_have_kinds() -> None:
    kinds = {"i4": "integer", "u1": "integer", "f8": "float", "?": "bool", "U3": "text"}
    assert {name: kind_name(np.dtype(name)) for name in kinds} == kinds
    assert kind_name(np.dtype("M8[s]")) == "<M8[s]"
