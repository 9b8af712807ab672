"""Private training over a batch of models: losses, clipping, descent, DP-SGD, Frank-Wolfe, exact minimisers."""
