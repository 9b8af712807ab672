"""Events of accountants' tests, written in short."""

from dpcore import privacy


def gaussian(multiplier):
    """Return the event of one release with Gaussian noise of this multiplier."""
    return privacy.GaussianRelease(noise_multiplier=multiplier)


def laplace(multiplier):
    """Return the event of one release with Laplace noise of this multiplier."""
    return privacy.LaplaceRelease(noise_multiplier=multiplier)


def pure(epsilon):
    """Return the event of one release that is (epsilon, 0)-private."""
    return privacy.PureRelease(epsilon=epsilon)


def bounded_range(epsilon):
    """Return the event of one selection that has epsilon-bounded range."""
    return privacy.BoundedRangeRelease(epsilon=epsilon)


def approximate(epsilon, delta):
    """Return the event of one release that is (epsilon, delta)-private."""
    return privacy.ApproximateRelease(epsilon=epsilon, delta=delta)


def times(count, event):
    """Return the event of ``count`` releases of the same kind."""
    return privacy.Composed(event=event, count=count)


def together(*events):
    """Return the event of different releases, in order."""
    return privacy.Sequence(events=events)


def sample(rate, event):
    """Return the event of a release from a Poisson sample of this rate."""
    return privacy.PoissonSampled(rate=rate, event=event)


def sampled(rate, multiplier, steps=1):
    """Return the event of ``steps`` samples with Gaussian noise; one is no composition."""
    step = sample(rate, gaussian(multiplier))
    if steps == 1:
        return step
    return times(steps, step)
