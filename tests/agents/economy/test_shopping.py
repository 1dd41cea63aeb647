"""How money is shared out over sellers, and who is served."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.agents.economy.shopping import compute_spending_shares, serve_in_order, split_cents


def test_equal_prices_get_equal_shares_whatever_the_price_level() -> None:
    shares = compute_spending_shares([[1.0, 1.0, 1.0], [80.0, 80.0, 80.0]], sensitivity=4)
    assert shares == pytest.approx(np.full((2, 3), 1 / 3))


def test_a_more_expensive_seller_gets_less() -> None:
    # Prices 10 % above and below their mean: weights exp(-0.4) and exp(0.4).
    (shares,) = compute_spending_shares([[1.1, 0.9]], sensitivity=4)
    assert shares[1] / shares[0] == pytest.approx(np.exp(0.8))
    assert shares.sum() == pytest.approx(1)


def test_sellers_serve_in_order_until_stock_runs_out() -> None:
    served = serve_in_order([0, 1, 0, 0, 1], [4, 5, 4, 4, 5], [6, 100])
    assert served.tolist() == [4, 5, 2, 0, 5]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.floats(0, 100)), max_size=30),
    st.lists(st.floats(0, 100), min_size=4, max_size=4),
)
def test_no_firm_sells_more_than_its_stock(
    orders: list[tuple[int, float]], stock: list[float]
) -> None:
    seller = np.array([one for one, _ in orders], np.intp)
    asked = np.array([units for _, units in orders])
    served = serve_in_order(seller, asked, stock)
    sold = np.bincount(seller, served, minlength=4)
    assert (sold <= np.array(stock) + 1e-9).all()
    assert ((served >= 0) & (served <= asked)).all()
    wanted = np.bincount(seller, asked, minlength=4)
    assert sold == pytest.approx(np.minimum(wanted, stock), abs=1e-9)


def test_split_cents_loses_no_cent() -> None:
    parts = split_cents([100, 1, 0], [[1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    assert parts.tolist() == [[33, 34, 33], [0, 1, 0], [0, 0, 0]]


@given(
    st.integers(0, 10**12),
    st.lists(st.floats(0, 1), min_size=1, max_size=8).filter(lambda x: sum(x) > 0),
)
def test_split_cents_sum_to_the_total(total: int, weights: list[float]) -> None:
    shares = np.array([weights]) / np.sum(weights)
    parts = split_cents([total], shares)
    assert parts.sum() == total
    assert (parts >= 0).all()
