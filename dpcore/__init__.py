"""The engine of Epsilon Lab: mechanisms, events, guarantees, and private learners that train
batches of models.

It needs numpy, scipy and scikit-learn, and imports nothing of the user interface.
"""

__version__ = "0.3.0"
