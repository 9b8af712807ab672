"""Texts on the noise: how large it is, who adds it, and what a shuffler makes of it."""

from pages.parties.charts import SAYS
from pages.parties.result import PartiesResult
from ui.text import tiles
from ui.text.numbers import delta as delta_text
from ui.text.tiles import number, percent


def noise_notes(result: PartiesResult) -> list[str]:
    """Return sentences on the noise of the chosen method, the most important first."""
    settings = result.settings
    if settings.is_federated:
        return [_rounds(result), shuffler(result)]
    if not result.mechanisms.is_central:
        return [_noise_of_messages(result), shuffler(result)]
    one_party = SAYS(
        "why.one_party",
        parties=settings.parties,
        vote=number(result.mechanisms.sensitivity("vote")),
        soft=number(result.mechanisms.sensitivity("soft")),
    )
    if settings.method == "pate":
        pate = SAYS(
            "noise.pate",
            noise=number(result.mechanisms.pate_noise_sd(settings.epsilon)),
            queries=result.mechanisms.queries,
            parties=settings.parties,
        )
        return [pate, one_party]
    return [_noise_of_weights(result), one_party]


def _noise_of_weights(result: PartiesResult) -> str:
    """Return the noise of a trusted aggregator next to the weights."""
    method = result.settings.method
    noise = result.noise_norm(method)
    signal = result.signal_norm(method)
    times = ""
    case = "tied"
    if signal > 0:
        case = "length"
        times = tiles.multiple_text(number(noise / signal))
    return SAYS(
        f"noise.{case}",
        sensitivity=number(result.mechanisms.sensitivity(method)),
        noise=number(noise),
        dimensions=result.dimensions,
        times=times,
        weights=number(signal),
    )


def _rounds(result: PartiesResult) -> str:
    """Return who takes part in the rounds of federated averaging, and the noise of each."""
    federation = result.settings.federation
    case = "turns"
    if federation.is_central:
        case = "everyone"
        if federation.sampling_rate < 1:
            case = "sampled"
    return SAYS(
        f"rounds.{case}",
        rounds=federation.rounds,
        cohort=number(federation.round_size),
        turns=federation.turns,
        sd=number(federation.noise_sd(result.settings.epsilon)),
        norm=number(federation.clip_norm),
    )


def _noise_of_messages(result: PartiesResult) -> str:
    """Return how truthful a party's answers are, or how large the noise on its weights is."""
    if result.settings.method == "soft":
        return SAYS(
            "local.answers",
            parties=result.asked,
            truthful=percent(result.response.truth_probability),
            worth=number(result.truthful_answers),
        )
    return SAYS(
        "local.weights",
        parties=result.settings.parties,
        sd=number(result.weight_sd),
        times=number(result.noise_ratio),
    )


def shuffler(result: PartiesResult) -> str:
    """Return what a shuffler makes of the epsilon of one message, or "" without a shuffler."""
    settings = result.settings
    if settings.trust_model != "shuffle":
        return ""
    guarantee = settings.guarantee
    case = "unproved"
    if result.is_shuffled:
        case = "shuffled"
    return SAYS(
        f"local.{case}",
        one=number(result.message_epsilon),
        parties=settings.parties,
        delta=delta_text(settings.delta),
        epsilon=number(guarantee.epsilon),
    )
