"""The training of the classifier page as a Python program."""

from dpcore.data.toy import DATASETS
from pages.classifier.experiment import ClassifierSettings


def program(settings: ClassifierSettings) -> str:
    """The sound version of these settings by the estimator, as a program that runs in a checkout."""
    source, public = DATASETS[settings.dataset], settings.model.public
    imported = f"from pages.classifier.work import {type(public).__name__}\n" if public else ""
    start = f"start = {public!r}.weights()  # from public rows alone\n" if public else ""
    given = ", coef_init=start[:, :-1], intercept_init=start[:, -1]" if public else ""
    return f"""from dpcore.data import toy
from dpcore.estimators.logistic import DPLogisticRegression
{imported}
split = toy.load({settings.dataset!r}, seed={settings.seed}, private_rows={settings.rows})
# As in the page's correct version, each gradient is clipped and the noise calibrated exactly. Unlike on the page, rows
# are scaled to norm 1 at most, so clip_norm and learning_rate count in other units. It is one model, no ensemble.
model = DPLogisticRegression(
    epsilon={settings.epsilon!r},
    delta={settings.delta!r},
    clip_norm={settings.clip_norm!r},
    data_norm={len(source.features)}**0.5,  # features lie in [-1, 1]
    classes=range({len(source.classes)}),
    steps={settings.steps},
    learning_rate={settings.learning_rate!r},
    average=False,
    adjacency={settings.adjacency!r},
    random_state={settings.seed},  # None for a release, because the seed gives away the noise
)
{start}model.fit(split.X_private, split.y_private{given})
print("accuracy on held-out rows:", model.score(split.X_test, split.y_test))
print(model.guarantee_)
"""
