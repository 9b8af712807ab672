"""The training of the network page as a Python program."""

from pages.network.parameters import ACCOUNTANTS, NetworkParameters


def program(settings: NetworkParameters) -> str:
    """Return one such network by the estimator, as a program that runs in a checkout."""
    recipe = settings.models["private"].recipe
    return f"""from dpcore.data import toy
from dpcore.estimators.network import DPNetworkClassifier

split = toy.load({settings.dataset!r}, seed={settings.seed}, private_rows={settings.rows})
# As on the page, but one network, no ensemble, always the correct loop and Poisson sampling, with noise made for its
# epochs. The rate falls geometrically, and noise and clipping norm stay. Rows are scaled to norm 1 at most, where the
# page's are longer, so that hidden units bend less.
model = DPNetworkClassifier(
    hidden_layer_sizes={recipe.architecture.sizes[1:-1]!r},
    activation={settings.activation!r},
    epsilon={settings.epsilon!r},
    delta={settings.delta!r},
    clip_norm={recipe.clip_norm!r},
    data_norm=split.X_private.shape[1] ** 0.5,  # features lie in [-1, 1]
    epochs={settings.steps * settings.rate!r},
    lot_size={settings.lot_size},
    learning_rate={settings.learning_rate!r},
    decay={settings.decay!r},
    accountant={ACCOUNTANTS[settings.accountant]!r},
    classes=range(split.n_classes),
    random_state={settings.seed},  # None for a release, because the seed gives away the noise
)
model.fit(split.X_private, split.y_private)
print("accuracy on held-out rows:", model.score(split.X_test, split.y_test))
print(model.guarantee_)
"""
