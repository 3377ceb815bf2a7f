"""What differs between systems, and nothing else: everything above asks here and does not know where it runs.

Owns: for POSIX and for Windows each the same few acts on files (``files``), on processes and pipes (``processes``) and the rules for
paths (``paths``). One of the two is chosen when it is imported. Leaves what these acts are for to whoever asks, confinement by the
kernel to ``sandbox``, the service to ``service``.
"""
