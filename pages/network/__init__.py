"""Train neural networks by DP-SGD."""
