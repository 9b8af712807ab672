"""Figures: pure functions from a result to a Plotly figure. They compute nothing that a table would not show."""
