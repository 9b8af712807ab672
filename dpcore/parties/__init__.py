"""Learning across many parties, each with its own rows: local models, aggregation and hypothesis
transfer.
"""
