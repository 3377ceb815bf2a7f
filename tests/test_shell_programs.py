"""What the programs of a command may read and do, over real files and the real programs, with nothing else to hold them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from extractord.agent.frames import CheckAnswer, EvidenceRule, ShellOffer
from extractord.agent.places import Places
from extractord.agent.policy import Roots
from extractord.agent.protocol import Decision, Ruling, ToolCall
from extractord.agent.shell import SHOWN_BYTES, bash
from extractord.agent.supervise import try_calls
from extractord.agent.tools import Toolbox
from extractord.memory.changeset import Changeset
from tests.needs import Needs

CANARY = "CANARY-" + "8Z3K"
KEY = "sk-ant-" + "api03-" + "Zx8Kq2Lw9Rt4Yv7B" * 5 + "-" + "Qw3Er5Ty7AA"


class Room:
    """A project with things in it that must not come out, and a memory directory."""

    def __init__(self, top: Path) -> None:
        self.top, self.project, self.memory, self.out = top, top / "proj", top / "mem", top / "out"
        for path, text in {
            "proj/README.md": "# Title\nfoo bar\n",
            "proj/src/app.py": "import os\n\ndef foo():\n    return 1\n",
            "proj/src/data.json": '{"env": {"a": 1}, "list": [3, 1, 2]}\n',
            "proj/lines.txt": "b\na\nb\n",
            "proj/.env": f"K={CANARY}\n",
            "proj/deep/server.pem": f"{CANARY}\n",
            "proj/held.py": f"key = '{KEY}'\nfoo\n",
            "mem/topic.md": "a topic\n",
            "out/s.txt": f"{CANARY}\n",
        }.items():
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(text)
        (self.project / "link").symlink_to(self.out)
        (self.project / "file-link").symlink_to(self.out / "s.txt")
        os.mkfifo(self.project / "fifo")

    def __call__(self, command: str, *barred: Path) -> Ruling:
        before = self.state()
        ruling = bash(command, Places(Roots(str(self.project), str(self.memory), tuple(map(str, barred)))))
        assert self.state() == before, "nothing is written"
        assert CANARY not in ruling.result + ruling.reason
        assert KEY[10:30] not in ruling.result + ruling.reason
        return ruling

    def state(self) -> dict[str, tuple[int, bytes | None]]:
        return {
            str(p): (p.lstat().st_mtime_ns, p.read_bytes() if p.is_file() else None) for p in sorted(self.top.rglob("*")) if not p.is_fifo()
        }


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path.resolve())


def shown(ruling: Ruling) -> str:
    assert ruling.decision is Decision.ALLOWED, ruling
    return ruling.result


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("ls", "README.md"),
        ("ls -la src", "app.py"),
        ("ls -d *", "src"),
        ("ls -R src", "src:"),
        ("cat -n README.md", "2\tfoo bar"),
        ("cat README.md - | wc -l", "2"),
        ("head -1 README.md", "# Title"),
        ("head -n 1 -- README.md", "# Title"),
        ("tail --lines=1 README.md", "foo bar"),
        ("wc -l README.md lines.txt", "5 total"),
        ("grep -n foo README.md src/app.py", "src/app.py:3:def foo"),
        ("grep -rn foo src", "src/app.py:3:"),
        ("grep -rl foo", "README.md"),
        ("grep -r --include='*.py' foo .", "./src/app.py"),
        ("grep -rhc foo src --exclude=*.json", "1"),
        ("grep -r --exclude-dir=src foo .", "./README.md"),
        ("grep -e foo -A1 -2 README.md", "# Title"),
        ("find . -name '*.py'", "./src/app.py"),
        ("find src -type f -size -10k -printf '%f\\n'", "data.json"),
        ("find . -maxdepth 1 -type d -not -name src", "./deep"),
        ("find . \\( -name '*.py' -o -name '*.md' \\) -newer lines.txt -o -name lines.txt", "./lines.txt"),
        ("find src -empty", "(no output)"),
        ("stat -c '%n %s' README.md", "README.md 16"),
        ("du -sk src", "src"),
        ("diff lines.txt README.md", "> # Title"),
        ("sort -u lines.txt", "a\nb"),
        ("sort lines.txt | uniq -c", "2 b"),
        ("cut -d ' ' -f 1 README.md", "foo"),
        ("cat lines.txt | tr a-z A-Z", "B\nA\nB"),
        ("nl -w2 lines.txt", " 1\tb"),
        ("basename src/app.py .py", "app"),
        ("dirname src/app.py", "src"),
        ("pwd", "/proj"),
        ("date -u +%Y", "20"),
        ("echo a 'b  c' -x", "a b  c -x"),
        ("ls nope 2>&1 | wc -l", "1"),
        ("cat -A README.md", "foo bar$"),
        ("ls nope", "No such file"),
        ("cat README.md | grep foo | head -n 1", "foo bar"),
    ],
)
def test_reading_works_as_it_is_known(room: Room, command: str, part: str) -> None:
    """Programs, options, quotes, globs and pipes do what a shell would have done."""
    assert part in shown(room(command))


def test_the_memory_directory_is_read_by_its_path(room: Room) -> None:
    """Both roots may be read, absolutely too."""
    assert shown(room(f"cat {room.memory}/topic.md {room.project}/README.md")) == "a topic\n# Title\nfoo bar"


@pytest.mark.parametrize(
    "command",
    [
        "rm README.md", "/bin/ls", "sh -c ls", "touch x", "awk 1 README.md", "sed p README.md", "tee x", "xargs ls", "env", "python3 -c 1",
        "cat .env", "cat ./.env", "cat src/../.env", "cat .ENV", "cat .e*", "cat '.env'", "cat deep/*", "head -n1 .[a-z]*",
        "cat ../out/s.txt", "cat link/s.txt", "cat file-link", "wc -c file-link", "cat link/*", "cat /etc/passwd", "cat fifo",
        "cat /dev/null", "cat ~/x", "stat .env", "cat /proc/self/environ", "diff README.md .env", "diff .env README.md", "sort .env",
        "nl -- .env", "grep x .env", "grep -e '' -- .env", "grep -f .env README.md", "grep --file=.env README.md", "grep -R foo .",
        "grep -r foo link", "grep -r foo ..", "grep --fil=.env README.md", "grep --include-from=x y", "find . -delete",
        "find . -exec ls ';'", "find . -ok ls ';'", "find . -fprint x", "find -L .", "find -H link", "find . -follow", "find link",
        "find / -name x", "find . -newer ../out/s.txt", "find . -files0-from README.md", "find . -depth", "find . \\) -o \\( -true",
        "find . -name", "find .. -name x", "sort -o x lines.txt", "sort lines.txt -ox", "sort --output=x lines.txt",
        "sort --outp=x lines.txt", "sort -T src lines.txt", "sort --compress-program=sh lines.txt", "sort --files0-from=lines.txt",
        "uniq lines.txt out.txt", "tail -f README.md", "tail -qF README.md", "tail --follow README.md", "tail --pid=1 README.md",
        "wc --files0-from=lines.txt", "wc --files0=lines.txt", "du --files0-from=lines.txt", "du -L .", "du -X lines.txt .", "du link",
        "ls -L", "ls link", "ls -l link/", "ls .env", "ls --dired", "tree -o x", "tree -- -o", "tree -R", "tree --fromfile lines.txt",
        "tree -l", "tree link", "date -s 2020-01-01", "date --set=2020-01-01", "date 01010000", "date -f .env", "date --file=.env",
        "date -r .env", "file -f lines.txt", "file -m lines.txt", "file -C", "file -z README.md", "file .env", "jq -n env", "jq -n '$ENV'",
        "jq -n '[env]'", "jq . .env", "jq", "jq -f lines.txt", "jq --from-file lines.txt .", "jq --slurpfile a .env .",
        "jq --rawfile a .env .", "jq -L . .", "jq 'import \"a\" as a; .'", "jq 'include \"a\"; .'", "jq -- -f lines.txt",
        "jq -n '\"\\(env)\"'", "jq '..|env' src/data.json", "jq -n '$ ENV'", "jq -n '{a:env}'", "jq -n '{env}'", "jq -n '{a: 1}|env::x'",
        "realpath link", "realpath ../out", "realpath --relative-to=/etc README.md",
        "cut -f1 .env", "echo x > y", "head -c 5 .env", "diff -r src link", "diff src README.md", "diff --from-file=.env README.md",
        "diff --to-file .env README.md", "diff README.md", "diff -X lines.txt src deep", "pwd -x", "pwd x", "less README.md", "time ls",
        "cd src", "true", "ls; ls", "yes", "sleep 100", "kill 1", "set", "export", "exit", "cat ''",
    ],
)  # fmt: skip
def test_what_does_more_than_read_or_leads_out_is_denied(room: Room, command: str) -> None:
    """Other programs, writing, running, following, endless or abbreviated options, secrets and places outside: each with a reason."""
    ruling = room(command)
    assert ruling.decision is Decision.DENIED, ruling
    assert ruling.reason


@pytest.mark.parametrize(
    "command", ["grep -r . .", "grep -rc CANARY", "grep -rh '' . deep", "diff -r . deep", "diff -rN deep src", "ls *", "echo *"]
)
def test_searching_through_directories_leaves_secrets_out(room: Room, command: str) -> None:
    """No content of a secret file, of one that holds a secret, or of what a link leads to comes out; nor does a FIFO hold it up."""
    result = shown(room(command))
    assert "K=" not in result


def test_a_search_says_what_it_left_out(room: Room) -> None:
    """The model is told that there was more, not what it was."""
    assert "(3 files that bear or hold secrets were left out" in shown(room("grep -r foo ."))


def test_where_nothing_is_shown_no_names_are_listed(room: Room) -> None:
    """find stays out of key folders and barred places; programs that cannot be kept out do not run."""
    for folder in (".ssh", "barred"):
        (room.project / folder).mkdir()
        (room.project / folder / f"{folder}-inside").write_text("x\n")
    barred = room.project / "barred"
    for command in ("find .", "find . -name '*-inside'", f"find {room.project} -print", "find . -false -o -true"):
        assert "-inside" not in shown(room(command, barred)), command
    for command in ("ls -R", "du -a .", "du", "tree", "ls .ssh", "find .ssh", "ls barred", "cat barred/barred-inside", "grep -r x barred"):
        assert room(command, barred).decision is Decision.DENIED, command
    assert "barred-inside" not in shown(room("grep -rl x .", barred))
    assert "barred-inside" not in shown(room("diff -rN . src", barred))


@pytest.mark.parametrize(
    "command",
    [
        "cut -c 1-20 held.py",
        "grep -o 'sk-.*' held.py",
        "grep -c '^key' held.py",
        "head -c 30 held.py",
        "tail -c 90 held.py",
        "jq -R . held.py",
        "sort held.py",
        "sort -r README.md held.py",
        "cat -A held.py",
        "cat -v wide.txt",
        "cat --show-nonprinting wide.txt",
        "uniq -D -w 1 held.py",
        "uniq --unique held.py",
    ],
)
def test_a_file_that_holds_a_secret_is_not_taken_apart(room: Room, command: str) -> None:
    """What shows parts of lines, or some lines, in another order or spelling, or whether something stands in them, gets no such file."""
    (room.project / "wide.txt").write_text(f"key {KEY}\n", encoding="utf-16-le")
    assert room(command).decision is Decision.DENIED


@pytest.mark.parametrize(
    "command",
    [
        "cat held.py",
        "cat held.py | cut -c 1-20",
        "head -n 1 held.py | tr a-z b-za",
        "cat held.py | cut -c 8-40 | sort",
        "cat held.py | sort | grep -o 'sk.*'",
        "cat held.py | sort -r | uniq -u",
    ],
)
def test_secrets_are_taken_out_before_anything_else_sees_them(room: Room, command: str) -> None:
    """A later stage gets what the scan left, so it cannot turn a secret into something the scan would not know."""
    result = shown(room(command))
    assert not any(KEY[at : at + 6] in result for at in range(8, 60))


def test_output_is_cut_with_a_note(room: Room) -> None:
    """At most 30 KB come back."""
    (room.project / "long.txt").write_text("0123456789\n" * 10_000)
    result = shown(room("cat long.txt"))
    assert len(result.encode()) <= SHOWN_BYTES + 100
    assert "cut at 30 KB" in result
    assert shown(room("cat long.txt | wc -l")) == "10000"


def test_endless_output_and_work_come_to_an_end(room: Room, needs: Needs) -> None:
    """A program that goes on is ended at its bound in time or output, and no process of it is left."""
    needs("jq", apt="jq")
    assert "ended after" in shown(room("jq -n 'range(1e12)'"))
    assert "ended after" in shown(room("jq -n 'last(range(1e12))'"))
    left = subprocess.run(["pgrep", "-P", str(os.getpid()), "jq"], capture_output=True, check=False)
    assert left.stdout == b""


@pytest.mark.parametrize(
    ("filter_", "wanted"),
    [(".env.a", "1"), (".include", "null"), ("{env: .list[0], import: 2}", '{"env":3,"import":2}'), ('.["env"].a', "1")],
)
def test_fields_may_be_called_like_what_jq_reads(room: Room, needs: Needs, filter_: str, wanted: str) -> None:
    """A configuration's ``env`` and ``include`` are fields like others."""
    needs("jq", apt="jq")
    assert shown(room(f"jq -c '{filter_}' src/data.json")) == wanted


def test_a_program_that_is_not_there_is_said_to_be_missing(room: Room, needs: Needs) -> None:
    """What is on the list but not on the machine fails by itself."""
    missing = [name for name in ("tree", "jq", "file") if not any(Path(folder, name).exists() for folder in ("/usr/bin", "/bin"))]
    for name in missing:
        assert "not installed" in shown(room(f"{name} README.md" if name != "jq" else "jq . src/data.json"))
    if "jq" not in missing:
        assert shown(room("jq .env.a src/data.json")) == "1"
        assert shown(room("jq '.list|sort|.[0]' src/data.json")) == "1"


def test_the_environment_is_built_from_nothing(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the caller's environment reaches a program."""
    for name in ("GREP_COLORS", "LS_COLORS", "LD_DEBUG", "TZ", "GIT_DIR", "QUOTING_STYLE", "BLOCK_SIZE", "TABSIZE"):
        monkeypatch.setenv(name, CANARY)
    assert shown(room("ls src")) == "app.py\ndata.json"
    assert "UTC" in shown(room("date -u"))


def test_bash_is_denied_with_the_reason_where_it_is_not_offered(room: Room) -> None:
    """A run without a kernel sandbox has no Bash, and the model is told."""
    places = Places(Roots(str(room.project), str(room.memory)))
    toolbox = Toolbox(places, lambda _: CheckAnswer(Decision.ALLOWED), EvidenceRule.NOT_ASKED)
    ruling = toolbox.rule(ToolCall("1", "Bash", {"command": "ls"}))
    assert ruling.decision is Decision.DENIED
    assert "no kernel sandbox" in ruling.reason


def test_a_project_that_is_gone_leaves_the_memory_directory(room: Room) -> None:
    """Where there is no project, commands run in the memory directory, and there is no git."""
    places = Places(Roots(None, str(room.memory)))
    assert bash("ls", places).result == "topic.md"
    assert bash("git log", places).failed


def test_the_real_worker_runs_commands_and_writes_nothing(room: Room) -> None:
    """In the worker, with its bounds, commands work, and each answer comes back in order."""
    before = room.state()
    calls = [
        ToolCall(str(n), "Bash", {"command": c}) for n, c in enumerate(("ls src", "rm -r src", "sort lines.txt | uniq -d", "cat .env"))
    ]
    calls.append(ToolCall("x", "Bash", {"command": "ls", "run_in_background": True}))
    *answers, changeset = try_calls(
        calls, Roots(str(room.project), str(room.memory)), lambda _: CheckAnswer(Decision.ALLOWED), shell=ShellOffer.OFFERED
    )
    rulings = [answer.ruling for answer in answers if not isinstance(answer, Changeset)]
    assert [r.decision.value for r in rulings] == ["allowed", "denied", "allowed", "denied", "denied"]
    assert (rulings[0].result, rulings[2].result) == ("app.py\ndata.json", "b")
    assert changeset == Changeset(())
    assert room.state() == before


def test_a_worker_that_ends_takes_its_children_along(room: Room, needs: Needs) -> None:
    """When the supervisor ends a worker in the middle of a command, no program of it goes on."""
    needs("jq", apt="jq")
    script = (
        "import sys, threading, time\n"
        "from extractord.agent import supervise as s\n"
        "from extractord.agent.protocol import ToolCall\n"
        "threading.Timer(2, s.abandon_workers).start()\n"
        "call = ToolCall('1', 'Bash', {'command': sys.argv[3]})\n"
        "list(s.try_calls([call], s.Roots(sys.argv[1], sys.argv[2]), None, shell=s.ShellOffer.OFFERED))\n"
    )
    marker = "last(range(1e12)) | 4711"
    argv = [sys.executable, "-c", script, str(room.project), str(room.memory), f"jq -n '{marker}'"]
    done = subprocess.run(argv, capture_output=True, check=False, cwd=Path(__file__).parent.parent)
    assert b"AbandonedError" in done.stderr, done.stderr
    assert subprocess.run(["pgrep", "-f", "jq -n last"], capture_output=True, check=False).stdout == b""
