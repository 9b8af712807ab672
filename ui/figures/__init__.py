"""Figures: pure functions from a result to a Plotly figure as plain data. They compute nothing new."""
