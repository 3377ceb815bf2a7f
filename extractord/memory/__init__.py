"""A memory directory: its topics and index, what may be changed in it, and the one module that changes it."""
