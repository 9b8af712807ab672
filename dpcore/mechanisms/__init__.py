"""Release one value and leave an event.

All noise is floating-point noise. Releases to an adversary who can read the last bits need a
discrete sampler instead [mironov2012].
"""

from dpcore.mechanisms.gaussian import Gaussian as Gaussian
from dpcore.mechanisms.gaussian import classical_noise_multiplier as classical_noise_multiplier
from dpcore.mechanisms.laplace import Laplace as Laplace
from dpcore.mechanisms.noisy_max import NoisyMax as NoisyMax
from dpcore.mechanisms.norm_exponential import NormExponential as NormExponential
