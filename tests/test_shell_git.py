"""git in a command: it reads, shows no secret file out of history, and runs nothing that a hostile repository names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from extractord.agent.places import Places
from extractord.agent.policy import Roots
from extractord.agent.protocol import Decision, Ruling
from extractord.agent.shell import bash

CANARY = "CANARY-" + "4T9P"
ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "ann"), ("EMAIL", "a@example.invalid"))},
}


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *words], env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout


class Repository:
    """A repository with history, in which secret files were committed and changed."""

    def __init__(self, top: Path) -> None:
        self.top, self.project, self.memory = top, top / "proj", top / "mem"
        self.memory.mkdir()
        self.put("README.md", "# Title\nfoo bar\n")
        self.put("src/app.py", "x = 1\n")
        self.put(".env", f"K={CANARY}-1\n")
        git(self.project, "init", "-q", "-b", "main")
        self.commit("first")
        self.put("README.md", "# Title\nfoo baz\n")
        self.put("deep/id_rsa", f"{CANARY}-2\n")
        self.commit("second")
        git(self.project, "tag", "-a", "v1", "-m", "release one")
        self.put(".env", f"K={CANARY}-3\n")
        self.commit("only a secret")
        git(self.project, "mv", "deep/id_rsa", "deep/plain.txt")
        self.commit("a secret that was renamed")
        self.put("deep/plain.txt", "nothing\n")
        self.commit("fifth")
        git(self.project, "branch", "dev", "HEAD~1")
        self.put("src/app.py", "x = 2\n")
        self.put(".env", f"K={CANARY}-4\n")

    def put(self, path: str, text: str) -> None:
        (self.project / path).parent.mkdir(parents=True, exist_ok=True)
        (self.project / path).write_text(text)

    def commit(self, message: str) -> None:
        git(self.project, "add", "-A")
        git(self.project, "commit", "-q", "-m", message)

    def __call__(self, command: str, *barred: Path) -> Ruling:
        before = self.state()
        ruling = bash(command, Places(Roots(str(self.project), str(self.memory), tuple(map(str, barred)))))
        assert self.state() == before, "nothing is written, git's index included"
        return ruling

    def state(self) -> dict[str, tuple[int, bytes | None]]:
        return {str(p): (p.lstat().st_mtime_ns, p.read_bytes() if p.is_file() else None) for p in sorted(self.top.rglob("*"))}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path.resolve())


def shown(ruling: Ruling) -> str:
    assert ruling.decision is Decision.ALLOWED, ruling
    assert not ruling.failed, ruling
    return ruling.result


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("git log --oneline -2", "fifth"),
        ("git log --format='%h %an %s' -n 3", " ann fifth"),
        ("git log --pretty=oneline --since='2 weeks ago' --author=ann", "first"),
        ("git log --grep=only -i --all", "only a secret"),
        ("git log -- '*.py'", "first"),
        ("git log src/app.py", "first"),
        ("git log --follow --oneline -- README.md", "second"),
        ("git log --graph --oneline main dev", "* "),
        ("git log dev..main", "fifth"),
        ("git log --stat -1", "deep/plain.txt"),
        ("git log -p README.md", "+foo baz"),
        ("git log -p -5 --reverse", "+x = 1"),
        ("git --no-pager log -1", "fifth"),
        ("git log --oneline | wc -l", "5"),
        ("git show", "+nothing"),
        ("git show v1", "release one"),
        ("git show --stat HEAD~3", "README.md"),
        ("git show HEAD:README.md", "foo baz"),
        ("git show HEAD~4:./src/../README.md", "foo bar"),
        ("git show HEAD:src", "app.py"),
        ("git show HEAD@{0} -- deep/plain.txt", "+nothing"),
        ("git diff", "+x = 2"),
        ("git diff --stat", "src/app.py"),
        ("git diff HEAD", "+x = 2"),
        ("git diff v1 HEAD -- src README.md", "(no output)"),
        ("git diff HEAD~4..HEAD README.md", "+foo baz"),
        ("git diff --cached", "(no output)"),
        ("git diff HEAD~4:README.md HEAD:README.md", "+foo baz"),
        ("git diff -U0 --word-diff", "x ="),
        ("git blame README.md", "ann"),
        ("git blame -L 2,2 -s v1 -- README.md", "foo baz"),
        ("git status", "src/app.py"),
        ("git status -sb", "## main"),
        ("git status --porcelain=v1 -uall src", " M src/app.py"),
        ("git branch", "* main"),
        ("git branch -a -vv --contains=HEAD~2", "dev"),
        ("git branch --list 'd*'", "dev"),
        ("git branch --show-current", "main"),
        ("git branch --merged main", "dev"),
        ("git branch -a --contains v1", "dev"),
        ("git log --format= --name-only -1", "deep/plain.txt"),
        ("git tag -l", "v1"),
        ("git tag -n", "release one"),
        ("git ls-files '*.py'", "src/app.py"),
        ("git ls-files -m", "src/app.py"),
        ("git rev-parse --abbrev-ref HEAD", "main"),
        ("git rev-parse --short HEAD", ""),
        ("git rev-parse --show-toplevel", "/proj"),
        ("git describe --tags", "v1-3-g"),
        ("git shortlog -sn", "5\tann"),
        ("git shortlog HEAD~2..HEAD", "fifth"),
    ],
)
def test_git_reads_as_it_is_known(repository: Repository, command: str, part: str) -> None:
    """History, differences, state and names come out as git would show them."""
    assert part in shown(repository(command))


@pytest.mark.parametrize(
    "command",
    [
        "git", "git commit -m x", "git add .", "git config user.name x", "git gc", "git fetch", "git ls-remote x", "git remote",
        "git grep x", "git stash list", "git cat-file -p HEAD:.env", "git archive HEAD", "git bundle create x HEAD", "git reflog", "git x",
        "git worktree list", "git -c alias.x=!ls x", "git -C src log", "git --git-dir=x log", "git --work-tree=.. diff", "git -p log",
        "git --exec-path=. log", "git --paginate log", "git --help", "git log --help", "git log -h", "git --version", "git log --output=x",
        "git log --outp=x", "git diff --output x", "git show -o x", "git log --show-signature", "git log --format=%G?",
        "git log --format='%<(9)%G?'", "git log --pretty='%+GS'", "git log --format='%(describe)'", "git log --pretty=mine",
        "git show --format=%GK", "git diff --ext-diff", "git diff --textconv", "git log -p --textconv", "git show --textconv HEAD",
        "git blame --textconv README.md", "git diff --no-index README.md src/app.py", "git diff --no-ind README.md src/app.py",
        "git blame --contents /etc/passwd README.md", "git blame -S /etc/passwd README.md",
        "git blame --ignore-revs-file=README.md README.md", "git ls-files -X README.md", "git ls-files -s",
        "git ls-files --exclude-from=README.md", "git log -S K", "git log -G K", "git log --pickaxe-all", "git log -L1,1:.env",
        "git log -m -p", "git log -c", "git log --cc", "git log -p --follow README.md", "git log -p --full-diff README.md",
        "git log --stdin", "git log -g", "git log --remerge-diff", "git log --raw", "git diff --raw", "git diff --submodule=log",
        "git diff -M", "git show -C", "git diff --cc", "git log --orderfile=x", "git diff -Ox", "git status -v", "git status -vv",
        "git status --verbose", "git branch new", "git branch -d dev", "git branch -m x", "git branch --edit-description",
        "git branch -f main", "git branch --format='%(contents)'", "git tag new", "git tag -d v1", "git tag -v v1", "git tag -a x -m x",
        "git branch --merged main dev", "git branch --merged main -d",
        "git log --encoding=IBM037", "git log --format='%<(9,trunc)%s'",
        "git log --format='%w(3)%s'", "git log --format=%f",
        "git rev-parse --git-path x", "git rev-parse --parseopt", "git describe --dirty",
        "git describe --broken", "git show HEAD:.env", "git show HEAD:./.env", "git show HEAD:src/../.env", "git show HEAD:.ENV",
        "git show HEAD~3:deep/id_rsa", "git show :.env", "git show :0:.env", "git show :/first", "git show 'HEAD^{/first}:.env'",
        "git show HEAD:README.md HEAD:.env", "git show main~2..main", "git diff HEAD:.env HEAD:README.md",
        "git diff HEAD:README.md README.md", "git diff HEAD .env", "git diff -- .env", "git log -p -- .env", "git log -- ':(glob)**'",
        "git diff -- ':!src'", "git diff -- ../out", "git diff -- /etc/passwd", "git log -- '../*'", "git blame .env",
        "git blame HEAD .env", "git blame HEAD~3 -- deep/id_rsa", "git blame", "git rev-parse HEAD:.env", "git show HEAD:../x",
        "git show HEAD:/etc/passwd", "git diff HEAD~1 HEAD -- deep/id_rsa",
    ],
)  # fmt: skip
def test_what_does_more_than_read_or_names_a_secret_is_denied(repository: Repository, command: str) -> None:
    """Other subcommands, git's own options, writing, running, reading elsewhere, abbreviations, secrets by any name: with a reason."""
    ruling = repository(command)
    assert ruling.decision is Decision.DENIED, ruling
    assert ruling.reason
    assert CANARY not in ruling.reason


@pytest.mark.parametrize(
    "command",
    [
        "git log -p", "git log -p -n 1 HEAD~2", "git log -p -1 HEAD~1", "git log -u --all", "git log -U1", "git log -W", "git log --check",
        "git log --patch-with-stat", "git log -p -- '*'", "git log -p -- deep", "git log -p -- '.en*'", "git log --word-diff",
        "git log --color-words", "git log -p --skip=1 -n 1", "git log -p --reverse -n 3", "git log -p --first-parent", "git show",
        "git show HEAD~1", "git show HEAD~2", "git show HEAD~3 HEAD~4", "git show v1", "git show -- '.e*'", "git show HEAD~2 -- '*'",
        "git diff", "git diff HEAD~4", "git diff v1 HEAD", "git diff HEAD -- .", "git diff -R HEAD~4", "git diff HEAD~4...HEAD",
        "git diff HEAD~4 -- '[.]env'", "git diff --no-renames v1", "git show HEAD~1^!", "git show HEAD~4:", "git log -p HEAD^!",
        "git diff HEAD^!", "git log -p ^HEAD~4 HEAD", "git show --word-diff HEAD~2",
    ],
)  # fmt: skip
def test_patches_leave_secret_files_out(repository: Repository, command: str) -> None:
    """Whatever is asked of history, what a file of a secret's name holds or held does not come out."""
    ruling = repository(command)
    # The file that once had a secret's name has a plain one now, and is shown under that one as it stands in those commits.
    renamed = f"{CANARY}-2"
    assert CANARY not in (ruling.result + ruling.reason).replace(renamed, "")
    if "deep/id_rsa" in ruling.result:
        assert "a/deep/id_rsa" not in ruling.result


@pytest.mark.parametrize(
    "command",
    [
        "git diff --word-diff", "git diff --word-diff=porcelain HEAD", "git diff --color-words=. --word-diff=plain", "git log -p -U0",
        "git show --word-diff HEAD~1", "git log -p --word-diff=plain --color-words=.", "git diff HEAD:held.py HEAD~1:held.py --word-diff",
        "git blame -L 4,6 block.txt", "git blame -L 4,6 HEAD~1 -- block.txt", "git blame -L2,2 held.py", "git show -U0",
        "git log --format='%h %s %b'", "git log --grep=rotated",
    ],
)  # fmt: skip
def test_a_secret_in_an_ordinary_file_is_not_cut_up(repository: Repository, command: str) -> None:
    """Words instead of lines, some lines of a file, the header of a hunk, a message in another encoding: no piece of a secret comes out."""
    old, new = (f"{kind}Qx7" * 4 + "Zz81" for kind in ("aB3d", "K9mN"))
    lines = [f"{number}bQ/x{'Ws5k' * 14}+{number}" for number in range(10, 22)]
    block = "\n".join(("-----BEGIN RSA " + "PRIVATE KEY-----", *lines, "-----END RSA " + "PRIVATE KEY-----"))
    git(repository.project, "config", "i18n.logOutputEncoding", "IBM037")
    for held, after in ((old, "one"), (new, "two")):
        repository.put("held.py", f"name = 1\ndb_password = {held}\n")
        repository.put("block.txt", f"before\n{block}\n{after}\n")
        repository.commit(f"rotated\n\npassword: {held}")
    repository.put("held.py", f"name = 1\ndb_password = {old}\n")
    ruling = repository(command)
    assert not any(piece in ruling.result + ruling.reason for piece in (old[4:12], new[4:12], *(line[4:20] for line in lines)))
    assert old.encode("cp037").decode(errors="replace")[:4] not in ruling.result


def test_words_apart_are_shown_where_no_secret_is(repository: Repository) -> None:
    """The same options do their work on ordinary text."""
    assert "[-1-]{+2+}" in shown(repository("git diff --word-diff -- src"))
    assert "foo baz" in shown(repository("git blame -L 2,2 HEAD -- README.md"))
    repository.put("src/deep.py", "def outer(\n" + "    x = 1\n" * 9)
    repository.commit("code")
    repository.put("src/deep.py", "def outer(\n" + "    x = 1\n" * 8 + "    y = 1\n")
    assert "@@ def outer(" in shown(repository("git diff -- src/deep.py"))


def test_a_commit_that_only_touched_a_secret_shows_no_other_instead(repository: Repository) -> None:
    """Leaving files out does not make git go on to commits that nobody looked at."""
    result = shown(repository("git log -p -n 1 HEAD~2"))
    assert "second" not in result
    assert CANARY not in result


def test_merges_are_shown_without_secrets(repository: Repository) -> None:
    """A merge's own patch, against all parents, leaves them out too."""
    git(repository.project, "stash", "-q")
    git(repository.project, "checkout", "-q", "-b", "side", "HEAD~1")
    repository.put(".env", f"K={CANARY}-5\n")
    repository.put("README.md", "# Side\n")
    repository.commit("side")
    git(repository.project, "checkout", "-q", "main")
    repository.put(".env", f"K={CANARY}-6\n")
    repository.put("README.md", "# Main\n")
    repository.commit("main")
    subprocess.run(["git", "-C", str(repository.project), "merge", "-q", "side"], env=ENVIRONMENT, check=False, capture_output=True)
    repository.put(".env", f"K={CANARY}-7\n")
    repository.put("README.md", "# Both\n")
    repository.commit("merged")
    for command in ("git show", "git show HEAD HEAD~1", "git log -p -4", "git log -p --merges", "git diff HEAD^1 HEAD"):
        result = shown(repository(command))
        assert not any(f"{CANARY}-{number}" in result for number in (1, 3, 4, 5, 6, 7)), command
    assert "# Both" in shown(repository("git show"))


def test_files_in_barred_places_are_left_out_of_patches(repository: Repository) -> None:
    """Where the project lies round the config home, its history shows nothing of that."""
    repository.put("home/notes.md", f"{CANARY}-8\n")
    repository.commit("with a home")
    home = repository.project / "home"
    for command in ("git show", "git log -p -1", "git diff HEAD~1"):
        assert f"{CANARY}-8" not in repository(command, home).result
    for command in ("git show HEAD:home/notes.md", "git blame home/notes.md", "git diff HEAD~1 -- home"):
        assert repository(command, home).decision is Decision.DENIED


def test_what_is_neither_revision_nor_path_fails_with_a_word(repository: Repository) -> None:
    """Trees, blobs by their hash and mistakes are not taken for something else."""
    blob = git(repository.project, "rev-parse", "HEAD:.env").strip()
    for operand in ("HEAD^{tree}", blob, "nosuch"):
        for command in ("git show", "git log", "git diff"):
            ruling = repository(f"{command} {operand}")
            assert ruling.failed or ruling.decision is Decision.DENIED, ruling
            assert CANARY not in ruling.result


# --- hostile repositories


def trapped(repository: Repository) -> Path:
    """Set every trap at once: each would make a file, if git ran what it names."""
    project = repository.project
    sprung = repository.top / "sprung"
    sprung.mkdir()

    def trap(name: str) -> str:
        script = project / ".git" / f"trap-{name}.sh"
        script.write_text(f"#!/bin/sh\ntouch {sprung}/{name}\ncat\n")
        script.chmod(0o755)
        return str(script)

    for key, name in {
        "core.fsmonitor": "fsmonitor", "core.pager": "pager", "pager.log": "pager-log", "pager.diff": "pager-diff",
        "diff.external": "external", "diff.tc.textconv": "textconv", "diff.tc.command": "command", "filter.f.clean": "clean",
        "filter.f.smudge": "smudge", "filter.p.process": "process", "gpg.program": "gpg", "gpg.ssh.program": "gpg-ssh",
        "gpg.openpgp.program": "openpgp", "core.sshCommand": "ssh", "core.askPass": "askpass", "core.editor": "editor",
        "sequence.editor": "sequence", "core.gitProxy": "proxy", "credential.helper": "credential",
        "core.alternateRefsCommand": "alternate", "interactive.diffFilter": "interactive", "uploadpack.packObjectsHook": "pack",
        "remote.evil.uploadpack": "uploadpack", "trailer.x.command": "trailer", "trailer.x.cmd": "trailer-cmd", "merge.tc.driver": "merge",
        "alias.log": "alias", "filter.we.ird.clean": "dotted",
    }.items():  # fmt: skip
        git(project, "config", key, f"!{trap(name)}" if key.startswith("alias") else trap(name))
    for key, value in {
        "log.showSignature": "true", "format.pretty": "%h %G? %s", "filter.f.required": "true", "status.submoduleSummary": "true",
        "core.hooksPath": str(project / ".git" / "myhooks"), "diff.submodule": "diff", "submodule.recurse": "true",
        "diff.autoRefreshIndex": "true", "protocol.allow": "always", "protocol.ext.allow": "always",
        "remote.evil.url": f"ext::touch {sprung}/ext", "remote.evil.promisor": "true", "extensions.partialClone": "evil",
        "core.repositoryFormatVersion": "1", "core.worktree": str(repository.top / "out"),
        "core.attributesFile": str(project / "attributes"), "log.diffMerges": "separate",
        "diff.orderFile": str(repository.top / "out/s.txt"), "mailmap.file": str(repository.top / "out/s.txt"), "log.mailmap": "true",
        "log.follow": "true",
    }.items():  # fmt: skip
        subprocess.run(["git", "config", "-f", str(project / ".git/config"), key, value], env=ENVIRONMENT, check=True)
    hooks = project / ".git" / "myhooks"
    for folder in (hooks, project / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout", "pre-auto-gc"):
            (folder / hook).write_text(f"#!/bin/sh\ntouch {sprung}/hook-{hook}\n")
            (folder / hook).chmod(0o755)
    (repository.top / "out").mkdir()
    (repository.top / "out/s.txt").write_text(f"{CANARY}-out\n")
    (repository.top / "out/README.md").write_text(f"{CANARY}-out\n")
    for name in ("attributes", ".gitattributes"):
        (project / name).write_text("*.md diff=tc filter=f merge=tc\n*.py diff=tc filter=p\n*.txt filter=we.ird\n")
    bare = project / "sub" / "bare"
    for inside in ("objects", "refs"):
        (bare / inside).mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    (bare / "config").write_text(f"[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = {trap('bare')}\n")
    _submodule(repository, trap("submodule"))
    repository.put("README.md", "# Title\nfoo BAZ\n")  # of the same size: git has to look inside, and would filter
    repository.put("src/app.py", "x = 3\n")
    repository.put("deep/plain.txt", "NOTHING\n")
    return sprung


def _submodule(repository: Repository, script: str) -> None:
    """Put a repository with traps of its own where the outer one has a submodule."""
    inner = repository.project / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    git(inner, "commit", "-q", "--allow-empty", "-m", "inner")
    head = git(inner, "rev-parse", "HEAD").strip()
    plain = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", f"--work-tree={repository.project}"]
    git(repository.project, *plain, "update-index", "--add", "--cacheinfo", f"160000,{head},inner")
    (repository.project / ".gitmodules").write_text('[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n')
    git(inner, "commit", "-q", "--allow-empty", "-m", "moved")
    git(inner, "config", "core.fsmonitor", script)


COMMANDS = [
    "git status", "git status -sb -uall", "git status --porcelain", "git diff", "git diff HEAD", "git diff --cached", "git diff --stat",
    "git diff -U0", "git diff v1 HEAD", "git diff HEAD:README.md HEAD~4:README.md", "git log", "git log -p", "git log --stat",
    "git log --oneline", "git log -1 -p --all", "git log --format='%h %an'", "git log README.md", "git show", "git show v1",
    "git show HEAD:README.md", "git blame README.md", "git blame src/app.py", "git branch", "git branch -vv", "git tag -n",
    "git ls-files -m", "git ls-files -o", "git rev-parse HEAD", "git describe --tags", "git shortlog", "git log --graph --all",
    "git diff -- sub", "git status sub/bare", "git log -p -- sub/bare", "git diff inner", "git log | head -n 1",
]  # fmt: skip


def test_a_repository_with_every_trap_runs_nothing(repository: Repository) -> None:
    """With all side doors of the configuration set at once, no command runs anything, writes anything or reads outside."""
    sprung = trapped(repository)
    for path in sprung.iterdir():
        path.unlink()  # git itself, setting the traps up
    allowed = 0
    for command in COMMANDS:
        ruling = repository(command)
        assert [path.name for path in sprung.iterdir()] == [], command
        assert f"{CANARY}-out" not in ruling.result + ruling.reason, command
        allowed += ruling.decision is Decision.ALLOWED and not ruling.failed
    assert allowed == len(COMMANDS), "and all of it still works"


def test_the_traps_work_where_nothing_shuts_them(repository: Repository) -> None:
    """The test above means something: plain git does run what such a configuration names."""
    sprung = trapped(repository)
    for path in sprung.iterdir():
        path.unlink()
    for words in (["status"], ["diff"], ["log", "-p"], ["show", "--ext-diff"]):
        command = ["git", f"--git-dir={repository.project}/.git", f"--work-tree={repository.project}", *words]
        subprocess.run(command, cwd=repository.project, env=ENVIRONMENT, capture_output=True, check=False)
    assert {"fsmonitor", "external", "clean", "textconv"} <= {path.name for path in sprung.iterdir()}


def test_a_partial_clone_fetches_nothing(repository: Repository) -> None:
    """What is missing from a repository that claims to be partial is not fetched by a program its configuration names."""
    sprung = trapped(repository)
    blob = git(repository.project, "rev-parse", "HEAD~4:README.md").strip()
    (repository.project / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for path in sprung.iterdir():
        path.unlink()
    for command in ("git show HEAD~4:README.md", "git log -p", "git diff HEAD~4", "git blame README.md"):
        repository(command)
        assert [path.name for path in sprung.iterdir()] == [], command


def test_blame_ignores_only_revisions_listed_in_the_project(repository: Repository) -> None:
    """git quotes what is no revision in the file it is pointed to, so that has to be one that may be read."""
    (repository.top / "out").mkdir()
    (repository.top / "out/s.txt").write_text(f"{CANARY}-out\n")
    for place in ("../out/s.txt", ".env", "~/x"):
        git(repository.project, "config", "blame.ignoreRevsFile", place)
        assert repository("git blame README.md").decision is Decision.DENIED
    repository.put(".git-blame-ignore-revs", git(repository.project, "rev-parse", "HEAD"))
    git(repository.project, "config", "blame.ignoreRevsFile", ".git-blame-ignore-revs")
    assert "ann" in shown(repository("git blame README.md"))


def test_filters_of_strange_names_stop_git(repository: Repository) -> None:
    """A filter that cannot be named on git's command line cannot be switched off: then git is not run."""
    with (repository.project / ".git/config").open("a") as config:
        config.write('[filter "a=b c"]\n\tclean = touch pwned\n')
    assert repository("git status").decision is Decision.DENIED


@pytest.mark.parametrize("trap", ["link", "file", "alternates", "commondir", "refs", "above"])
def test_a_repository_that_reaches_elsewhere_is_refused(repository: Repository, trap: str) -> None:
    """History of another repository is not shown, by whichever of git's means it is borrowed; nor that of one above the project."""
    other = repository.top / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    git(other, "commit", "-q", "--allow-empty", "-m", f"{CANARY}-other")
    place = repository.project / ".git"
    if trap in ("link", "file", "above"):
        place.rename(repository.top / "was")
    match trap:
        case "link":
            place.symlink_to(other / ".git")
        case "file":
            place.write_text(f"gitdir: {other}/.git\n")
        case "alternates":
            (place / "objects/info/alternates").write_text(f"{other}/.git/objects\n")
        case "commondir":
            (place / "commondir").write_text(f"{other}/.git\n")
        case "refs":
            (place / "refs/heads/x").symlink_to(other / ".git/refs/heads/main")
        case "above":
            git(repository.top, "init", "-q", "-b", "main")
            git(repository.top, "commit", "-q", "--allow-empty", "-m", f"{CANARY}-above")
    for command in ("git log", "git log --all", "git show", "git status"):
        ruling = repository(command)
        assert ruling.failed or ruling.decision is Decision.DENIED
        assert CANARY not in ruling.result + ruling.reason


def test_a_linked_work_tree_is_read(repository: Repository) -> None:
    """A work tree that its repository knows works like any other."""
    tree = repository.top / "tree"
    git(repository.project, "worktree", "add", "-q", str(tree), "dev")
    assert "a secret that was renamed" in shown(bash("git log -1", Places(Roots(str(tree), str(repository.memory)))))
    assert shown(bash("git branch --show-current", Places(Roots(str(tree), str(repository.memory))))) == "dev"


def test_the_index_stays_as_it_is_when_times_differ(repository: Repository) -> None:
    """A file that was only touched does not make git refresh its index, nor leave a lock behind."""
    os.utime(repository.project / "README.md", (1, 1))
    for command in ("git diff", "git status", "git diff HEAD", "git describe --tags", "git ls-files -m"):
        assert repository(command).decision is Decision.ALLOWED
    assert not (repository.project / ".git/index.lock").exists()
