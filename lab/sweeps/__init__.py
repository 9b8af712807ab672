"""Run many settings."""
