"""What people and scripts read: JSON lines, status texts, diffs.

``lines`` holds the objects of ``--json`` (CONTRACTS), ``text`` the words for people. Both take records and return values;
printing is the command line's.
"""
