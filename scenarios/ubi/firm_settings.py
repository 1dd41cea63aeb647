"""Settings of firms, the labour market, the goods market, the bank and shocks."""

from memopolis.sim.settings import Field, SettingsGroup


class FirmSettings(SettingsGroup):
    """Targets of firms, entry and exit."""

    citizens: float = Field(
        25.0,
        gt=1,
        le=10_000,
        origin="choice",
        description="Citizens per firm at the start and in the long run",
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
        description="Wages relative to output at the start; the rest is profit",
    )
    learning: float = Field(
        0.25,
        ge=0,
        le=1,
        origin="recalled",
        description="Share of a sales surprise that is expected to persist (Caiani 2016)",
    )
    stock: float = Field(
        0.5, ge=0, le=12, unit="months", origin="illustrative", description="Target stock"
    )
    stock_pace: float = Field(
        0.25,
        gt=0,
        le=1,
        origin="illustrative",
        description="Share of the stock gap closed per month",
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
        0.02, ge=0, le=0.5, origin="recalled", description="Maximum price change (Lengnick 2013)"
    )
    mark_up_low: float = Field(
        1.05,
        ge=1,
        le=3,
        origin="illustrative",
        description="Minimum price relative to labour cost",
    )
    mark_up_high: float = Field(
        1.4,
        ge=1,
        le=5,
        origin="illustrative",
        description="Maximum price relative to labour cost",
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
        description="Credit limit, in monthly wages",
    )
    patience: int = Field(
        3,
        ge=1,
        le=120,
        unit="months",
        origin="illustrative",
        description="Months without money for wages, or without workers, after which a firm fails",
    )
    entry: float = Field(
        0.1,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Share of missing firms founded per month",
    )
    entry_shortage: float = Field(
        0.1,
        ge=0,
        le=10,
        unit="1/month",
        origin="illustrative",
        description="New firms per firm of a sector in which all demand is unmet",
    )


class LabourMarketSettings(SettingsGroup):
    """Search, quits, layoffs and wage offers."""

    contact: float = Field(
        0.5,
        ge=0,
        le=1,
        unit="1/month",
        origin="calibrated",
        description="Probability that an unemployed person applies in a month",
    )
    vacancies_seen: int = Field(
        4, ge=1, le=50, origin="recalled", description="Vacancies considered (Lengnick 2013 has 5)"
    )
    on_the_job: float = Field(
        0.05,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Probability that an employed person looks for better pay",
    )
    better_pay: float = Field(
        0.03,
        ge=0,
        le=1,
        origin="illustrative",
        description="Minimum relative gain for which a person changes the employer",
    )
    quits: float = Field(
        0.015,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Probability that a job ends for other reasons than lack of demand",
    )
    firing_pace: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of surplus labour given notice per month",
    )
    wage_step: float = Field(
        0.02, ge=0, le=0.5, origin="calibrated", description="Maximum change of a wage offer"
    )
    wage_patience: int = Field(
        18,
        ge=1,
        le=240,
        unit="months",
        origin="calibrated",
        description="Months without vacancies before a lower wage is offered",
    )


class GoodsMarketSettings(SettingsGroup):
    """Search for sellers."""

    sellers: int = Field(
        3,
        ge=1,
        le=20,
        origin="illustrative",
        description="Firms of each kind that a household knows",
    )
    sensitivity: float = Field(
        4.0,
        ge=0,
        le=100,
        origin="illustrative",
        description="Percentage by which spending falls per percent of higher price",
    )
    review: float = Field(
        0.1,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Probability of comparing a seller with another",
    )
    cheaper: float = Field(
        0.01,
        ge=0,
        le=1,
        origin="recalled",
        description="Minimum relative price advantage of another seller (Lengnick 2013)",
    )
    interest_effect: float = Field(
        2.0,
        ge=0,
        le=20,
        origin="calibrated",
        description="Percentage by which spending falls per point of interest above neutral",
    )


class BankSettings(SettingsGroup):
    """Interest rates, credit limits and write-offs."""

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
        description="Risk premium on loans of firms and households",
    )
    passed_on: float = Field(
        0.8,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of interest income, without the premium, paid on deposits",
    )
    household_credit: float = Field(
        2.0,
        ge=0,
        le=60,
        unit="months",
        origin="illustrative",
        description="Credit limit of a household, in monthly usual incomes",
    )
    revolving: float = Field(
        1.0,
        ge=0,
        le=60,
        unit="months",
        origin="illustrative",
        description="Debt that needs no repayment as long as interest is paid, in usual incomes",
    )
    repayment: float = Field(
        0.1,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Share of a firm's loan, and of a household's debt beyond that limit, repaid "
        "per month",
    )
    arrears: int = Field(
        12,
        ge=1,
        le=240,
        unit="months",
        origin="illustrative",
        description="Consecutive months of unpaid interest after which a household's loan is "
        "written off",
    )
    capital: float = Field(
        0.05,
        ge=0,
        le=1,
        origin="illustrative",
        description="Capital ratio: capital over loans; the excess is paid to the owners",
    )


class ShockSettings(SettingsGroup):
    """Aggregate shocks, which cause business cycles."""

    demand: float = Field(
        0.025,
        ge=0,
        le=1,
        origin="calibrated",
        description="Standard deviation of the logarithm of desired spending",
    )
    demand_persistence: float = Field(
        0.97,
        ge=0,
        le=0.999,
        origin="illustrative",
        description="Monthly autocorrelation of the demand shock",
    )
    productivity: float = Field(
        0.005,
        ge=0,
        le=1,
        origin="calibrated",
        description="Standard deviation of the logarithm of output per hour",
    )
    productivity_persistence: float = Field(
        0.97,
        ge=0,
        le=0.999,
        origin="illustrative",
        description="Monthly autocorrelation of the productivity shock",
    )
