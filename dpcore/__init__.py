"""The engine of Epsilon Lab: mechanisms, events, guarantees, and private learners over a batch of models.

It needs numpy, scipy and scikit-learn, and knows no browser.
"""
