"""Claims that the texts of lessons make without numbers, by the name of the lesson."""

from collections.abc import Callable, Mapping

import numpy as np

from pages.lessons.lesson import Case, Lesson


def reconstruction_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    return lesson.measured_numbers(before, after)["truth"] > lesson.start(before) + 10


def epsilon_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    formula = 100 / (1 + np.exp(-1))
    formula_holds = abs(lesson.start(after) - formula) < 1e-6
    return formula_holds and lesson.measured_numbers(before, after)["ten"] > 99.9


def small_epsilon_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    numbers = lesson.measured_numbers(before, after)
    noise = after.settings.training.noise_sd(after.settings.epsilon)
    noise_exceeds_signal = noise > after.result.ensemble.signal[0]
    return numbers["truth"] < numbers["known"] - 10 and noise_exceeds_signal


def clipping_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    return lesson.correct_option(before, after) == 2


def composition_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    numbers = lesson.measured_numbers(before, after)
    is_ordered = numbers["truth"] < numbers["advanced"] < numbers["basic"]
    # Of a quarter of the steps, a cost that grows like a square root is half.
    quarter = Case(after.settings.change(steps=max(1, after.settings.steps // 4)))
    quarter_cost = lesson.start(quarter)
    grows_like_root = 1.5 < numbers["truth"] / quarter_cost < 2.5
    return is_ordered and grows_like_root and round(after.result.one_step, 2) == 0.1


def public_start_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    return lesson.measured_numbers(before, after)["gain"] > 15


def parties_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    numbers = lesson.measured_numbers(before, after)
    return numbers["truth"] > numbers["known"] + 15


def rounds_hold(lesson: Lesson, before: Case, after: Case) -> bool:
    root = np.sqrt(after.settings.steps)
    return root < lesson.measured_numbers(before, after)["times"] < 1.3 * root


def published_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    is_beyond = lesson.correct_option(before, after) == lesson.BEYOND_CLAIM
    return is_beyond and after.result.lower_bound.epsilon > after.settings.epsilon


def attacker_holds(lesson: Lesson, before: Case, after: Case) -> bool:
    return 0.5 < after.result.attack.low <= after.result.noise_bound


def tuning_holds(lesson: Lesson, before: Case, after: Case) -> bool:
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
