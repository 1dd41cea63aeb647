"""Remember the change of price that was most noticeable in the shops of the month."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.economy.experience import encode_change
from memopolis.agents.joining import extend_rows
from memopolis.scenarios.ubi.blocks.goods_market import ConsumeGoods
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.scenarios.ubi.memories import Importance
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.arrays import Floats, Intp
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

DEARER = (
    "Food cost more than last month.",
    "Rent and repairs cost more than last month.",
    "Fuel and fares cost more than last month.",
    "What we buy besides food and rent cost more than last month.",
)
CHEAPER = (
    "Food cost less than last month.",
    "Rent and repairs cost less than last month.",
    "Fuel and fares cost less than last month.",
    "What we buy besides food and rent cost less than last month.",
)
"""Texts of memories by kind of goods."""

SCALE = 0.05  # log change of a price at which its valence is 1 or -1 (illustrative)
NOTICED = 0.005  # log change of a price that is noticed in a shop (illustrative)
RISES = 1.5
"""Factor of rises when the most noticeable change is chosen.

Source: Shoppers recall rises of prices rather than cuts: D'Acunto, Malmendier, Ospina and Weber
2021, Journal of Political Economy 129:1615-1639 (recalled); the factor is illustrative.
"""
VISITS = 0.5  # share of the household's shops that an adult visits in the week (illustrative)
OF_PRICE = Importance(least=0.05, most=0.15, scale=0.5)  # importance by the valence


@dataclass(eq=False, repr=False)
class RememberShopping(Block):
    """Let adults remember the most noticeable change of price in the shops that they visit."""

    reads = ("age", "household")
    writes = ()
    state = ("price_then",)

    goods: ConsumeGoods

    def setup(self) -> None:
        """Start without known prices."""
        self.price_then = np.full(len(self.goods.market.firms), np.nan, np.float32)

    def step(self, citizens: Cohort) -> None:
        """Compare the prices of the shops that each adult visits with those of last month."""
        price = self.goods.market.firms["price"].astype(np.float32)
        then = extend_rows(self.price_then, len(price), np.nan)
        self.price_then = price.copy()
        change = np.nan_to_num(np.log(price / np.where(then > 0, then, np.nan)))
        house = citizens["household"]
        # Households that have just arrived know no shops yet.
        adults = citizens.where((citizens["age"] >= ADULT) & (house < len(self.goods.sellers)))
        shops = self.goods.sellers[adults["household"]]
        count = int(np.prod(shops.shape[1:]))
        draw = self.chance.uniforms(adults, count, "visit").reshape(shops.shape)
        visited = (draw < VISITS) & (shops >= 0)
        kind, felt = find_most_noticeable(np.where(visited, change[shops], 0.0))
        noticed = np.abs(felt) > NOTICED
        if not noticed.any():
            return
        texts = self.society.texts.intern_many([*DEARER, *CHEAPER])
        text = texts[np.where(felt > 0, kind, len(GOODS) + kind)][noticed]
        valence = -encode_change(felt[noticed], scale=SCALE)
        adults.where(noticed).stream.add(
            "prices", text, importance=OF_PRICE.of(valence), valence=valence
        )


def find_most_noticeable(change: Floats) -> tuple[Intp, Floats]:
    """Return the kind of goods and the log change that each person notices most, (people,).

    `change` has the log change of the price in each shop, 0 where it is not visited, (people,
    kinds, sellers).
    """
    flat = change.reshape(len(change), -1)
    weight = np.where(flat > 0, RISES * flat, -flat)
    place = weight.argmax(axis=1)
    felt = flat[np.arange(len(flat)), place]
    return place // change.shape[2], felt
