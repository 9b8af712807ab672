"""Hold data sets, their splits and their public bounds."""
