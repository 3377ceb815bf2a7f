"""The command line: parse, call, print.

``commands`` names the commands, in three groups; each lives in the module of its group. Nothing beside click is imported
until a command runs, so that ``--help`` answers at once.
"""
