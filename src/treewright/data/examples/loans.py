"""A realistic mixed table from a seeded generator: 2,000 loans and their outcomes.

Synthetic, but built like real tables: numbers of several scales, nominal and ordinal columns,
dates, booleans, values not missing at random, a rare class, noise, and uninformative columns.
NumPy promises that ``RandomState`` gives the same stream in every version.
"""

from __future__ import annotations

import numpy as np

from treewright.array_types import Array
from treewright.data.column import Column
from treewright.data.frame import Frame
from treewright.data.read.arrays import read_array

N_LOANS = 2000
OUTCOMES = ("repaid", "late", "default")
_EDUCATION = ("none", "school", "apprenticeship", "college", "university")
_EMPLOYMENT = ("salaried", "self-employed", "public service", "pension", "without work")
_REGIONS = ("north", "south", "east", "west", "centre", "islands")
_PURPOSES = ("car", "house", "furniture", "studies", "business", "holiday", "repayment", "other")
_MONTHS = (12, 24, 36, 48, 60, 84, 120)
_CHANNELS = ("branch", "web", "phone", "broker")


def make_loans(n_rows: int = N_LOANS, *, seed: int = 20240301) -> tuple[Frame, Array]:
    """Return the loans and, for each, its outcome: repaid, late, or (seldom) default.

    >>> frame, outcome = make_loans(500)
    >>> frame.shape, sorted(set(outcome.tolist()))
    ((500, 14), ['default', 'late', 'repaid'])
    """
    random = np.random.RandomState(seed)
    age = np.clip(random.gamma(9.0, 4.6, n_rows), 18, 84).astype(np.int64)
    education = np.clip(np.rint(random.normal(2.2 - 0.01 * (age - 40), 1.0)), 0, 4).astype(int)
    employment = _draw(random, n_rows, (0.58, 0.14, 0.13, 0.09, 0.06))
    employment[(age >= 67) & (random.random_sample(n_rows) < 0.85)] = 3
    income = np.exp(
        random.normal(7.6, 0.42, n_rows)
        + 0.11 * education
        - np.array([0.0, 0.05, 0.0, 0.25, 0.95])[employment]
    )
    years_employed = np.clip(random.exponential(6.0, n_rows), 0, np.maximum(age - 17, 1))
    purpose = _draw(random, n_rows, (0.27, 0.12, 0.14, 0.1, 0.1, 0.08, 0.13, 0.06))
    amount = np.round(np.exp(random.normal(8.6, 0.75, n_rows)) * (1 + 2.5 * (purpose == 1)), -2)
    months = random.choice(
        [12, 24, 36, 48, 60, 84, 120], n_rows, p=[0.1, 0.2, 0.25, 0.2, 0.15, 0.06, 0.04]
    )
    past_delays = random.poisson(0.35 + 0.9 * (employment == 4), n_rows)
    has_guarantor = random.random_sample(n_rows) < 0.18
    region = _draw(random, n_rows, (0.22, 0.2, 0.17, 0.19, 0.15, 0.07))
    channel = _draw(random, n_rows, (0.35, 0.4, 0.1, 0.15))
    applied = np.datetime64("2019-01-01") + random.randint(0, 5 * 365, n_rows).astype("m8[D]")

    burden = amount / months / income
    risk = (
        2.6 * np.log(np.maximum(burden, 1e-3) / 0.09)
        + 1.25 * past_delays
        - 1.5 * has_guarantor
        - 0.35 * education
        - 0.12 * np.minimum(years_employed, 10)
        + np.array([0.0, 0.8, -0.6, -0.3, 1.6])[employment]
        + 1.3 * ((channel == 3) & (purpose == 6))  # brokers' debt repayments: an interaction
        + 0.9 * ((applied >= np.datetime64("2020-03-15")) & (applied < np.datetime64("2021-06-01")))
        + random.normal(0.0, 0.8, n_rows)
    )
    late_above, default_above = np.quantile(risk, [0.84, 0.965])
    outcome = np.array(OUTCOMES, dtype=object)[
        (risk > late_above).astype(int) + (risk > default_above)
    ]

    last_contact = applied + random.randint(30, 700, n_rows).astype("m8[D]")
    last_contact[random.random_sample(n_rows) < 0.3] = np.datetime64("NaT", "D")
    # The self-employed leave their income out more often: missing is informative.
    hides_income = random.random_sample(n_rows) < np.where(employment == 1, 0.3, 0.05)
    years_employed[(employment == 3) | (employment == 4)] = np.nan
    region_known = random.random_sample(n_rows) > 0.02
    columns: dict[str, Column] = {
        "age": read_array(age, "age"),
        "education": _coded(education, _EDUCATION, ordered=True),
        "employment": _coded(employment, _EMPLOYMENT),
        "years_employed": read_array(np.round(years_employed, 1), "years_employed"),
        "income": read_array(np.where(hides_income, np.nan, np.round(income, 2)), "income"),
        "region": _coded(np.where(region_known, region, -1), _REGIONS),
        "purpose": _coded(purpose, _PURPOSES),
        "amount": read_array(amount, "amount"),
        "months": read_array(months.astype(np.int64), "months"),
        "past_delays": read_array(past_delays.astype(np.int64), "past_delays"),
        "has_guarantor": read_array(has_guarantor, "has_guarantor"),
        "channel": _coded(channel, _CHANNELS),
        "applied": read_array(applied, "applied"),
        "last_contact": read_array(last_contact, "last_contact"),
    }
    return Frame(columns), outcome


def _draw(random: np.random.RandomState, n_rows: int, shares: tuple[float, ...]) -> Array:
    return np.asarray(random.choice(len(shares), n_rows, p=shares))


def _coded(codes: Array, values: tuple[str, ...], *, ordered: bool = False) -> Column:
    data = codes.astype(np.int32)
    return Column(storage="value", data=data, values=values, fixed=True, ordered=ordered)
