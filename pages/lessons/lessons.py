"""The lessons: a page's settings and a question, read from ``lessons.toml``, and how the engine
answers it.

Nothing here holds an outcome. What was right, and every number of a text, is a function of what was
measured; a lesson's ``claim`` says what its text takes for granted.
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import numpy as np

from dpcore.accountants import tuning
from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Adjacency, Guarantee
from lab.experiment import links
from lab.experiment.settings import Settings, Spread
from lab.statistics import claims
from lab.sweeps.measurement import shown
from ui.text.texts import flowing, sections


class Case:
    """Settings and what comes out: the page's ``result``, and single runs of a measure."""

    def __init__(self, settings: Any, result: Any = None):
        self.settings = settings  # of the lesson's page
        self._result = result

    @cached_property
    def result(self) -> Any:
        """Return what the page shows; computed where nobody has brought it."""
        if self._result is None:
            return self.settings.experiment.run()
        return self._result

    def runs(self, measure: str, **change: Any) -> np.ndarray:
        """(R,): a measure of every run, at these settings with a ``change``."""
        return shown(self.settings.change(**change) if change else self.settings, measure)

    def share(self, measure: str, **change: Any) -> np.ndarray:
        """(R,): the same in percent."""
        return 100 * self.runs(measure, **change)


@dataclass(frozen=True, kw_only=True)
class Number:
    """What a guess may be, on the axis upwards of the chart, in its units; ``tone``: "private",
    "public" or "bound".
    """

    low: float
    high: float
    step: float = 1.0
    unit: str = ""
    tone: str = "private"


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One lesson, with the fields of ``lessons.toml``; a subclass computes what its texts say.

    name: in the address, and of the file of its texts. picture: its chart, covered before the
        guess; "" if nothing is
    drawn then. number: what a guess may be; None where it is one of options.
    """

    STEPS: ClassVar[Sequence[str]] = ("guess", "reveal", "why", "try")

    name: str
    link: str
    picture: str
    only: Sequence[str]
    minutes: int
    number: Number | None
    change: str = ""
    measure: str = ""
    known: str = ""
    along: str = "epsilon"
    point: str = ""
    board: str = "board"
    whole: bool = False
    upwards: Sequence[float] | None = None

    @property
    def page(self) -> str:
        return self.link.partition("?")[0]

    @property
    def settings(self) -> dict[str, str]:
        return dict(parse_qsl(self.link.partition("?")[2]))

    def text(self, part: str) -> str:
        return texts(self.name)[part]

    def options(self, part: str) -> Sequence[str]:
        """Return the options of a part of the text, such as "Guess"."""
        return tuple(line.removeprefix("- ") for line in self.text(part).splitlines())

    def cases(self, kind: type[Settings], *, seed: int | None = None) -> tuple[Settings, Settings]:
        """(what is known, what is asked for) as settings of its page."""
        known = self.settings
        more = {} if seed is None else {"seed": str(seed)}
        if "base" in known and more:  # a question has the seed of the settings that it is about
            more = {"base": f"{known['base']} seed {seed}"}
        both = [
            links.read(kind, known | more),
            links.read(kind, known | dict(parse_qsl(self.change)) | more),
        ]
        for _, refused in both:
            if refused:
                raise ValueError(f"the lesson {self.name}: {refused}")
        return both[0][0], both[1][0]

    def place(self, settings: Any) -> float:
        """Return where along the chart the guess, or what is known, stands."""
        return getattr(settings, self.along)

    def truth(self, case: Case) -> np.ndarray:
        """(R,): what is guessed, of every run, in units of the chart."""
        return self._runs(case, self.measure)

    def start(self, case: Case) -> float:
        """Return what is known before the guess."""
        return float(np.median(self._runs(case, self.known)))

    def _runs(self, case: Case, measure: str) -> np.ndarray:
        return (
            case.share(measure) if self.number and self.number.unit == "%" else case.runs(measure)
        )

    def points(self, case: Case) -> list[tuple[float, float, str]]:
        """Return what of the chart may be seen before the guess: (x, y, words)."""
        if not self.point:
            return []
        known = self.start(case)
        return [(self.place(case.settings), known, self.point.format(known))]

    def given(self, case: Case) -> dict[str, Any]:
        """Return the numbers of the first text."""
        return {"known": self.start(case)}

    def ends(self, values: Collection[float], after: Case) -> tuple[float, float]:
        """Return the ends of the axis on which the numbers that a class guessed are drawn."""
        return (self.number.low, self.number.high) if self.number else (min(values), max(values))

    def found(self, before: Case, after: Case) -> dict[str, Any]:
        """Return the numbers of the later texts."""
        runs = self.truth(after)
        spread = Spread.of(runs)
        return {
            "known": self.start(before),
            "truth": float(np.median(runs)),
            "low": spread.low,
            "high": spread.high,
        }

    def right(self, before: Case, after: Case) -> int:
        """Return which option of the guess is right, of a lesson with options."""
        raise NotImplementedError

    def claim(self, before: Case, after: Case) -> bool:
        """Whether what the texts take for granted holds."""
        raise NotImplementedError

    def attacker(self, after: Case) -> Guarantee | None:
        """Return what is guaranteed against the best attacker, in a lesson that is about them."""
        return None


@cache
def texts(name: str) -> Mapping[str, str]:
    """Return the parts of a lesson's text by their headings; of a list, an option a line."""
    whole = Path(__file__).with_name("texts") / f"{name}.md"
    parts = sections(whole.read_text("utf-8"))
    return {head: text if text.startswith("- ") else flowing(text) for head, text in parts}


class _Reconstruction(Lesson):
    def given(self, case: Case) -> dict[str, float]:
        return super().given(case) | {"error": case.result.error}

    def found(self, before: Case, after: Case) -> dict[str, float]:
        return super().found(before, after) | {"epsilon": after.result.guarantee.epsilon}

    def claim(self, before: Case, after: Case) -> bool:
        return self.found(before, after)["truth"] > self.start(before) + 10

    def attacker(self, after: Case) -> Guarantee:
        return after.result.guarantee


class _Epsilon(Lesson):
    def place(self, settings: Any) -> float:
        return 100 * settings.prior

    def start(self, case: Case, prior: float = 0.5) -> float:
        """Return what a guess becomes at most, in percent."""
        return 100 * float(case.result.posterior_range(prior)[1])

    def truth(self, case: Case) -> np.ndarray:
        return np.array([self.start(case)])

    def _ten(self, after: Case) -> float:
        return self.start(Case(after.settings.change(epsilon=10.0)))

    def found(self, before: Case, after: Case) -> dict[str, float]:
        numbers = {
            "least": 100 - self.start(after),
            "factor": np.exp(after.settings.epsilon),
            "ten": self._ten(after),
            "right": 100 * best_attacker(self.attacker(after)).right,
        }
        return super().found(before, after) | numbers

    def claim(self, before: Case, after: Case) -> bool:
        stated = abs(self.start(after) - 100 / (1 + np.exp(-1))) < 1e-6
        return stated and self._ten(after) > 99.9

    def attacker(self, after: Case) -> Guarantee:
        return after.result.claim.guarantee


class _SmallEpsilon(Lesson):
    def given(self, case: Case) -> dict[str, float]:
        return super().given(case) | {"people": case.settings.rows}

    def _noise(self, case: Case) -> float:
        return case.settings.training.noise_sd(case.settings.epsilon)

    def found(self, before: Case, after: Case) -> dict[str, float]:
        shares = {"plain": after.result.reference.accuracy, "baseline": after.result.baseline}
        times = self._noise(after) / self._noise(before)
        return (
            super().found(before, after)
            | {name: 100 * share for name, share in shares.items()}
            | {"times": times}
        )

    def claim(self, before: Case, after: Case) -> bool:
        found, drowned = (
            self.found(before, after),
            self._noise(after) > after.result.ensemble.signal[0],
        )
        return found["truth"] < found["known"] - 10 and drowned


class _Clipping(Lesson):
    BOUNDS = (0.1, 1.0, 10.0)

    def place(self, settings: Any) -> float:
        return self.BOUNDS[0]

    def clipped(self, case: Case) -> list[np.ndarray]:
        """(R,) by bound: accuracy of the page that is asked about, in percent."""
        base = case.settings.topic_settings
        return [
            100 * shown(base.change(clip_norm=bound), case.settings.measure)
            for bound in self.BOUNDS
        ]

    def start(self, case: Case) -> float:
        return float(np.median(self.clipped(case)[0]))

    def found(self, before: Case, after: Case) -> dict[str, float]:
        medians = map(float, np.median(self.clipped(after), axis=1))
        return dict(zip(("small", "middle", "large"), medians, strict=True))

    def right(self, before: Case, after: Case) -> int:
        """Which bound is shown to be best: the largest, the smallest, one between, or none."""
        runs = {str(place): runs / 100 for place, runs in enumerate(self.clipped(after))}
        first, *others = claims.leaders(runs)
        return 3 if others else (1, 2, 0)[int(first)]

    def claim(self, before: Case, after: Case) -> bool:
        return self.right(before, after) == 2


class _Composition(Lesson):
    def found(self, before: Case, after: Case) -> dict[str, float]:
        sums = {name: after.result.epsilon(name) for name in ("basic", "advanced")}
        return super().found(before, after) | sums

    def claim(self, before: Case, after: Case) -> bool:
        found = self.found(before, after)
        ordered = found["truth"] < found["advanced"] < found["basic"]
        quarter = after.runs("epsilon", steps=max(1, after.settings.steps // 4))[0]
        like_a_root = 1.5 < found["truth"] / quarter < 2.5
        return ordered and like_a_root and round(after.result.one_step, 2) == 0.1


class _PublicStart(Lesson):
    def gain(self, case: Case, epsilon: float) -> np.ndarray:
        """Points (R,) that the public start adds to each run."""
        return case.share("accuracy", epsilon=epsilon) - case.share("scratch", epsilon=epsilon)

    def given(self, case: Case) -> dict[str, float]:
        return super().given(case) | {"people": case.settings.rows}

    def found(self, before: Case, after: Case) -> dict[str, float]:
        small, large = (
            float(np.median(self.gain(after, epsilon)))
            for epsilon in (after.settings.epsilon, 50.0)
        )
        scratch = float(np.median(after.share("scratch")))
        plain = 100 * after.result.references["public"].accuracy
        return super().found(before, after) | {
            "scratch": scratch,
            "gain": small,
            "gain_large": large,
            "plain": plain,
        }

    def claim(self, before: Case, after: Case) -> bool:
        return np.median(self.gain(after, after.settings.epsilon)) > 15


class _Parties(Lesson):
    def given(self, case: Case) -> dict[str, float]:
        return super().given(case) | {"rows": case.settings.rows}

    def claim(self, before: Case, after: Case) -> bool:
        found = self.found(before, after)
        return found["truth"] > found["known"] + 15


class _Attacker(Lesson):
    def start(self, case: Case) -> float:
        return 100 * case.result.attack.accuracy

    def truth(self, case: Case) -> np.ndarray:
        return np.array([self.start(case)])

    def given(self, case: Case) -> dict[str, float]:
        return super().given(case) | {"allowed": 100 * case.result.claim_bound}

    def found(self, before: Case, after: Case) -> dict[str, float]:
        result = after.result
        interval = {"low": result.attack.low, "high": result.attack.high}
        shares = interval | {"noise": result.noise_bound, "allowed": result.claim_bound}
        return super().found(before, after) | {name: 100 * share for name, share in shares.items()}

    def claim(self, before: Case, after: Case) -> bool:
        return 0.5 < after.result.attack.low <= after.result.noise_bound

    def attacker(self, after: Case) -> Guarantee | None:
        return after.settings.guarantees.formula


class _Published(_Attacker):
    def found(self, before: Case, after: Case) -> dict[str, float]:
        return super().found(before, after) | {"shown": after.result.lower_bound.epsilon}

    def right(self, before: Case, after: Case) -> int:
        """How often the attacker is right, surely: a coin, as often as against the correct recipe,
        more, beyond the claim.
        """
        attack = after.result.attack
        if attack.low > after.result.claim_bound:
            return 3
        if attack.low <= 0.5:
            return 0
        return 1 if attack.low <= before.result.attack.high else 2

    def claim(self, before: Case, after: Case) -> bool:
        return (
            self.right(before, after) == 3
            and after.result.lower_bound.epsilon > after.settings.epsilon
        )

    def attacker(self, after: Case) -> None:
        return None


class _Tuning(Lesson):
    def place(self, settings: Any) -> float:
        return 1 - 0.9**settings.settings_tried

    def best_alone(self, case: Case) -> float:
        """Return epsilon of the best alone, where the number of tries is drawn by the logarithmic
        law.
        """
        run, tries = case.settings.run_event, case.settings.settings_tried
        budget = {"delta": case.settings.delta, "adjacency": Adjacency.ADD_REMOVE}
        return tuning.price(run, way="logarithmic", tries=tries, **budget).epsilon

    def found(self, before: Case, after: Case) -> dict[str, float]:
        return super().found(before, after) | {
            "naive": 10 * self.start(before),
            "best": self.best_alone(after),
        }

    def claim(self, before: Case, after: Case) -> bool:
        one = self.start(before)
        total = after.runs("tuned")[0]
        return 1.5 * one < total < 9 * one and 1.01 * one <= self.best_alone(after) < 0.99 * total


_KINDS: Mapping[str, type[Lesson]] = {
    "reconstruction": _Reconstruction,
    "epsilon": _Epsilon,
    "small_epsilon": _SmallEpsilon,
    "clipping": _Clipping,
    "composition": _Composition,
    "public_start": _PublicStart,
    "parties": _Parties,
    "published": _Published,
    "attacker": _Attacker,
    "tuning": _Tuning,
}


def _lesson(name: str, guess: Mapping[str, Any] | None = None, **fields: Any) -> Lesson:
    return _KINDS[name](name=name, number=Number(**guess) if guess else None, **fields)


_READ = tomllib.loads(Path(__file__).with_name("lessons.toml").read_text("utf-8"))
LESSONS = tuple(_lesson(name, **fields) for name, fields in _READ.items())
