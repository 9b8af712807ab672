"""The classifier's models: which noise each sees, and that no private row reaches the public start."""

import dataclasses
import math

import numpy as np
import pytest

from dpcore.data import toy as data
from dpcore.estimators import recipes as classifier_claims
from pages.classifier import result as classifier_result
from pages.classifier.experiment import ClassifierSettings
from pages.classifier.work import accuracies

SMALL = {"repeats": 3, "steps": 6, "public_steps": 5}


def settings(**changes) -> ClassifierSettings:
    return ClassifierSettings(**{**SMALL, **changes})


class TestCommonRandomNumbers:
    def test_each_repeat_sees_the_same_noise_at_every_epsilon_and_arm(self):
        # After one step from 0 only the noise tells repeats apart, and it is the same but for its size.
        one = settings(steps=1, repeats=5, version="sound", learning_rate=1.0)
        path = one.model.train((0.5, 5.0), draws=range(5))
        arms_epsilons = path.weights.reshape(2, 2, 5, -1).astype(float)
        noise = arms_epsilons - arms_epsilons.mean(axis=2, keepdims=True)
        ratio = classifier_claims.noise_sd(one, 0.5) / classifier_claims.noise_sd(one, 5.0)
        np.testing.assert_allclose(noise[:, 0], noise[:, 1] * ratio, atol=1e-5)
        np.testing.assert_allclose(noise[0], noise[1], atol=1e-5)
        assert noise[:, 0].std() > 0.01

    def test_a_curve_is_smoother_than_its_spread(self):
        one = ClassifierSettings(public_rows=0, repeats=8)
        epsilons = tuple(np.geomspace(0.2, 2.0, 30))
        accuracy = accuracies(one.model, epsilons, range(one.repeats))[0]
        steps = np.abs(np.diff(accuracy, axis=0))
        assert np.median(steps) < 0.1 * accuracy.std(axis=1).max()
        assert accuracy[-5:].mean() > accuracy[:5].mean()


def garbled(split: data.Split, *parts: str, value: float = math.nan) -> data.Split:
    """The same split with other rows and labels in some of its parts."""
    changes = {f"X_{part}": np.full_like(getattr(split, f"X_{part}"), value) for part in parts}
    changes |= {f"y_{part}": np.zeros_like(getattr(split, f"y_{part}")) for part in parts}
    return dataclasses.replace(split, **changes)


@pytest.mark.parametrize("dataset", ["gaussians", "blobs", "breast_cancer"])
class TestPublicStart:
    """No private row reaches the start, nor what is drawn around it."""

    def test_it_is_the_same_bits_whatever_the_private_and_the_held_out_rows_are(self, dataset, monkeypatch):
        one = settings(dataset=dataset)
        split, start = data.load(dataset, seed=one.seed), one.model.public.weights()
        plane = classifier_result._plane(split, None)
        assert np.abs(start).max() > 0.01
        for value in (math.nan, 1e6, 0.0):
            other = garbled(split, "private", "test", value=value)
            monkeypatch.setattr(data, "load", lambda *_, other=other, **__: other)
            assert one.model.public.weights().tobytes() == start.tobytes()
            again = classifier_result._plane(other, None)
            for name in ("origin", "axes", "extent"):
                np.testing.assert_array_equal(getattr(again, name), getattr(plane, name))

    def test_it_is_fitted_on_the_public_rows_that_were_asked_for(self, dataset, monkeypatch):
        one = settings(dataset=dataset, public_rows=30, shift=0.0)
        split, start = data.load(dataset, seed=one.seed), one.model.public.weights()
        X, y = split.X_public.copy(), split.y_public.copy()
        for place, changes in ((29, True), (30, False)):
            other = X.copy()
            other[place] = -other[place][::-1]
            changed = dataclasses.replace(split, X_public=other, y_public=y)
            monkeypatch.setattr(data, "load", lambda *_, changed=changed, **__: changed)
            assert (one.model.public.weights().tobytes() != start.tobytes()) is changes

    def test_the_shift_reads_public_rows_only_and_matters(self, dataset, monkeypatch):
        one = settings(dataset=dataset, shift=1.5)
        start = one.model.public.weights()
        unmoved = dataclasses.replace(one, shift=0.0).model.public.weights()
        assert np.abs(start - unmoved).max() > 1e-3
        other = garbled(data.load(dataset, seed=one.seed), "private", "test")
        monkeypatch.setattr(data, "load", lambda *_, **__: other)
        assert one.model.public.weights().tobytes() == start.tobytes()

    def test_both_arms_differ_by_the_start_alone(self, dataset):
        found = settings(dataset=dataset, learning_rate=0.01, steps=1).tasks()[0].run()
        start = settings(dataset=dataset, learning_rate=0.01, steps=1).model.public.weights()
        np.testing.assert_allclose(found.weights[1].mean(axis=0) - found.weights[0].mean(axis=0), start, atol=0.02)

    def test_no_public_rows_no_arm(self, dataset):
        one = settings(dataset=dataset, public_rows=0)
        assert one.arms == ("scratch",)
        assert one.run().focus.weights.shape[0] == 1
