"""What the agent may read and write, judged by path alone."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.agent.places import Places, read_regular, walk
from extractord.agent.policy import Area, Kind, Located, Roots, is_plain, rule_read, rule_text, rule_write
from extractord.agent.protocol import Decision, Ruling
from extractord.agent.secret_files import bears_secrets

SECRET = [
    ".env", ".ENV", ".env.local", ".Env.Production", ".env-prod", ".env_staging", "prod.env", ".env.bak", ".env~", "..env.swp", ".envrc",
    ".netrc", "_netrc", ".git-credentials", ".npmrc", ".pypirc", ".pgpass", "id_rsa", "ID_RSA", "id_ed25519", "id_ecdsa_sk", "id_rsa.bak",
    "id_ed25519-work", "server.pem", "Server.PEM", "tls.key", "tls.key.old", "a.p12", "a.pfx", "keys.kdbx", "a.ppk", "credentials",
    "credentials.json", ".credentials.json", "secrets.yaml", "secret.toml", "service-account.json", "my-service_account-prod.json",
    "serviceAccount.json", "client_secret_12.apps.json", "x-firebase-adminsdk-1.json", ".bash_history", ".psql_history",
    "terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", ".ssh/config", ".aws/credentials", ".kube/config",
    ".docker/config.json", ".git/config", "sub/.git/modules/x/config", ".config/gh/hosts.yml", ".gnupg/x/y", ".htpasswd", ".claude.json",
    ".claude/settings.local.json", "ssh_host_rsa_key", ".env copy", ".env (1)", ".env2", ".envs/.production/.django", "my_id_rsa",
    "id_rsa copy", "token.json", "serviceAccountKey.json", "x.auto.tfvars.json", ".vault_pass", "secring.gpg", "passwords.txt",
]  # fmt: skip
OPEN = [
    ".env.example", ".env.sample", ".env.template", ".env.local.example", ".env.dist", "example.env", "env.py", "environment.ts",
    "src/env/index.js", "id_rsa.pub", "credentials.py", "secrets.md", "credentials.md", "keys.py", "key.ts", "package.json", ".gitignore",
    ".git/HEAD", ".editorconfig", "settings.json", ".claude/settings.json", "config.json", "monkey.txt", "tokens.css", ".env/lib/site.py",
    "my_id_rsa.pub", "src/tokens.json", "valid_rsa.py", "envs/a.py", "service_accounts.ts",
    "envelope.md", "service_account.py", "secretary.txt", "config", ".docker/Dockerfile", "history.md",
]  # fmt: skip


@pytest.mark.parametrize("path", SECRET)
def test_secret_bearing_names_are_known(path: str) -> None:
    """A file whose name says that it holds secrets is one, in whatever case and as a backup copy too."""
    assert bears_secrets(tuple(path.split("/")))


@pytest.mark.parametrize("path", OPEN)
def test_ordinary_names_and_templates_are_not_secret(path: str) -> None:
    """Templates, public halves, code and texts about secrets can be read."""
    assert not bears_secrets(tuple(path.split("/")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\nb.md",
        "a\0.md",
        "a\x7f.md",
        "\u202edm.evil.md",
        "a\u200b.md",
        "a\U000e0041.md",
        "a\u2028b.md",
        "a\ud800.md",
        "..\\x.md",
        "a\\b.md",
        "~/x.md",
        "~root/x.md",
        "$HOME/x.md",
        "a/${X}.md",
        " a.md",
        "a.md ",
        "a /b.md",
        "a/\u00a0b.md",
        "%2e%2e/x.md",
        "..%2fx.md",
        "%252e%252e%252fx.md",
        "%25252525252e/x.md",
        "a%00.md",
        "a%5cb.md",
        "..\uff0fx.md",
        "\uff0e\uff0e/x.md",
        "\u2025/x.md",
        "a\u2100b.md",
        "a\uff3cb.md",
        "file:///etc/x.md",
    ],
)
def test_paths_that_could_be_taken_for_others_are_refused(text: str) -> None:
    """Hidden characters, escapes and look-alikes never reach the disk."""
    assert rule_text(text).decision is Decision.DENIED
    assert rule_text(text).reason


@pytest.mark.parametrize(
    "text",
    ["a.md", "100%.md", "50%20off.md", "my notes/ünï.md", "日本語/メモ.md", "a..b.md", "../x.md", "👩\u200d💻.md", "a~b.md", "(x) [y].md"],
)
def test_ordinary_paths_are_taken(text: str) -> None:
    """Unicode, inner spaces and percent signs are fine; where the path leads is another question."""
    assert rule_text(text).decision is Decision.ALLOWED


@settings(max_examples=200)
@given(st.text(max_size=30))
def test_what_is_taken_is_plain(text: str) -> None:
    """No path with a hidden character is ever taken, and the rule never raises."""
    if rule_text(text).decision is Decision.ALLOWED:
        assert is_plain(text)
        assert not {"\\", "$"} & set(text)


@pytest.mark.parametrize("area", list(Area))
@pytest.mark.parametrize("kind", list(Kind))
def test_reading_is_denied_outside_and_of_special_files(area: Area, kind: Kind) -> None:
    """Only files, directories and what is missing inside the two roots may be read."""
    allowed = rule_read(Located(area, ("a",), ("a",), kind)).decision is Decision.ALLOWED
    assert allowed == (area is not Area.OUTSIDE and kind in (Kind.FILE, Kind.DIRECTORY, Kind.MISSING))


@pytest.mark.parametrize("area", list(Area))
@pytest.mark.parametrize("kind", list(Kind))
def test_writing_is_denied_but_of_topics_in_memory(area: Area, kind: Kind) -> None:
    """Only a regular or a new file in the memory directory may be written."""
    allowed = rule_write(Located(area, ("a.md",), ("a.md",), kind)).decision is Decision.ALLOWED
    assert allowed == (area is Area.MEMORY and kind in (Kind.FILE, Kind.MISSING))


@pytest.mark.parametrize(
    "parts",
    [
        (),
        ("a.txt",),
        ("a",),
        ("a.MD",),
        (".a.md",),
        (".md",),
        (".git", "a.md"),
        ("x", ".GIT", "a.md"),
        ("MEMORY.md",),
        ("memory.MD",),
        ("\uff2d\uff25\uff2dORY.md",),
        ("\uff23LAUDE.md",),
        ("team", "MEMORY.md"),
        ("CLAUDE.md",),
        ("a", "AGENTS.md"),
        ("a" * 300 + ".md",),
        (*tuple("abcdefghi"), "x.md"),
        ("日" * 90 + ".md",),
    ],
)
def test_what_is_no_topic_is_not_written(parts: tuple[str, ...]) -> None:
    """The index, instruction files, dot-files, other suffixes and names no file system takes are refused with a reason."""
    ruling = rule_write(Located(Area.MEMORY, parts, parts, Kind.MISSING))
    assert ruling.decision is Decision.DENIED
    assert ruling.reason


def test_the_index_is_refused_with_its_own_reason() -> None:
    """A model that writes MEMORY.md is told that extractord keeps it."""
    assert "kept by extractord" in rule_write(Located(Area.MEMORY, ("MEMORY.md",), (), Kind.FILE)).reason


# What each refusal of the two rules says, by a word of it that no other has: a rule that is broken lets the next one speak.
MEMORY, PROJECT = Area.MEMORY, Area.PROJECT
LONG = "a" * 247  # with .md the longest name there may be


def refusal(ruling: Ruling) -> str:
    """The reason; "" where it is allowed."""
    assert (ruling.decision is Decision.DENIED) == bool(ruling.reason)
    return ruling.reason


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "empty"),
        ("a\nb", "has control, bidirectional"),
        ("a\U000e0000b", "has control, bidirectional"),
        ("a\U000e007fb", "has control, bidirectional"),
        ("a\\b", "backslash"),
        ("~", "begins with ~"),
        ("a$", "$, which"),
        ("a://b", "URL"),
        ("a/ b", "space"),
        ("%2e%2e/x", "gain"),
        ("..%2fx", "gain"),
        ("a%5cb", "gain"),
        ("a%00", "gain"),
        ("\u2025/x", "gain"),
        ("%e2%80%a5/x", "gain"),
        ("a\uff0fb", "gain"),
        ("a%ef%bc%8fb", "gain"),
        ("%25252541", ""),
        ("%2525252541", "gain"),
        ("%ff", ""),
        ("%25252525ff", "gain"),
        ("a\U000dffffb", "gain" if not is_plain("\U000dffff") else ""),
        ("a\U000e0080b", ""),
        ("a:/b", ""),
        ("x~", ""),
    ],
)
def test_each_refusal_of_a_text_says_why(text: str, word: str) -> None:
    """What is refused is refused for its own reason, and what differs from it in one character is not."""
    assert word in refusal(rule_text(text))
    assert bool(word) == bool(refusal(rule_text(text)))


@pytest.mark.parametrize(
    ("place", "word"),
    [
        (Located(Area.OUTSIDE, ("a",), ("a",), Kind.FILE), "outside"),
        (Located(PROJECT, (".env",), ("a",), Kind.FILE), "secrets"),
        (Located(PROJECT, ("a",), (".env",), Kind.FILE), "secrets"),
        (Located(PROJECT, (".env",), (".env",), Kind.MISSING), "secrets"),
        (Located(PROJECT, (".ssh",), ("a",), Kind.DIRECTORY), "secrets"),
        (Located(PROJECT, ("a",), (".ssh",), Kind.DIRECTORY), "secrets"),
        (Located(PROJECT, ("a",), ("a",), Kind.SPECIAL), "neither"),
        (Located(PROJECT, ("a",), ("a",), Kind.LINK), "resolved"),
        (Located(PROJECT, ("a",), ("a",), Kind.UNKNOWN), "resolved"),
        (Located(PROJECT, ("credentials",), ("credentials",), Kind.DIRECTORY), ""),
        (Located(PROJECT, ("credentials",), ("credentials",), Kind.FILE), "secrets"),
        (Located(MEMORY), ""),
    ],
)
def test_each_refusal_to_read_says_why(place: Located, word: str) -> None:
    """By where it is, by either of its names, by what it is."""
    assert word in refusal(rule_read(place))
    assert bool(word) == bool(refusal(rule_read(place)))


@pytest.mark.parametrize(
    ("place", "word"),
    [
        (Located(PROJECT, ("a.md",)), "only topics in the memory directory"),
        (Located(MEMORY, (), (), Kind.FILE), "itself"),
        (Located(MEMORY, (".x", "a.md")), "dot-files"),
        (Located(MEMORY, ("a", ".b.md")), "dot-files"),
        (Located(MEMORY, (LONG + ".md",)), ""),
        (Located(MEMORY, (LONG + "a.md",)), "too long"),
        (Located(MEMORY, (LONG + "aaa", "b.md")), ""),
        (Located(MEMORY, (LONG + "aaaa", "b.md")), "too long"),
        (Located(MEMORY, ("\u00e9" * 124 + ".md",)), "too long"),
        (Located(MEMORY, (*(["b" * 250] * 4), "c" * 17 + ".md")), ""),
        (Located(MEMORY, (*(["b" * 250] * 4), "c" * 18 + ".md")), "too long"),
        (Located(MEMORY, (*"abcdefg", "x.md")), ""),
        (Located(MEMORY, (*"abcdefgh", "x.md")), "too deep"),
        (Located(MEMORY, ("a", "Memory.MD")), "kept by extractord"),
        (Located(MEMORY, ("MEMORY.md", "a.md")), ""),
        (Located(MEMORY, ("a", "Claude.md")), "by people"),
        (Located(MEMORY, ("claude.LOCAL.md",)), "by people"),
        (Located(MEMORY, ("Agents.md",)), "by people"),
        (Located(MEMORY, ("a.mdx",)), "only .md"),
        (Located(MEMORY, ("a.md",), links=("a.md",)), "symbolic link"),
        (Located(MEMORY, ("a", "b.md"), files=("a",)), "is a file"),
        (Located(MEMORY, ("a.md",), kind=Kind.DIRECTORY), "is a directory"),
        (Located(MEMORY, ("a.md",), kind=Kind.LINK), "not a regular file"),
        (Located(MEMORY, ("a.md",), kind=Kind.SPECIAL), "not a regular file"),
        (Located(MEMORY, ("a.md",), kind=Kind.UNKNOWN), "not a regular file"),
    ],
)
def test_each_refusal_to_write_says_why(place: Located, word: str) -> None:
    """At the limit it is allowed, one past it not; the reason is the rule's own."""
    assert word in refusal(rule_write(place))
    assert bool(word) == bool(refusal(rule_write(place)))


@pytest.mark.parametrize(
    "code", [0xAD, 0x61C, 0x200B, *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2065), *range(0x2066, 0x206A), 0xFEFF]
)
def test_no_character_that_shows_as_nothing_or_turns_text_round_is_taken(code: int) -> None:
    """Each of them alone, raw or percent-encoded; the letters beside them are."""
    assert "invisible" in refusal(rule_text(f"a{chr(code)}b.md"))
    assert "control character" in refusal(rule_text(f"a{quote(chr(code))}b.md"))
    assert refusal(rule_text("X-ray.md")) == ""


def test_facts_once_gathered_stay_what_they_are(tree: Path) -> None:
    """Equal ones count as one, and none can be changed between the ruling and the act."""
    place, roots = Located(MEMORY, ("a.md",)), Roots(None, str(tree))
    assert len({place, Located(MEMORY, ("a.md",))}) == 1
    for record, field in ((place, "area"), (roots, "memory")):
        with pytest.raises(AttributeError):
            setattr(record, field, "y")


def test_a_place_of_which_nothing_is_known_is_a_missing_file(tree: Path) -> None:
    """What is left out of the facts claims neither links nor files, and roots bar nothing unless told."""
    assert Located(MEMORY) == Located(MEMORY, (), (), Kind.MISSING, (), ())
    assert Roots(None, str(tree)).barred == ()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("proj/src", "mem/topics", "mem-evil", "out"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "proj/src/app.py").write_text("x\n")
    (tmp_path / "mem/note.md").write_text("n\n")
    (tmp_path / "out/secret.txt").write_text("s\n")
    return tmp_path


def places(tree: Path, *barred: Path) -> Places:
    return Places(Roots(str(tree / "proj"), str(tree / "mem"), tuple(map(str, barred))))


def test_links_are_resolved_before_reading_is_judged(tree: Path) -> None:
    """A link that stays inside may be read, one that leads out or to a secret file may not, wherever it stands."""
    (tree / "proj/.env").write_text("K=1\n")
    for name, target in {
        "in": "src/app.py",
        "out": "../out/secret.txt",
        "dir": "../out",
        "env": ".env",
        "loop": "loop",
        "gone": "../out/x",
    }.items():
        (tree / "proj" / name).symlink_to(target)
    found = places(tree)
    assert rule_read(found.for_reading("in").place).decision is Decision.ALLOWED
    assert found.for_reading("in").place.parts == ("src", "app.py")
    for name in ("out", "dir", "dir/secret.txt", "env", "loop", "gone", "src/../../out/secret.txt", "/proc/self/environ", str(tree)):
        assert rule_read(found.for_reading(name).place).decision is Decision.DENIED, name


def test_a_link_named_like_a_secret_is_one(tree: Path) -> None:
    """What is asked for by a secret's name is not shown, whatever it leads to."""
    (tree / "proj/.env").symlink_to("src/app.py")
    assert rule_read(places(tree).for_reading(".env").place).decision is Decision.DENIED


def test_a_directory_of_that_name_is_no_secret(tree: Path) -> None:
    """A package called credentials can be searched, a folder called .ssh cannot."""
    for name in ("credentials", ".ssh"):
        (tree / "proj" / name).mkdir()
    assert rule_read(places(tree).for_reading("credentials").place).decision is Decision.ALLOWED
    assert rule_read(places(tree).for_reading(".ssh").place).decision is Decision.DENIED


def test_writing_never_passes_a_link(tree: Path) -> None:
    """A link at the end or on the way is refused, dangling or not, and even if it stays inside."""
    (tree / "mem/l.md").symlink_to("note.md")
    (tree / "mem/d.md").symlink_to("nowhere.md")
    (tree / "mem/dir").symlink_to("topics")
    (tree / "mem/out").symlink_to("../out")
    for name in ("l.md", "d.md", "dir/x.md", "out/x.md"):
        assert "link" in rule_write(places(tree).for_writing(name).place).reason, name


def test_climbing_is_carried_out_before_it_is_judged(tree: Path) -> None:
    """'..' that comes back is fine; one that leads out, or passes a link or nothing, is not."""
    (tree / "mem/link").symlink_to("topics")
    found = places(tree)
    assert found.for_writing("topics/../x.md").place.parts == ("x.md",)
    assert found.for_writing(f"{tree}/mem/../mem/./x.md").place.parts == ("x.md",)
    for text in (
        "../x.md",
        "topics/../../x.md",
        "link/../x.md",
        "nothing/../x.md",
        f"{tree}/mem-evil/x.md",
        f"{tree}/mem/../mem-evil/x.md",
    ):
        assert found.for_writing(text).place.area is Area.OUTSIDE, text


def test_a_root_behind_a_link_is_the_root(tree: Path) -> None:
    """People link their config home: both spellings of the memory directory mean it."""
    (tree / "alias").symlink_to("mem")
    found = Places(Roots(str(tree / "proj"), str(tree / "alias")))
    for text in (f"{tree}/alias/note.md", f"{tree}/mem/note.md", "note.md"):
        assert found.for_writing(text).place == Located(Area.MEMORY, ("note.md",), ("note.md",), Kind.FILE)
    assert found.for_reading(f"{tree}/alias/note.md").place.area is Area.MEMORY


def test_a_strange_name_of_the_root_itself_is_no_fault(tmp_path: Path) -> None:
    """A project whose own path has a dollar sign or a space at an end can still be read by absolute paths."""
    root = tmp_path / "my $proj "
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("x")
    found = Places(Roots(str(root), str(tmp_path / "mem")))
    assert found.for_reading(f"{root}/src/a.py").text.decision is Decision.ALLOWED
    assert found.for_reading(f"{root}/src/$a.py").text.decision is Decision.DENIED


def test_what_is_barred_is_not_shown_but_memory(tree: Path) -> None:
    """A project that lies round the config home shows its memory, not its transcripts."""
    (tree / "t.jsonl").write_text("{}")
    (tree / "proj/config/projects/p/memory").mkdir(parents=True)
    (tree / "proj/config/projects/p/s.jsonl").write_text("{}")
    (tree / "proj/config/projects/p/memory/n.md").write_text("n")
    found = Places(Roots(str(tree / "proj"), str(tree / "proj/config/projects/p/memory"), (str(tree / "proj/config"),)))
    assert found.for_reading("config/projects/p/s.jsonl").place.area is Area.OUTSIDE
    assert found.for_reading("config/projects/p/memory/n.md").place.area is Area.MEMORY


def test_roots_that_are_not_there_are_empty(tmp_path: Path) -> None:
    """A project that was deleted and a memory directory not made yet can be asked about without harm."""
    found = Places(Roots(None, str(tmp_path / "mem")))
    assert found.for_writing("a/b.md").place == Located(Area.MEMORY, ("a", "b.md"), ("a", "b.md"), Kind.MISSING)
    assert list(walk(found.memory, (), frozenset())) == []
    with pytest.raises(FileNotFoundError):
        read_regular(found.memory, ("a.md",), 10)


def test_a_fifo_or_link_put_there_meanwhile_is_neither_waited_for_nor_followed(tree: Path) -> None:
    """What was judged a file is opened without blocking and without following, whatever it is now."""
    os.mkfifo(tree / "mem/pipe.md")
    (tree / "mem/link.md").symlink_to("../out/secret.txt")
    (tree / "mem/dir").symlink_to("../out")
    root = places(tree).memory
    for parts in (("pipe.md",), ("link.md",), ("dir", "secret.txt"), ("topics",), ("..", "out", "secret.txt")):
        with pytest.raises(OSError):
            read_regular(root, parts, 10)
    assert read_regular(root, ("note.md",), 1) == b"n"
