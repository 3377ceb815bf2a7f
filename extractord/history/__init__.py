"""What people decide about memory after the fact: take back, forget, accept, reject.

``undo``, ``forget`` and ``review`` plan a changeset as a value; carrying it out is ``applying``'s.
"""
