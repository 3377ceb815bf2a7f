"""git's subcommands and their options that only read: tables.

Owns: which there are, and what is put last so that it wins over whatever was asked. Left out on purpose: options that write
(``--output``), run (``--ext-diff``, ``--textconv``, ``--show-signature``, ``status -v``), read other files (``--no-index``,
``--contents``, ``--exclude-from``), follow a file to names it had (``-L``, ``-M``, ``-C``), or tell whether a text is in a file
that is not shown (``-S``, ``-G``). Leaves the rest to ``git``.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from extractord.agent.shell.options import Options, Takes, letters, names

_NUMBER, _TEXT, _PERHAPS = Takes.NUMBER, Takes.TEXT, Takes.PERHAPS


class Operands(enum.Enum):
    """What a subcommand's words are that are no options."""

    HISTORY = "revisions, then paths; commits come out"
    COMMITS = "log: as HISTORY, and patches may come out"
    OBJECTS = "show: revisions or REV:path"
    COMPARISON = "diff: revisions, then paths, or two REV:path"
    ONE_FILE = "blame: perhaps a revision, then a path"
    PATHS = "paths"
    PATTERNS = "patterns of names, with --list only"
    REVISIONS = "revisions"


@dataclass(frozen=True, slots=True)
class Subcommand:
    """One subcommand. ``last`` goes after all other options."""

    options: Options
    operands: Operands
    last: tuple[str, ...] = ()


_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--submodule=short", "--no-color")
_DIFF_FLAGS = "puswbRazW"
_DIFF_NAMES = (
    names(
        "patch no-patch minimal patience histogram numstat shortstat summary name-only name-status compact-summary check "
        "ignore-all-space ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines function-context no-renames "
        "patch-with-stat no-prefix text no-color exit-code quiet no-indent-heuristic indent-heuristic"
    )
    | names("stat dirstat color word-diff color-words abbrev", _PERHAPS)
    | names("diff-filter inter-hunk-context diff-algorithm stat-width stat-count stat-name-width", _TEXT)
    | names("unified", _NUMBER)
)
_LIMIT_NAMES = (
    names(
        "all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp basic-regexp merges no-merges first-parent "
        "all branches tags remotes reverse topo-order date-order author-date-order cherry-pick left-right left-only right-only "
        "full-history simplify-merges ancestry-path"
    )
    | names("since after until before author committer grep", _TEXT)
    | names("max-count skip min-parents max-parents", _NUMBER)
)
_SHOWN_NAMES = (
    names("oneline graph abbrev-commit no-abbrev-commit no-decorate relative-date full-index no-notes parents children source")
    | names("format date", _TEXT)
    | names("pretty decorate", _PERHAPS)
)
LIMITS = frozenset(_LIMIT_NAMES) | frozenset("niEFP")
# Whatever else is given to log counts as asking for patches.
WITHOUT_PATCH = (
    LIMITS
    | frozenset(_SHOWN_NAMES)
    | frozenset(names("stat dirstat numstat shortstat summary compact-summary name-only name-status no-patch follow no-renames no-color"))
    | frozenset("s")
)

SUBCOMMANDS = {
    "log": Subcommand(
        Options(
            _DIFF_FLAGS + "iEFP",
            letters("nU", _NUMBER),
            _DIFF_NAMES | _LIMIT_NAMES | _SHOWN_NAMES | names("follow"),
            dash_number="n",
            glued=True,
        ),
        Operands.COMMITS,
        _NO_PROGRAMS,
    ),
    "show": Subcommand(
        Options(_DIFF_FLAGS, letters("U", _NUMBER), _DIFF_NAMES | _SHOWN_NAMES, glued=True), Operands.OBJECTS, _NO_PROGRAMS
    ),
    "diff": Subcommand(
        Options(_DIFF_FLAGS, letters("U", _NUMBER), _DIFF_NAMES | names("cached staged merge-base"), glued=True),
        Operands.COMPARISON,
        _NO_PROGRAMS,
    ),
    "blame": Subcommand(
        Options(
            "wsefnltcbp",
            letters("L"),
            names("porcelain line-porcelain show-email show-name show-number root first-parent no-progress")
            | names("date abbrev", _TEXT),
            glued=True,
        ),
        Operands.ONE_FILE,
        ("--no-textconv", "--no-progress"),
    ),
    "status": Subcommand(
        Options(
            "sbz",
            letters("u", _PERHAPS),
            names("short branch long no-renames ahead-behind no-ahead-behind show-stash")
            | names("porcelain untracked-files ignored", _PERHAPS),
        ),
        Operands.PATHS,
        ("--ignore-submodules=all",),
    ),
    "ls-files": Subcommand(
        Options(
            "zctdmoik",
            letters("x"),
            names(
                "cached deleted modified others ignored killed exclude-standard directory no-empty-directory full-name error-unmatch "
                "deduplicate eol"
            )
            | names("exclude", _TEXT)
            | names("abbrev", _PERHAPS),
            glued=True,
        ),
        Operands.PATHS,
    ),
    "branch": Subcommand(
        Options(
            "arvl",
            names=names("all remotes verbose list show-current ignore-case no-color no-column")
            | names("contains no-contains merged no-merged abbrev", _PERHAPS)
            | names("sort points-at", _TEXT),
        ),
        Operands.PATTERNS,
    ),
    "tag": Subcommand(
        Options(
            "li",
            letters("n", _PERHAPS),
            names("list ignore-case no-column")
            | names("contains no-contains merged no-merged", _PERHAPS)
            | names("sort points-at", _TEXT),
        ),
        Operands.PATTERNS,
    ),
    "rev-parse": Subcommand(
        Options(
            "q",
            names=names(
                "verify quiet symbolic symbolic-full-name show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir "
                "is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository all branches tags remotes"
            )
            | names("short abbrev-ref", _PERHAPS),
        ),
        Operands.REVISIONS,
    ),
    "describe": Subcommand(
        Options(
            names=names("all tags contains long always exact-match first-parent")
            | names("abbrev candidates", _NUMBER)
            | names("match exclude", _TEXT)
        ),
        Operands.REVISIONS,
    ),
    "shortlog": Subcommand(
        Options("snecn", names=_LIMIT_NAMES | names("summary numbered email committer"), letters={}),
        Operands.HISTORY,
    ),
}  # fmt: skip
