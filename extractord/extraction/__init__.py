"""One unit of work: a finished stretch of a session becomes memory.

``plan`` says what there is to do, ``unit`` does one stretch, ``sweep`` all of a plan in order, ``recovery`` finishes what a
killed run left. What people read of it is made in ``report``.
"""
