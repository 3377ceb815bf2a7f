"""The soak: a daemon, several clients that write, a person who edits by hand, and kills at random; then what is left is compared.

    python -m tests.soak --kills 2000 --seed 1

Each round is played twice on homes of its own, once undisturbed. ``writing`` is what clients do, ``killing`` what is done to the
daemon, ``playing`` a round from its start to its comparison.
"""
