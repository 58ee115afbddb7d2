"""Talking to a model server: what is sent, what comes back, and what is read out of it.

`envelope` is pure and imports no HTTP library; `client` is the only module that touches the network.
"""
