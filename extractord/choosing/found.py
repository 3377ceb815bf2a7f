"""What this machine has that could extract: a key, a gateway, a login of the SDK, the user's own client, local servers.

Owns: looking for them. Of a key only where it is gets out; logins are known by their files, which are not opened.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from extractord.agent.claude_code import program
from extractord.agent.providers import VENDORS_KEYS
from extractord.agent.server import read_credentials
from extractord.choosing.local_servers import LocalServer
from extractord.claude_home import Surroundings
from extractord.config import Config, Locations
from extractord.errors import UsageError

_SECONDS = 10.0
_VERSION_BYTES = 60


@dataclass(frozen=True, slots=True)
class ClientFound:
    """The user's own client. ``login`` is whether a login of it was seen; one in a keychain is not."""

    path: Path
    version: str
    login: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What there is. ``keys`` are variables with where they stand; ``gateway`` is the server that the environment names."""

    keys: tuple[tuple[str, str], ...] = ()
    gateway: str | None = None
    profile: Path | None = None
    client: ClientFound | None = None
    servers: tuple[LocalServer, ...] = ()


def look_around(config: Config, locations: Locations, surroundings: Surroundings, servers: tuple[LocalServer, ...] = ()) -> Found:
    """Return what is found. Raises UsageError for a credentials file that cannot be read."""
    kept, environ = read_credentials(locations.credentials), surroundings.environ
    keys = [(name, str(locations.credentials)) for name in VENDORS_KEYS if kept.get(name)]
    keys += [(name, "the environment") for name in VENDORS_KEYS if environ.get(name) and not kept.get(name)]
    profile = Path(environ.get("ANTHROPIC_CONFIG_DIR") or surroundings.home / ".config" / "anthropic")
    gateway = kept.get("ANTHROPIC_BASE_URL") or environ.get("ANTHROPIC_BASE_URL") or None
    return Found(tuple(keys), gateway, profile if profile.is_dir() else None, _client(config, locations, surroundings), servers)


def _client(config: Config, locations: Locations, surroundings: Surroundings) -> ClientFound | None:
    path = program.found(config.claude, surroundings.environ, surroundings.home)
    if path is None:
        return None
    environment = program.environment(path, locations.credentials, surroundings.environ, surroundings.home)
    return ClientFound(path, _version(path, environment), program.TOKEN in environment or _has_login(surroundings))


def _version(path: Path, environment: dict[str, str]) -> str:
    """Return what the client says of its version, "" if it says nothing of that form."""
    try:
        quiet = subprocess.DEVNULL
        done = subprocess.run([str(path), "--version"], env=environment, stdin=quiet, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = done.stdout[:_VERSION_BYTES].decode("utf-8", "replace").split()
    return said[0] if done.returncode == 0 and said and said[0][0].isdigit() else ""


def _has_login(surroundings: Surroundings) -> bool:
    return os.path.lexists(surroundings.config_home / ".credentials.json")


def client_to_write(config: Config, found: Found, surroundings: Surroundings) -> str | None:
    """Return the client's path where the configuration has to name it: a service would not find it by itself."""
    if found.client is None:
        raise UsageError(f"no `{program.NAME}` was found", hint="install Claude Code, or name it with --claude")
    usual = config.claude is None and found.client.path in program.usual_places(surroundings.home)
    return None if usual else str(found.client.path)
