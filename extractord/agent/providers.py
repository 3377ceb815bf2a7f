"""Who serves the model: the vendor itself (or a gateway that speaks its API), or a cloud through the SDK's own client for it.

Owns: for each provider the variables that its client reads, the files that they name by default, and the way out where its login is
not accepted. Leaves what is passed on to ``server``, the clients to ``anthropic_model``. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from extractord.config import Provider

_HEADERS = "ANTHROPIC_CUSTOM_HEADERS"  # the SDK reads it for every client

_CLOUD_PORTS = (80, 443)  # 80: a machine's own role is told by the cloud's metadata server


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a provider."""

    title: str
    base_url: str  # the variable that names another server
    names: tuple[str, ...]  # variables of the environment that its client may see
    beginnings: tuple[str, ...]  # the same, by how they begin
    files: Mapping[str, str]  # variables and what they are below the home, where nobody set them and the file is there
    way_out: str
    login_ports: tuple[int, ...] = (443,)  # TCP, where logins come from and are renewed
    extra: str = ""  # of this package, with what the client needs beside the SDK

    def passes(self, name: str) -> bool:
        """Whether its client may see a variable of the environment."""
        return name in self.names or name.startswith(self.beginnings)

    def named_files(self, home: Path) -> Iterator[tuple[str, str]]:
        """Yield the variables that are to name a file that lies in its usual place."""
        for variable, below in self.files.items():
            if (home / below).exists():
                yield variable, str(home / below)


FACTS: Mapping[Provider, Facts] = {
    Provider.ANTHROPIC: Facts(
        title="api.anthropic.com",
        base_url="ANTHROPIC_BASE_URL",
        names=(),
        beginnings=("ANTHROPIC_",),
        files={"ANTHROPIC_CONFIG_DIR": ".config/anthropic"},  # where the SDK keeps its own logins
        way_out=(
            "set ANTHROPIC_API_KEY (behind a gateway ANTHROPIC_AUTH_TOKEN), or write it as NAME=value into the credentials file; "
            "`extractord setup` helps"
        ),
    ),
    Provider.BEDROCK: Facts(
        title="Amazon Bedrock",
        base_url="ANTHROPIC_BEDROCK_BASE_URL",
        names=("ANTHROPIC_BEDROCK_BASE_URL", _HEADERS),
        beginnings=("AWS_",),
        files={"AWS_SHARED_CREDENTIALS_FILE": ".aws/credentials", "AWS_CONFIG_FILE": ".aws/config"},
        way_out=(
            "write AWS_REGION and AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, into the credentials file; "
            "logins that need a program or a browser do not work there (`aws configure export-credentials` makes keys of them)"
        ),
        login_ports=_CLOUD_PORTS,
        extra="bedrock",
    ),
    Provider.VERTEX: Facts(
        title="Google Vertex AI",
        base_url="ANTHROPIC_VERTEX_BASE_URL",
        names=("CLOUD_ML_REGION", _HEADERS),
        beginnings=("ANTHROPIC_VERTEX_", "GOOGLE_"),
        files={"GOOGLE_APPLICATION_CREDENTIALS": ".config/gcloud/application_default_credentials.json"},
        way_out=(
            "write CLOUD_ML_REGION and ANTHROPIC_VERTEX_PROJECT_ID into the credentials file, "
            "and run `gcloud auth application-default login`"
        ),
        login_ports=_CLOUD_PORTS,
        extra="vertex",
    ),
    Provider.FOUNDRY: Facts(
        title="Microsoft Foundry",
        base_url="ANTHROPIC_FOUNDRY_BASE_URL",
        names=(_HEADERS,),
        beginnings=("ANTHROPIC_FOUNDRY_",),
        files={},
        way_out="write ANTHROPIC_FOUNDRY_RESOURCE and ANTHROPIC_FOUNDRY_API_KEY into the credentials file",
    ),
}
VENDORS_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")  # never for a cloud
