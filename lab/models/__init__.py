"""Train models outside of the engine: baselines, local learners, published versions."""
