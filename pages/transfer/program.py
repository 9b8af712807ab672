"""The transfer of a page's settings by the estimator, as a program."""

from pages.transfer.experiment import TransferSettings


def program(settings: TransferSettings) -> str:
    """The transfer of these settings by the estimator, as a program that runs in a checkout."""
    data, noise = settings.data, "gumbel" if settings.noise == "gumbel" else "laplace"
    return f"""from dpcore.estimators.sparse import DPFrankWolfeRegressor
from dpcore.transfer import RADIUS, RESIDUAL_BOUND, problem, statistics

data = problem(
    seed={data.seed},
    rows={data.rows},  # private
    dimension={data.dimension},
    sources={data.sources},
    difference={data.difference!r},
    source_rows={settings.migrated // data.sources},  # public, of each source
)
# Unlike on the page, the transferable sources are given, the noise is calibrated to epsilon even where the page has the
# published scale, and it is one model, no ensemble.
near = data.transferable(q={settings.q!r}, h={settings.h!r})
model = DPFrankWolfeRegressor(
    epsilon={settings.epsilon!r},
    delta={settings.delta!r},
    radius={settings.radius!r} if near.any() else RADIUS,
    residual_bound=RESIDUAL_BOUND,
    penalty={settings.penalty!r},
    q={settings.penalty_q!r},
    noise={noise!r},
    adjacency={settings.adjacency!r},
    random_state={settings.seed},  # None for a release: who knows the seed knows the noise
)
model.fit(data.X, data.y, centre=statistics(data, {settings.migrated // data.sources}).fit(near[None])[0])
print("excess risk (analyst only):", data.risk(model.coef_))
print(model.guarantee_)
"""
