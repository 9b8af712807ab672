"""Pages that explain: words, published works, and which settings to choose."""
