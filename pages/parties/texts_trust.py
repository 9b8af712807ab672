"""Texts on noise that each party adds itself: what it costs, and what a shuffler makes of it."""

from pages.parties.charts import SAYS
from pages.parties.result import PartiesResult
from ui.text.numbers import delta as delta_text
from ui.text.tiles import number, percent


def local_cost(result: PartiesResult) -> str:
    """Return what it costs, in parties, that each party adds the noise itself."""
    if result.settings.method == "average":
        equivalent = max(1, round(result.equivalent_parties))
        return SAYS("few.weights", few=equivalent)
    truthful = round(result.truthful_answers)
    if truthful == 0:
        return SAYS["few.answer"]
    return SAYS("few.answers", worth=truthful)


def local_noise(result: PartiesResult) -> str:
    """Return how truthful a party's answers are, or how large the noise on its weights is."""
    if result.settings.method == "soft":
        return SAYS(
            "local.answers",
            parties=result.asked,
            truthful=percent(result.response.truth_probability),
            worth=number(result.truthful_answers),
        )
    parties = result.settings.parties
    return SAYS(
        "local.weights",
        parties=parties,
        sd=number(result.weight_sd()),
        times=number(parties / result.equivalent_parties),
    )


def shuffler(result: PartiesResult) -> str:
    """Return what a shuffler makes of the epsilon of one message, or "" without a shuffler."""
    settings = result.settings
    if settings.trust_model != "shuffle":
        return ""
    guarantee = settings.guarantee
    case = "unproved"
    if guarantee.delta > 0:
        case = "shuffled"
    return SAYS(
        f"local.{case}",
        one=number(result.message_epsilon),
        parties=settings.parties,
        delta=delta_text(settings.delta),
        epsilon=number(guarantee.epsilon),
    )
