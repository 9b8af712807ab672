"""The experiment kit: settings, links, sweeps, statistics of repeats, labels. It knows no page and no browser."""
