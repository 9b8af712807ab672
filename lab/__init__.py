"""The experiment kit: settings, links, sweeps, statistics of repeats and labels, independent of any
page or browser.
"""
