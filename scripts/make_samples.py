"""Write the sample tables of ``sample_data/``: ``python -m scripts.make_samples``. Nobody in them exists."""

from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parents[1] / "sample_data"
SEED, CUSTOMERS = 20, 3000


def customers() -> pd.DataFrame:
    """Customers of a made-up company; who calls often and has not been there for long is likely to leave."""
    rng = np.random.default_rng(SEED)
    age = np.clip(rng.normal(46, 15, CUSTOMERS), 18, 100).round()
    tenure = np.minimum(rng.gamma(1.6, 4.5, CUSTOMERS), np.minimum(30, age - 17)).round(1)
    plan = rng.choice(["basic", "plus", "family"], CUSTOMERS, p=[0.5, 0.3, 0.2])
    spend = rng.lognormal(3.6, 0.5, CUSTOMERS) * np.select([plan == "plus", plan == "family"], [1.5, 2.0], 1.0)
    calls = rng.poisson(1.5 + 2.5 * rng.random(CUSTOMERS))
    odds = 0.8 * (calls - 2.7) - 0.25 * (tenure - 7) - 0.4 * (plan == "family") + 0.004 * spend - 0.6
    leaves = odds + rng.logistic(size=CUSTOMERS) > 0
    return pd.DataFrame(
        {
            "customer_id": [f"C{number:05}" for number in rng.permutation(CUSTOMERS)],
            "age": age.astype(int),
            "tenure_years": tenure,
            "monthly_spend": spend.round(2),
            "support_calls": calls,
            "plan": plan,
            "churned": np.where(leaves, "yes", "no"),
        }
    )


if __name__ == "__main__":
    customers().to_csv(FOLDER / "customers.csv", index=False, lineterminator="\n")
