"""Choosing a backend: what this machine has, what each choice would cost and send, and writing the choice down.

``found`` looks around, ``local_servers`` asks this machine's ports when that is wanted, ``offers`` puts a price to each choice,
``configuring`` writes configuration and credentials. Leaves the questions to the command line. Nothing here asks a model.
"""
