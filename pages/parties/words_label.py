"""What the parties' privacy label says whatever its knobs, and what follows from them."""

from lab.label import Stated
from pages.parties.own import OWN
from pages.parties.result import PartiesResult
from ui.panels import at_most

FIXED = {
    "unit": "one whole party, all of its rows",
    "public": "who takes part, all public rows, penalty, bounds on features",
    "trust": "the aggregator, who sees every party's classifier; no party sees another's rows",
    "period": "this one release; publishing two ways adds up",
    "released": "one model, by the chosen way",
    "analyst_only": "accuracies, shares, and private rows",
    "training": "paid",
    "split": "public: by places and the seed, not by any cell",
    "bounds": "public",
    "vocabulary": "none",
    "test_score": "not released",
    "stop_rule": "none: fits stop at a fixed tolerance, which the noise covers",
    "source": "made-up rows",
    "missing": "none: no value is missing",
}
_OWN = {
    "public": "who takes part; bounds, categories and answers that were typed; the public rows",
    "source": "a file of the analyst's own",
    "analyst_only": "accuracies and shares",
    "missing": "the middle of the bounds; a row without a declared answer is not picked",
}
_SOURCES = {
    "digits": "handwritten digits",
    "activities": "made-up windows of sensors, by subject",
    "intrusions": "made-up connections, by host",
    "addresses": "made-up web addresses, by reader",
}
_MECHANISM = {"pate": "noise on the counts of votes"}


def label(result: PartiesResult) -> Stated:
    settings = result.settings
    own = _OWN if settings.dataset == OWN else {}
    own |= {"source": _SOURCES.get(settings.dataset, FIXED["source"])} if settings.dataset != OWN else {}
    attacker = f"who guesses whether a party took part, or another, is right at most {at_most(result.attacker)} in 100"
    mechanism = _MECHANISM.get(settings.method, "noise on the weights, whose density falls with its length")
    return Stated(
        promise=settings.promise,
        claimed=settings.epsilon,
        said=FIXED | own | {"mechanism": mechanism, "attacker": f"{attacker} (a coin: 50)"},
    )
