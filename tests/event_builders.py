"""Events of accountants' tests, written in short."""

from dpcore.privacy import (
    ApproximateRelease,
    BoundedRangeRelease,
    Composed,
    GaussianRelease,
    LaplaceRelease,
    PoissonSampled,
    PureRelease,
    Sequence,
)


def gaussian(multiplier):
    return GaussianRelease(noise_multiplier=multiplier)


def laplace(multiplier):
    return LaplaceRelease(noise_multiplier=multiplier)


def pure(epsilon):
    return PureRelease(epsilon=epsilon)


def bounded_range(epsilon):
    return BoundedRangeRelease(epsilon=epsilon)


def approximate(epsilon, delta):
    return ApproximateRelease(epsilon=epsilon, delta=delta)


def times(count, event):
    return Composed(event=event, count=count)


def together(*events):
    return Sequence(events=events)


def sample(rate, event):
    return PoissonSampled(rate=rate, event=event)


def sampled(rate, multiplier, steps=1):
    """``steps`` samples with Gaussian noise; one is no composition."""
    one = sample(rate, gaussian(multiplier))
    return one if steps == 1 else times(steps, one)
