"""Serve the websocket channel."""
