"""The vocabulary of the dashboard: widgets, figures and the few pieces that pages share."""
