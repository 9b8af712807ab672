"""Claims that the texts of lessons make without numbers, by the name of the lesson."""

from collections.abc import Callable, Mapping

import numpy as np

from pages.lessons.lesson import Case, Lesson


def reconstruction_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether more questions recover over 10 points more of the secrets."""
    return lesson.measured_numbers(before, after)["truth"] > lesson.start(before) + 10


def epsilon_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether the bound is 100 / (1 + 1/e) at epsilon 1, and above 99.9 at epsilon 10."""
    formula = 100 / (1 + np.exp(-1))
    formula_holds = abs(lesson.start(after) - formula) < 1e-6
    return formula_holds and lesson.measured_numbers(before, after)["ten"] > 99.9


def small_epsilon_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether accuracy falls by over 10 points, and noise exceeds the first gradient."""
    numbers = lesson.measured_numbers(before, after)
    noise = after.settings.training.noise_sd(after.settings.epsilon)
    noise_exceeds_signal = noise > after.result.ensemble.signal[0]
    return numbers["truth"] < numbers["known"] - 10 and noise_exceeds_signal


def clipping_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether the option "Best somewhere between" is correct."""
    return lesson.correct_option(before, after) == 2


def composition_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether theorems are in order, cost grows like a root, and one step costs 0.1."""
    numbers = lesson.measured_numbers(before, after)
    is_ordered = numbers["truth"] < numbers["advanced"] < numbers["basic"]
    # Of a quarter of the steps, a cost that grows like a square root is half.
    quarter = Case(after.settings.change(steps=max(1, after.settings.steps // 4)))
    quarter_cost = lesson.start(quarter)
    grows_like_root = 1.5 < numbers["truth"] / quarter_cost < 2.5
    return is_ordered and grows_like_root and round(after.result.one_step, 2) == 0.1


def public_start_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether pre-training on public rows adds over 15 points of accuracy."""
    return lesson.measured_numbers(before, after)["gain"] > 15


def parties_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether more parties raise the median accuracy by over 15 points."""
    numbers = lesson.measured_numbers(before, after)
    return numbers["truth"] > numbers["known"] + 15


def rounds_hold(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether T rounds cost from sqrt(T) to 1.3 sqrt(T) times as much as one."""
    root = np.sqrt(after.settings.steps)
    return root < lesson.measured_numbers(before, after)["times"] < 1.3 * root


def published_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether the attack shows both an accuracy and an epsilon beyond the claim."""
    is_beyond = lesson.correct_option(before, after) == lesson.BEYOND_CLAIM
    return is_beyond and after.result.lower_bound.epsilon > after.settings.epsilon


def attacker_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether the attacker is shown to beat chance, and not to exceed the noise's bound."""
    return 0.5 < after.result.attack.low <= after.result.noise_bound


def tuning_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    """Return whether ten tries cost 1.5 to 9 times one, and the best alone lies between both."""
    one_try = lesson.start(before)
    all_tries = lesson.truth(after)[0]
    best = lesson.measured_numbers(before, after)["best"]
    all_cost_more = 1.5 * one_try < all_tries < 9 * one_try
    return all_cost_more and 1.01 * one_try <= best < 0.99 * all_tries


CLAIMS: Mapping[str, Callable[[Lesson, Case, Case], bool]] = {
    "reconstruction": reconstruction_holds,
    "epsilon": epsilon_holds,
    "small_epsilon": small_epsilon_holds,
    "clipping": clipping_holds,
    "composition": composition_holds,
    "public_start": public_start_holds,
    "parties": parties_holds,
    "rounds": rounds_hold,
    "published": published_holds,
    "attacker": attacker_holds,
    "tuning": tuning_holds,
}
