"""Mechanisms: each knows its sensitivity and its noise, draws it, and leaves an event behind.

All noise here is floating-point noise; releases to an adversary who reads the last bits need a discrete sampler
instead [mironov2012].
"""

from dpcore.mechanisms.gaussian import Gaussian, classical_noise_multiplier
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.noisy_max import NoisyMax
from dpcore.mechanisms.norm_exponential import NormExponential

__all__ = ["Gaussian", "Laplace", "NoisyMax", "NormExponential", "classical_noise_multiplier"]
