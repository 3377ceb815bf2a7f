"""What a confined process of ours may reach beside what it works on: programs, the Python installation, certificates, the resolver.

Owns: these lists, for Linux. Each folder is as narrow as it can be: a project may lie below ``/usr/src``, and somebody's virtual
environment may be their home. Leaves the project to ``carving`` and its caller, adding rules to ``landlock``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from extractord.sandbox.landlock import Access, Grant

_PROGRAMS = ("/usr/bin", "/bin", "/usr/libexec", "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/libx32", "/lib", "/lib64", "/lib32")
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")
_OF_PROGRAMS = ("/usr/share", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
_CERTIFICATES = (
    "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies", "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates", "/usr/share/pki",
)  # fmt: skip
_RESOLVER = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf", "/etc/ld.so.cache",
    "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/NetworkManager/no-stub-resolv.conf",
)  # fmt: skip
_NAMING = (
    "SSL_CERT_FILE", "SSL_CERT_DIR", "ANTHROPIC_IDENTITY_TOKEN_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_CA_BUNDLE",
    "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "GOOGLE_APPLICATION_CREDENTIALS",
)  # fmt: skip
_PACKAGE = Path(__file__).parent.parent
_SITES = ("site-packages", "dist-packages")


def of_worker() -> list[Grant]:
    """Return what a worker may reach beside project and memory directory."""
    return [
        *_all(_PROGRAMS, Access.RUN),
        *_all(_OF_PROGRAMS, Access.READ),
        *_python(),
        *_all(("/dev/null",), Access.USE),
        *_all(("/dev/urandom",), Access.READ),
    ]


def of_model_process(environ: Mapping[str, str]) -> list[Grant]:
    """Return what a model process may reach. It runs nothing, and changes nothing but logins of the SDK that are renewed."""
    named = named_files(environ)
    logins = environ.get("ANTHROPIC_CONFIG_DIR")
    return [
        *_all((*_LIBRARIES, *_CERTIFICATES, *_RESOLVER, *named), Access.READ),
        *_python(),
        *_all(("/dev/null",), Access.USE),
        *_all(("/dev/urandom",), Access.READ),
        *(_all((logins,), Access.READ) if logins else ()),
        *(_all((f"{logins}/credentials",), Access.REPLACE) if logins else ()),
    ]


def named_files(environ: Mapping[str, str]) -> list[str]:
    """Return the files of certificates and logins that a model process's environment names."""
    return [environ[name] for name in _NAMING if environ.get(name)]


def _python() -> Iterator[Grant]:
    """Yield the installation that runs this, for what is imported late: never a prefix as a whole."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folders = {f"{prefix}/{lib}/{version}" for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix) for lib in ("lib", sys.platlibdir)}
    sites = {path for path in sys.path if path.rsplit("/", 1)[-1] in _SITES}
    yield from _all(sorted(folders | sites | {str(_PACKAGE)}), Access.READ)


def _all(paths: Iterable[str], access: Access) -> Iterator[Grant]:
    return (Grant(os.path.realpath(path), access) for path in paths)
