"""Where a model is, and what of the environment its process is given.

Owns: the variables that reach the model process (certificates, proxies, locale, the SDK's own, the credentials file), and
whether a server is this machine. Reads the credentials file and keeps nothing of it but in that environment.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from extractord.agent.providers import FACTS, VENDORS_KEYS, Facts
from extractord.config import Provider, Sandbox
from extractord.errors import UsageError

NETWORK = frozenset(
    ("SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ")
)
# What would write requests into logs or send them elsewhere as traces.
KEPT_OUT = ("ANTHROPIC_LOG", "ANTHROPIC_OPEN_TELEMETRY")
_FIXED = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "ANTHROPIC_OPEN_TELEMETRY": "false"}
_PROXIES = frozenset(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"))
_PORTS = {"https": 443, "http": 80, "socks5": 1080, "socks5h": 1080}
_SOMEWHERE = "https://its.own"  # a provider's servers are at the usual port
_LINE = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)=(?P<value>.*)")


@dataclass(frozen=True, slots=True)
class Server:
    """A ``/v1/messages`` server, and how its process is to be confined.

    ``base_url`` None is the provider's own. ``environment`` holds keys: it is shown nowhere.
    """

    base_url: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    provider: Provider = Provider.ANTHROPIC
    sandbox: Sandbox = Sandbox.AUTO

    @classmethod
    def of(
        cls,
        base_url: str | None,
        credentials: Path,
        environ: Mapping[str, str],
        home: Path,
        provider: Provider = Provider.ANTHROPIC,
        sandbox: Sandbox = Sandbox.AUTO,
    ) -> Server:
        """Return the server that configuration, credentials file and environment name together. Raises UsageError."""
        facts = FACTS[provider]
        environment = {**_own(environ, home, facts), **_FIXED, **read_credentials(credentials)}
        if provider is not Provider.ANTHROPIC:
            environment = {name: value for name, value in environment.items() if name not in VENDORS_KEYS}
        return cls(base_url or environment.get(facts.base_url) or None, environment, provider, sandbox)

    @property
    def title(self) -> str:
        """Where it is, for people."""
        return self.base_url or FACTS[self.provider].title

    @property
    def local(self) -> bool:
        """Whether it is this machine: nothing leaves it, and nobody asks a price that is not written down."""
        return self.base_url is not None and _is_loopback(urlsplit(self.base_url).hostname or "")

    @property
    def ports(self) -> tuple[int, ...]:
        """Return the TCP ports that its process has to connect to: the server's, those of proxies, and where logins are renewed."""
        proxies = (value for name, value in self.environment.items() if name.upper() in _PROXIES)
        found = {_port_of(url) for url in (self.base_url or _SOMEWHERE, *proxies) if url}
        logins = FACTS[self.provider].login_ports if self._renews_logins else ()
        return tuple(sorted({port for port in (*found, *logins) if port is not None}))

    @property
    def _renews_logins(self) -> bool:
        return self.provider is not Provider.ANTHROPIC or "ANTHROPIC_CONFIG_DIR" in self.environment


def _port_of(url: str) -> int | None:
    """Return the port of a URL, or of ``host:port`` as proxies are written too; None for what has none."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        return parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None


def _own(environ: Mapping[str, str], home: Path, facts: Facts) -> dict[str, str]:
    passed = {
        name: value for name, value in environ.items() if name.upper() in NETWORK or (facts.passes(name) and not name.startswith(KEPT_OUT))
    }
    return {**dict(facts.named_files(home)), **passed}


def read_credentials(file: Path) -> dict[str, str]:
    """Return the ``NAME=value`` lines of the credentials file, none if there is no file. Raises UsageError, quoting nothing."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}", hint="give yourself, and only yourself, read access to it") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text", hint="write one NAME=value a line") from None
    return dict(_pairs(text, file))


def _pairs(text: str, file: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None or "\0" in line:
            raise UsageError(f"{file}, line {number} is not NAME=value", hint="write one variable a line, say ANTHROPIC_API_KEY=…")
        value = found["value"].strip()
        quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "'\""
        yield found["name"], value[1:-1] if quoted else value


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
