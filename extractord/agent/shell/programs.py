"""The programs that a command may name, and what each may be told: tables.

Owns: which programs and options are known to only read. What is not here is refused: whatever writes (``sort -o``, ``uniq IN
OUT``, ``tree -o``), runs something (``sort --compress-program``, ``file -z``), takes file names or rules out of a file (``wc
--files0-from``, ``grep -f``, ``date -f``), sets something (``date -s``), follows links while it searches (``grep -R``, ``du
-L``) or never ends (``tail -f``). Leaves find to ``finding``, git to ``git_tables``, carrying the rules out to ``planning``.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from extractord.agent.shell.options import Options, Takes, letters, names

_NUMBER, _TEXT, _PATH, _PERHAPS = Takes.NUMBER, Takes.TEXT, Takes.PATH, Takes.PERHAPS


class Operands(enum.Enum):
    """What the words are that are no options."""

    NONE = "none"
    TEXTS = "texts"  # no file is opened by them
    PATHS = "paths"
    ONE_PATH = "one path"
    TWO_PATHS = "two paths"
    PATTERN = "a pattern, unless an option gave one, then paths"
    FILTER = "a filter, then paths"
    FORMAT = "a format that begins with +"


class Shows(enum.Enum):
    """What comes out of a file that is read."""

    NAMES = "names"  # and sizes, times, kinds
    LINES = "lines"  # whole ones: the secret scan of what comes out knows what it sees
    PARTS = "parts"  # of lines, or lines out of their order, or whether something is in them: a secret could be cut or felt along


@dataclass(frozen=True, slots=True)
class Program:
    """One program. ``recursive`` and ``cutting`` name the options that make it go into directories, or show parts (``Shows.PARTS``)."""

    name: str
    options: Options
    operands: Operands = Operands.PATHS
    shows: Shows = Shows.LINES
    recursive: frozenset[str] = field(default_factory=frozenset)
    cutting: frozenset[str] = field(default_factory=frozenset)
    always_recursive: bool = False
    dashes: bool = True  # whether it takes -- before its operands


_LIST = (
    Program(
        "ls",
        Options(
            "1aAlhtrSFdRispGgonXCxmkQqBcuUvNb",
            names=names(
                "all almost-all human-readable recursive reverse size inode directory full-time group-directories-first no-group "
                "numeric-uid-gid classify file-type escape quote-name literal si kibibytes hide-control-chars author ignore-backups"
            )
            | names("color sort time time-style format indicator-style quoting-style", _PERHAPS)
            | names("width block-size hide ignore", _TEXT),
        ),
        shows=Shows.NAMES,
        recursive=frozenset({"R", "recursive"}),
    ),
    Program(
        "cat",
        Options(
            "nbsAeEtTvu",
            names=names("number number-nonblank squeeze-blank show-all show-ends show-tabs show-nonprinting"),
        ),
        cutting=frozenset("AeEtTv") | frozenset(names("show-all show-ends show-tabs show-nonprinting")),
    ),
    Program(
        "head",
        Options(
            "qvz", letters("nc", _NUMBER), names("lines bytes", _NUMBER) | names("quiet silent verbose zero-terminated"), dash_number="n"
        ),
        cutting=frozenset({"c", "bytes"}),
    ),
    Program(
        "tail",
        Options(
            "qvz", letters("nc", _NUMBER), names("lines bytes", _NUMBER) | names("quiet silent verbose zero-terminated"), dash_number="n"
        ),
        cutting=frozenset({"c", "bytes"}),
    ),
    Program("wc", Options("lwcmL", names=names("lines words bytes chars max-line-length"))),
    Program(
        "grep",
        Options(
            "EFGPivwxyclLoqsnHhbaIrzZT",
            letters("mABC", _NUMBER) | letters("e"),
            names(
                "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp "
                "count files-with-matches files-without-match only-matching quiet silent no-messages line-number with-filename "
                "no-filename byte-offset text recursive null initial-tab"
            )
            | names("max-count after-context before-context context", _NUMBER)
            | names("regexp include exclude exclude-dir binary-files label", _TEXT)
            | names("color colour", _PERHAPS),
            dash_number="C",
        ),
        Operands.PATTERN,
        Shows.PARTS,
        recursive=frozenset({"r", "recursive"}),
    ),
    Program(
        "stat",
        Options("tfL", letters("c"), names("terse file-system dereference") | names("format printf", _TEXT)),
        shows=Shows.NAMES,
    ),
    Program(
        "file",
        Options("biNnv0rhL", letters("F"), names("brief mime mime-type mime-encoding no-pad extension no-dereference dereference")),
        shows=Shows.NAMES,
    ),
    Program(
        "du",
        Options(
            "shackbmSx0",
            letters("dt", _NUMBER),
            names("summarize human-readable all total apparent-size bytes separate-dirs one-file-system si count-links null")
            | names("max-depth threshold", _NUMBER)
            | names("block-size exclude", _TEXT)
            | names("time time-style", _PERHAPS),
        ),
        shows=Shows.NAMES,
        always_recursive=True,
    ),
    Program(
        "diff",
        Options(
            "uqscbBwiaENrtdpn",
            letters("U", _NUMBER) | letters("IFx"),
            names(
                "brief report-identical-files ignore-case ignore-all-space ignore-space-change ignore-blank-lines ignore-trailing-space "
                "ignore-tab-expansion text new-file recursive minimal speed-large-files strip-trailing-cr show-c-function rcs normal "
                "expand-tabs initial-tab no-dereference"
            )
            | names("unified context", _PERHAPS)
            | names("ignore-matching-lines show-function-line label exclude", _TEXT)
            | names("color", _PERHAPS),
        ),
        Operands.TWO_PATHS,
        Shows.PARTS,
        recursive=frozenset({"r", "recursive"}),
    ),
    Program(
        "sort",
        Options(
            "bdfghiMnrRVsuzcCm",
            letters("kt"),
            names(
                "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort "
                "numeric-sort random-sort reverse version-sort stable unique zero-terminated merge"
            )
            | names("key field-separator", _TEXT)
            | names("check sort", _PERHAPS),
        ),
        shows=Shows.PARTS,
    ),
    Program(
        "uniq",
        Options(
            "cdDiuz",
            letters("fsw", _NUMBER),
            names("count repeated ignore-case unique zero-terminated")
            | names("skip-fields skip-chars check-chars", _NUMBER)
            | names("all-repeated group", _PERHAPS),
        ),
        Operands.ONE_PATH,
        cutting=frozenset("dDufsw") | frozenset(names("repeated unique skip-fields skip-chars check-chars all-repeated")),
    ),
    Program(
        "cut",
        Options(
            "snz",
            letters("bcdf"),
            names("bytes characters delimiter fields output-delimiter", _TEXT) | names("complement only-delimited"),
        ),
        shows=Shows.PARTS,
    ),
    Program("tr", Options("cCdst", names=names("complement delete squeeze-repeats truncate-set1")), Operands.TEXTS),
    Program(
        "nl",
        Options(
            "p",
            letters("bhfsnd") | letters("wvil", _NUMBER),
            names("body-numbering header-numbering footer-numbering number-separator number-format section-delimiter", _TEXT)
            | names("number-width starting-line-number line-increment join-blank-lines", _NUMBER)
            | names("no-renumber"),
        ),
    ),
    Program("basename", Options("az", letters("s"), names("multiple zero") | names("suffix", _TEXT)), Operands.TEXTS),
    Program("dirname", Options("z", names=names("zero")), Operands.TEXTS),
    Program(
        "realpath",
        Options(
            "emLPqsz",
            names=names("canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero")
            | names("relative-to relative-base", _PATH),
        ),
        shows=Shows.NAMES,
    ),
    Program("pwd", Options("LP", names=names("logical physical")), Operands.NONE, dashes=False),
    Program(
        "date",
        Options(
            "uR",
            letters("d") | letters("I", _PERHAPS) | letters("r", _PATH),
            names("utc universal rfc-email") | names("date rfc-3339", _TEXT) | names("iso-8601", _PERHAPS) | names("reference", _PATH),
        ),
        Operands.FORMAT,
        Shows.NAMES,
        dashes=False,
    ),
    Program("echo", Options("neE"), Operands.TEXTS, Shows.NAMES, dashes=False),
    Program(
        "tree",
        Options("adfipsughDFtcUrvnNqQ", letters("L", _NUMBER) | letters("IP"), names("noreport dirsfirst du si inodes device prune")),
        shows=Shows.NAMES,
        always_recursive=True,
        dashes=False,
    ),
    Program(
        "jq",
        Options(
            "rcnSesjMaC",
            names=names(
                "raw-output raw-input compact-output null-input sort-keys exit-status slurp join-output monochrome-output ascii-output tab"
            ),
        ),
        Operands.FILTER,
        Shows.PARTS,
        dashes=False,
    ),
)  # fmt: skip

PROGRAMS = {program.name: program for program in _LIST}
NAMES = (*PROGRAMS, "find", "git")
