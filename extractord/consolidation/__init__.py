"""Memory that gets better, not longer: what users call a dream.

``due`` says when, ``rounds`` where, ``dream`` does one directory; ``material`` is what it works on, ``changes`` what it proposes.
Proposals come from ``asked`` (a model) or from ``tidying`` and the rules beside it (offline), ``judging`` decides on them,
``carrying`` makes a changeset of what stands.
"""
