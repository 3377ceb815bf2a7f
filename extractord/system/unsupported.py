"""What a system or a file system cannot do."""

import errno

UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


class UnsupportedError(OSError):
    """The system or this file system cannot rename in that way."""


class NotHereError(NotImplementedError):
    """It was called on a system that has nothing of the kind, and that it is never called on."""
