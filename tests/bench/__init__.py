"""Measurements, side by side in one run: ``python -m tests.bench reading|memory|help|quality|cost|watch|idle|all``.

Only ratios inside one run count; each figure comes from a fresh process, methods take turns, the best of several rounds is
taken. The status is 1 if a goal was missed.
"""
