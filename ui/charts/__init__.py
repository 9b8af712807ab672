"""Build Plotly figures as plain data."""
