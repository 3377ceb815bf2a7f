"""Sharing team memory by a git remote that the person names.

Owns: the exchange with the remote, what may leave and what may come in, how both sides come together. Leaves writing into the memory
directory to ``applying``, the merge of a text to ``memory.reconcile``.
"""
