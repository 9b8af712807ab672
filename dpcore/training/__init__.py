"""Private training of batches of models: losses, clipping, gradient descent, DP-SGD, Frank-Wolfe,
exact minimisers.
"""
