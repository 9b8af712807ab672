"""Every text of the parties page is read, on first results and on whole runs."""

from dataclasses import replace

from pages.parties import texts
from pages.parties.page import PAGE
from pages.parties.settings import PartiesSettings
from tests import reached
from tests.pages.parties.examples import SELDOM_DRAWN, release_tasks
from tests.sentences import first

# Settings of few parties that are, with ``SELDOM_DRAWN``, enough to read all texts: those of first
# results, and those of whole runs.
TINY = {"parties": 20, "public_rows": 50, "queries": 20, "repeats": 6}
OF_FIRST_RESULTS = [
    {"dataset": "intrusions", "epsilon": 100.0, "method": "vote", "parties": 20},
    {"dataset": "addresses", "method": "pate", "parties": 20},
    {"dataset": "activities"},
    {"epsilon": 100.0, "repeats": 2},
    {"dataset": "four", "parties": 2, "epsilon": 0.01, "seed": 1},
    {"method": "average", "constants": "sharp", "epsilon": 100.0},
    {"method": "vote", "parties": 200, "repeats": 20},
    {"method": "federated", "trust_model": "shuffle", "parties": 20},
    {"parties": 5000, "rows": 3, "epsilon": 100.0, "public_rows": 2000, "regularisation": 1.0},
]
OF_WHOLE_RUNS = [
    {"repeats": 2},
    {"method": "vote", "epsilon": 10.0, "repeats": 20, "rows": 30},
    {"parties": 20_000, "rows": 3, "dataset": "four", "epsilon": 100.0, "regularisation": 1.0},
]


def tiny(**changes) -> PartiesSettings:
    """Return settings of few parties, with a data set first, as it changes other fields."""
    settings = PartiesSettings().change(**TINY)
    return settings.change(dataset=changes.get("dataset", "two")).change(**changes)


def test_part_of_the_parties_counts_its_own_answers():
    result = tiny(trust_model="local").experiment.run()

    so_far = replace(result, asked=10)

    assert "truthful" not in texts.verdict(so_far)
    assert "these 10 answers" in " ".join(texts.diagnostics(so_far))


def test_every_text_is_read():
    whole = tiny().experiment.run()
    no_weights = {release: 0 * weights for release, weights in whole.fits.weights.items()}
    tied = replace(whole.fits, weights=no_weights, accuracy=0 * whole.fits.accuracy)
    results = [whole, replace(whole, asked=10), replace(whole, fits=tied)]
    first_settings = [*SELDOM_DRAWN, *(tiny(**changes) for changes in OF_FIRST_RESULTS)]
    for settings in first_settings:
        results.append(first(settings, release_tasks(settings)))
    for changes in OF_WHOLE_RUNS:
        settings = PartiesSettings().change(**{**TINY, **changes})
        results.append(settings.experiment.run())
    results.append(tiny(trust_model="local").experiment.run())

    for result in results:
        reached.show(PAGE, result)

    assert reached.unread(texts.SAYS) == []
