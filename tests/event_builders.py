"""Events of accountants' tests, written in short."""

from dpcore import privacy


def gaussian(multiplier):
    return privacy.GaussianRelease(noise_multiplier=multiplier)


def laplace(multiplier):
    return privacy.LaplaceRelease(noise_multiplier=multiplier)


def pure(epsilon):
    return privacy.PureRelease(epsilon=epsilon)


def bounded_range(epsilon):
    return privacy.BoundedRangeRelease(epsilon=epsilon)


def approximate(epsilon, delta):
    return privacy.ApproximateRelease(epsilon=epsilon, delta=delta)


def times(count, event):
    return privacy.Composed(event=event, count=count)


def together(*events):
    return privacy.Sequence(events=events)


def sample(rate, event):
    return privacy.PoissonSampled(rate=rate, event=event)


def sampled(rate, multiplier, steps=1):
    """Return the event of ``steps`` samples with Gaussian noise; one is no composition."""
    step = sample(rate, gaussian(multiplier))
    if steps == 1:
        return step
    return times(steps, step)
