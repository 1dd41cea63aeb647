"""Settings of firms, markets, the bank, the statistics bureau and shocks."""

from memopolis.scenarios.ubi.household_settings import CURVATURE
from memopolis.sim.settings import Field, SettingsGroup, Share


class FirmMemorySettings(SettingsGroup, origin="illustrative"):
    """Effect of a firm's memories on its decisions."""

    memories: int = Field(12, "Memories of each kind recalled for a decision", ge=1, le=100)
    span: float = Field(
        24.0, "Age from which memories have no weight", gt=0, le=1000, unit="months"
    )
    curvature: float = CURVATURE
    sales: Share = Field(
        0.3, "Weight of recalled surprises in expected sales, the rest is the latest surprise"
    )
    price: float = Field(
        0.02, "Maximum log shift of the mark-up, by recalled shortages, costs and sales", ge=0, le=2
    )
    stock: float = Field(
        0.1,
        "Maximum addition to the target stock, by recalled shortages",
        ge=0,
        le=6,
        unit="months",
    )
    wage: float = Field(
        0.5,
        "Maximum relative extension of the months before a wage cut, by recalled staff shortages",
        ge=0,
        le=10,
    )


class BankMemorySettings(SettingsGroup, origin="illustrative"):
    """Effect of the bank's memories on its interest rate."""

    memories: int = Field(24, "Memories of inflation recalled", ge=1, le=100)
    span: float = Field(
        60.0, "Age from which memories have no weight", gt=0, le=1000, unit="months"
    )
    curvature: float = Field(
        3.0,
        "Weight of recent experience; 0 for equal weights (Malmendier and Nagel 2016)",
        ge=0,
        le=20,
        origin="recalled",
    )
    inflation: Share = Field(
        0.5, "Weight of recalled inflation in expected inflation, the rest is the latest figure"
    )


class BureauSettings(SettingsGroup, origin="illustrative"):
    """Headlines of the statistics bureau."""

    headlines: bool = Field(True, "Whether the bureau makes news of its figures", origin="choice")
    headline_every: int = Field(
        3, "Time between two headlines", ge=1, le=120, unit="months", origin="choice"
    )
    memories: int = Field(72, "Published figures recalled for a headline", ge=1, le=200)
    importance: Share = Field(0.1, "Importance of a headline to citizens")


class FirmSettings(SettingsGroup, origin="illustrative"):
    """Targets of firms, entry and exit."""

    citizens: float = Field(
        25.0, "Citizens per firm at the start and in the long run", gt=1, le=10_000, origin="choice"
    )
    size_exponent: float = Field(
        1.0,
        "Zipf exponent of sizes over ranks in a sector (Axtell 2001)",
        ge=0,
        le=3,
        origin="recalled",
    )
    labour_share: float = Field(
        0.85, "Wages relative to output at the start; the rest is profit", ge=0.3, le=1.0
    )
    learning: Share = Field(
        0.25,
        "Share of a sales surprise that is expected to persist (Caiani 2016)",
        origin="recalled",
    )
    stock: float = Field(0.5, "Target stock", ge=0, le=12, unit="months")
    stock_pace: float = Field(0.25, "Share of the stock gap closed per month", gt=0, le=1)
    utilisation: float = Field(
        0.85,
        "Share of capacity used in normal times: output rises by the rest without further "
        "workers; 1 for a tight economy (Federal Reserve G.17: 80 % on average)",
        gt=0,
        le=1,
        origin="recalled",
    )
    overtime: Share = Field(
        0.7,
        "Percentage by which hours rise per percent of labour that a firm lacks, and fall if it "
        "has too much (Ohanian and Raffo 2012)",
        origin="calibrated",
    )
    menu: float = Field(
        0.035,
        "Log difference from the price of usual mark-up up to which a price is kept; a greater one "
        "is closed",
        gt=0,
        le=0.5,
        origin="calibrated",
    )
    buffer: float = Field(
        1.0, "Wages kept in the account before profit is paid out", ge=0, le=24, unit="months"
    )
    credit: float = Field(3.0, "Credit limit, in monthly wages", ge=0, le=60, unit="months")
    patience: int = Field(
        3,
        "Months without money for wages, or without workers, after which a firm fails",
        ge=1,
        le=120,
        unit="months",
    )
    entry: Share = Field(0.1, "Share of missing firms founded per month", unit="1/month")
    entry_shortage: float = Field(
        0.1,
        "New firms per firm of a sector in which all demand is unmet",
        ge=0,
        le=10,
        unit="1/month",
    )
    memory: FirmMemorySettings = FirmMemorySettings()


class LabourMarketSettings(SettingsGroup, origin="illustrative"):
    """Search, quits, layoffs and wage offers."""

    contact: Share = Field(
        0.7,
        "Probability that a person applies in the month of the notice, at one vacancy per person",
        unit="1/month",
        origin="calibrated",
    )
    matching: Share = Field(
        0.3,
        "Elasticity of this probability to vacancies per person (Petrongolo and Pissarides 2001)",
        origin="recalled",
    )
    search_decline: float = Field(
        0.6,
        "Exponent by which this probability falls with the months of search (Kroft et al. 2016)",
        ge=0,
        le=3,
        origin="computed",
    )
    vacancies_seen: int = Field(
        4, "Vacancies considered (Lengnick 2013 has 5)", ge=1, le=50, origin="recalled"
    )
    on_the_job: Share = Field(
        0.06,
        "Probability that an employed person looks for better pay in a new job; it falls as "
        "(1 + years in the job)^-1/2",
        unit="1/month",
    )
    better_pay: Share = Field(0.03, "Minimum relative gain for which a person changes the employer")
    quits: Share = Field(
        0.04,
        "Probability that a new job ends for other reasons than lack of demand; it falls alike "
        "(Farber 1999)",
        unit="1/month",
    )
    staff_pace: float = Field(
        0.5,
        "Share of the gap between employed and needed labour that a firm plans to close "
        "(Hamermesh 1993)",
        gt=0,
        le=1,
        unit="1/month",
        origin="recalled",
    )
    wage_step: float = Field(
        0.006, "Maximum change of a wage offer", ge=0, le=0.5, origin="calibrated"
    )
    wage_patience: int = Field(
        18,
        "Months without vacancies before a lower wage is offered",
        ge=1,
        le=240,
        unit="months",
        origin="calibrated",
    )


class GoodsMarketSettings(SettingsGroup, origin="illustrative"):
    """Search for sellers."""

    sellers: int = Field(3, "Firms of each kind that a household knows", ge=1, le=20)
    sensitivity: float = Field(
        4.0, "Percentage by which spending falls per percent of higher price", ge=0, le=100
    )
    review: Share = Field(0.1, "Probability of comparing a seller with another", unit="1/month")
    cheaper: Share = Field(
        0.01,
        "Minimum relative price advantage of another seller (Lengnick 2013)",
        origin="recalled",
    )
    imports: Share = Field(
        0.115,
        "Share of household spending that leaves the society (Hale and Hobijn 2011: imported "
        "content of consumption in the United States)",
        origin="recalled",
    )


class BankSettings(SettingsGroup, origin="illustrative"):
    """Interest rates, credit limits and write-offs."""

    neutral: Share = Field(
        0.03,
        "Rate at 2 % inflation and 4 % unemployment (EconAgent)",
        unit="1/year",
        origin="found",
    )
    premium: Share = Field(0.03, "Risk premium on loans of firms and households", unit="1/year")
    passed_on: Share = Field(0.8, "Share of interest income, without the premium, paid on deposits")
    household_credit: float = Field(
        2.0, "Credit limit of a household, in monthly usual incomes", ge=0, le=60, unit="months"
    )
    revolving: float = Field(
        1.0,
        "Debt that needs no repayment as long as interest is paid, in usual incomes",
        ge=0,
        le=60,
        unit="months",
    )
    repayment: Share = Field(
        0.1,
        "Share of a firm's loan, and of a household's debt beyond that limit, repaid per month",
        unit="1/month",
    )
    arrears: int = Field(
        12,
        "Consecutive months of unpaid interest after which a household's loan is written off",
        ge=1,
        le=240,
        unit="months",
    )
    capital: Share = Field(
        0.05, "Capital ratio: capital over loans; the excess is paid to the owners"
    )
    memory: BankMemorySettings = BankMemorySettings()


class ShockSettings(SettingsGroup, origin="calibrated"):
    """Aggregate shocks, which cause business cycles."""

    demand: Share = Field(0.035, "Standard deviation of the logarithm of desired spending")
    demand_persistence: float = Field(
        0.97, "Monthly autocorrelation of the demand shock", ge=0, le=0.999, origin="illustrative"
    )
    productivity: Share = Field(0.005, "Standard deviation of the logarithm of output per hour")
    firm: Share = Field(
        0.025,
        "Standard deviation of the logarithm of a single firm's output per hour, from which "
        "changes of prices of usual sizes follow",
        origin="calibrated",
    )
    firm_persistence: float = Field(
        0.8,
        "Monthly autocorrelation of this shock (Golosov and Lucas 2007: .55 a quarter)",
        ge=0,
        le=0.999,
        origin="recalled",
    )
    productivity_persistence: float = Field(
        0.97,
        "Monthly autocorrelation of the productivity shock",
        ge=0,
        le=0.999,
        origin="illustrative",
    )
