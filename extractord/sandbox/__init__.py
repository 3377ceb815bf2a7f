"""Confinement of a fresh process by the kernel: Landlock and seccomp on Linux, Seatbelt on macOS.

Owns: what a worker and a model process may reach once they are confined, whatever runs in them. Leaves what they do to ``agent``.
"""
