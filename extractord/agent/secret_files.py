"""Which files bear secrets, told by their names alone.

Owns: the lists of names. A file on them is not shown by any tool, even where everything round it may be read. Leaves where
reading is allowed at all to ``policy``, and secrets inside ordinary files to ``redact``. Pure.
"""

from __future__ import annotations

import re

# Names are compared case-folded: on macOS ``.ENV`` and ``.env`` are one file.
_NAMES = frozenset({
    ".netrc", "_netrc", ".git-credentials", ".npmrc", ".pypirc", ".yarnrc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf",
    ".htpasswd", ".dockercfg", ".vault-token", ".s3cfg", ".boto", ".envrc", ".claude.json", ".terraformrc", "terraform.rc", "kubeconfig",
    "auth.json", "accesstokens.json", "application_default_credentials.json", ".rhosts", ".fetchmailrc", ".msmtprc", ".mailrc",
    "kaggle.json", "rclone.conf", "cookies.sqlite", "logins.json", "key4.db", ".authinfo", ".authinfo.gpg", ".erlang.cookie", ".esmtprc",
    ".wgetrc", ".curlrc", "token.json", ".vault_pass", ".vault_pass.txt", ".vault_password", "secring.gpg", "wallet.dat",
    ".passwd", "passwords.txt", "password.txt", ".pgpassfile", ".smbcredentials", ".mongorc.js", ".token", ".dockerconfigjson",
})  # fmt: skip
_SUFFIXES = frozenset({
    "env", "pem", "key", "p12", "pfx", "p8", "pk8", "pkcs12", "ppk", "kdb", "kdbx", "jks", "keystore", "keytab", "agekey", "ovpn",
    "tfstate", "tfvars", "secret", "token", "keychain", "keychain-db",
})  # fmt: skip
DIRECTORIES = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".gcloud", ".secrets", ".envs"})
# A file below a directory of that name, at any depth: git keeps passwords of remotes in its configuration.
_BELOW = frozenset(
    {
        (".git", "config"),
        (".git", "config.worktree"),
        (".git", "credentials"),
        (".docker", "config.json"),
        ("gh", "hosts.yml"),
        (".m2", "settings.xml"),
        (".claude", "settings.local.json"),
        (".cargo", "credentials"),
        (".gem", "credentials"),
        (".subversion", "auth"),
        (".config", "gcloud"),
    }
)
_TELLING = DIRECTORIES | {below for _, below in _BELOW}
_SHAPES = re.compile(
    r"""
      \.env(\d{1,2}|[ ._-].*)?                                               # .env, .env.local, .env-prod, .env copy
    | (.*[._-])?id_(rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk|xmss)([ ._-].*)?   # private keys and copies of them
    | \.?(credentials?|secrets?)(\.(json|ya?ml|toml|ini|xml|csv|txt|cfg|conf|db|properties|tfrc(\.json)?|enc|plist))?
    | (.*[._-])?(client[._-]?secrets?|service[._-]?account(s?[._-]?keys?)?|firebase[._-]?adminsdk)([ ._-].*)?\.json
    | .*\.tf(vars|state)\.json
    | .*[._-](credentials|secrets|private[._-]?key)\.(json|ya?ml|toml|ini)
    | \.\w+_history
    | ssh_host_\w+_key
    """,
    re.VERBOSE,
)
_TEMPLATES = frozenset({"example", "sample", "template", "dist", "tpl", "tmpl"})
_TEMPLATE_ENVIRONMENTS = frozenset(f"{word}.env" for word in _TEMPLATES)
_SAID_ALOUD = frozenset({"pub", "md", "rst"})  # public halves, and texts about the thing
_COPY = re.compile(r"(~|\.(bak|backup|old|orig|save|saved|swp|swo|tmp|copy|disabled|\d{1,3}))+$")


def _last_suffix(name: str) -> str:
    _, dot, suffix = name.lstrip(".").rpartition(".")
    return suffix if dot else ""


def _name_bears_secrets(name: str) -> bool:
    if _last_suffix(name) in _TEMPLATES | _SAID_ALOUD or name in _TEMPLATE_ENVIRONMENTS:
        return False
    plain = _COPY.sub("", name)
    # vim calls the swap file of ``.env`` ``..env.swp`` and that of ``a.key`` ``.a.key.swp``
    candidates = {name, plain, plain[1:] if plain != name and plain.startswith(".") else plain}
    return any(one in _NAMES or _last_suffix(one) in _SUFFIXES or _SHAPES.fullmatch(one) for one in candidates if one)


def bears_secrets(parts: tuple[str, ...]) -> bool:
    """Return whether the file at ``parts`` (components below an allowed root) is one that holds secrets by its name."""
    return bool(parts) and (_name_bears_secrets(parts[-1].casefold()) or lies_among_secrets(parts))


def lies_among_secrets(parts: tuple[str, ...]) -> bool:
    """Return whether a file or directory at ``parts`` is, or lies below, a place where programs keep secrets."""
    folded = [part.casefold() for part in parts]
    if _TELLING.isdisjoint(folded):  # nearly always, and asked for each file of a project
        return False
    return any(part in DIRECTORIES for part in folded) or any(
        (above, below) in _BELOW for place, above in enumerate(folded) for below in folded[place + 1 :]
    )
