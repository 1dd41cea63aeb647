"""Settings of firms, the labour market, the goods market, the bank and shocks."""

from memopolis.sim.settings import Field, SettingsGroup


class FirmSettings(SettingsGroup):
    """What firms aim at, and when they come and go."""

    citizens: float = Field(
        25.0,
        gt=1,
        le=10_000,
        origin="choice",
        description="Citizens for each firm at the start, and in the long run",
    )
    size_exponent: float = Field(
        1.0,
        ge=0,
        le=3,
        origin="recalled",
        description="Zipf exponent of sizes over ranks in a sector (Axtell 2001)",
    )
    labour_share: float = Field(
        0.85,
        ge=0.3,
        le=1.0,
        origin="illustrative",
        description="Wages over output at the start; the rest is profit",
    )
    learning: float = Field(
        0.25,
        ge=0,
        le=1,
        origin="recalled",
        description="Part of a surprise in sales that is expected to last (Caiani 2016)",
    )
    stock: float = Field(
        0.5, ge=0, le=12, unit="months", origin="illustrative", description="Stock wanted"
    )
    stock_pace: float = Field(
        0.25,
        gt=0,
        le=1,
        origin="illustrative",
        description="Part of a gap in stock that is closed in a month",
    )
    stock_low: float = Field(
        0.35,
        ge=0,
        le=12,
        unit="months",
        origin="illustrative",
        description="Stock below which the price rises",
    )
    stock_high: float = Field(
        0.65,
        ge=0,
        le=12,
        unit="months",
        origin="illustrative",
        description="Stock above which the price falls",
    )
    price_step: float = Field(
        0.02, ge=0, le=0.5, origin="recalled", description="Most change of a price (Lengnick 2013)"
    )
    mark_up_low: float = Field(
        1.05,
        ge=1,
        le=3,
        origin="illustrative",
        description="Least price over the cost of labour",
    )
    mark_up_high: float = Field(
        1.4,
        ge=1,
        le=5,
        origin="illustrative",
        description="Greatest price over the cost of labour",
    )
    buffer: float = Field(
        1.0,
        ge=0,
        le=24,
        unit="months",
        origin="illustrative",
        description="Wages kept in the account before profit is paid out",
    )
    credit: float = Field(
        3.0,
        ge=0,
        le=60,
        unit="months",
        origin="illustrative",
        description="Wages up to which the bank lends",
    )
    patience: int = Field(
        3,
        ge=1,
        le=120,
        unit="months",
        origin="illustrative",
        description="Months without money for wages, or without a worker, after which a firm fails",
    )
    entry: float = Field(
        0.1,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Part of the missing firms that is founded in a month",
    )
    entry_shortage: float = Field(
        0.1,
        ge=0,
        le=10,
        unit="1/month",
        origin="illustrative",
        description="New firms for each firm of a sector where nothing asked for can be had",
    )


class LabourMarketSettings(SettingsGroup):
    """Search, quits, notices and wage offers."""

    contact: float = Field(
        0.5,
        ge=0,
        le=1,
        unit="1/month",
        origin="calibrated",
        description="Chance that somebody without work applies in a month",
    )
    vacancies_seen: int = Field(
        4, ge=1, le=50, origin="recalled", description="Vacancies looked at (Lengnick 2013 has 5)"
    )
    on_the_job: float = Field(
        0.05,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Chance that somebody with work looks for better pay",
    )
    better_pay: float = Field(
        0.03,
        ge=0,
        le=1,
        origin="illustrative",
        description="Gain for which somebody changes the firm",
    )
    quits: float = Field(
        0.015,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Chance that a job ends for other reasons than want of work",
    )
    firing_pace: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="illustrative",
        description="Part of the work a firm has too much that is given notice in a month",
    )
    wage_step: float = Field(
        0.02, ge=0, le=0.5, origin="calibrated", description="Most change of a wage offer"
    )
    wage_patience: int = Field(
        18,
        ge=1,
        le=240,
        unit="months",
        origin="calibrated",
        description="Months with all jobs filled before a lower wage is offered",
    )


class GoodsMarketSettings(SettingsGroup):
    """How households find sellers."""

    sellers: int = Field(
        3, ge=1, le=20, origin="illustrative", description="Firms of each kind a household knows"
    )
    sensitivity: float = Field(
        4.0,
        ge=0,
        le=100,
        origin="illustrative",
        description="Percent less spent at a seller who is a percent dearer",
    )
    review: float = Field(
        0.1,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Chance to compare a seller with another",
    )
    cheaper: float = Field(
        0.01,
        ge=0,
        le=1,
        origin="recalled",
        description="How much cheaper another seller must be (Lengnick 2013)",
    )
    interest_effect: float = Field(
        2.0,
        ge=0,
        le=20,
        origin="calibrated",
        description="Percent less spent for each point that interest is above the neutral rate",
    )


class BankSettings(SettingsGroup):
    """Rates, limits and when loans are given up."""

    neutral: float = Field(
        0.03,
        ge=0,
        le=1,
        unit="1/year",
        origin="found",
        description="Rate at 2 % inflation and 4 % unemployment (EconAgent)",
    )
    premium: float = Field(
        0.03,
        ge=0,
        le=1,
        unit="1/year",
        origin="illustrative",
        description="Added to the rate on loans of firms and households, for those it will lose",
    )
    passed_on: float = Field(
        0.8,
        ge=0,
        le=1,
        origin="illustrative",
        description="Part of the interest taken, without the premium, that is paid on deposits",
    )
    household_credit: float = Field(
        2.0,
        ge=0,
        le=60,
        unit="months",
        origin="illustrative",
        description="Usual incomes up to which the bank lends to a household",
    )
    revolving: float = Field(
        1.0,
        ge=0,
        le=60,
        unit="months",
        origin="illustrative",
        description="Usual incomes that a household may owe as long as it pays the interest",
    )
    repayment: float = Field(
        0.1,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Part of a firm's loan, and of what a household owes beyond that, that is due "
        "in a month",
    )
    arrears: int = Field(
        12,
        ge=1,
        le=240,
        unit="months",
        origin="illustrative",
        description="Months in a row with interest unpaid after which a household's loan is "
        "given up",
    )
    capital: float = Field(
        0.05,
        ge=0,
        le=1,
        origin="illustrative",
        description="Own money over loans; what is above is paid to the owners",
    )


class ShockSettings(SettingsGroup):
    """Shocks to the whole economy, which make business cycles."""

    demand: float = Field(
        0.025,
        ge=0,
        le=1,
        origin="calibrated",
        description="Standard deviation of the logarithm of households' wish to spend",
    )
    demand_persistence: float = Field(
        0.97, ge=0, le=0.999, origin="illustrative", description="Part of it left after a month"
    )
    productivity: float = Field(
        0.005,
        ge=0,
        le=1,
        origin="calibrated",
        description="Standard deviation of the logarithm of output for an hour",
    )
    productivity_persistence: float = Field(
        0.97, ge=0, le=0.999, origin="illustrative", description="Part of it left after a month"
    )
