"""Private linear regression by noisy sufficient statistics, objective, output and gradient
perturbation.
"""
