# ruff: noqa: S105 - the values are labels
"""What can be found: the kinds of secrets, and the words that stand in their place."""

from __future__ import annotations

import enum

import msgspec


class Kind(enum.Enum):
    """A kind of secret; the value is what people read in its place."""

    PRIVATE = "private"  # what a person put between <private> tags
    PRIVATE_KEY = "private key"
    PASSWORD = "password"
    SECRET = "secret"
    TOKEN = "token"
    KEY = "key"
    COOKIE = "cookie"
    JWT = "json web token"
    AWS = "aws key"
    GITHUB = "github token"
    GITLAB = "gitlab token"
    SLACK = "slack token"
    STRIPE = "stripe key"
    GOOGLE = "google key"
    OPENAI = "openai key"
    ANTHROPIC = "anthropic key"
    HUGGING_FACE = "hugging face token"
    PACKAGE_INDEX = "package index token"
    AZURE = "azure key"
    SERVICE = "service token"  # any other service whose tokens have a form of their own
    WEBHOOK = "webhook address"

    @property
    def marker(self) -> str:
        """What is written in the place of such a secret."""
        return f"[redacted: {self.value}]"


class Span(msgspec.Struct, frozen=True, gc=False):
    """A secret in UTF-8 bytes: from ``start`` to just before ``end``."""

    start: int
    end: int
    kind: Kind
