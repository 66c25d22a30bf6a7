/**
 * What do the scripts say that git starts? One shim in git's shared folder, plain POSIX sh, and the
 * marked block by which a hook calls it. The shim answers alone whether a commit can concern the
 * project at all; only then does it start Deno. Nothing in here reads or writes.
 */
import type { Config } from "../model/config.ts";
import { hookWordsOf } from "../report/words_hook.ts";
import { DEMOTING, OWN_TRIGGERS } from "./triggers.ts";

/** The hooks that are installed. */
export const HOOKS = [
  "pre-commit",
  "commit-msg",
  "post-commit",
  "post-merge",
  "post-rewrite",
] as const;

export const BEGIN = "# >>> collaudo >>>";
export const END = "# <<< collaudo <<<";

/** Everything that stands in the shim. */
export interface Shim {
  /** Absolute path of Deno, and its version. */
  readonly deno: string;
  readonly denoVersion: string;
  /** Absolute path of the program's first file. */
  readonly program: string;
  /** How people call the program, `COLLAUDO_PROGRAM`; empty for the source tree. */
  readonly called: string;
  /** The project inside the repository: empty, or ending with `/`. */
  readonly prefix: string;
  /** The blob of the collaudo.yaml that the triggers were taken from; empty where it is none yet. */
  readonly config: string;
  readonly triggers: readonly string[];
  readonly onMissing: Config["hook"]["on_missing_runtime"];
  /** True: hooks may reach the network, for `on_stale: live`. */
  readonly live: boolean;
  readonly all: boolean;
  readonly locale: Config["locale"];
}

/** A text as one word of sh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Stands in a text for what only sh knows. */
const HOLE = "\0";

/** A text as one word of sh, with a variable of sh where its hole is. */
function word(text: string, variable: string): string {
  return text.split(HOLE).map(quoted).join(`"${variable}"`);
}

/** A glob as a pattern of `case`: it fits at least what the glob fits. */
export function casePattern(glob: string): string {
  return glob.replace(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) => {
    if (part === "?") return "?";
    return part.startsWith("*") ? "*" : quoted(part);
  });
}

/** What a hook holds of us. `path` of the shim as sh writes it, quotes included. */
export function hookBlock(hook: string, path: string): string {
  return [BEGIN, `${hookLine(hook, path)}`, END, ""].join("\n");
}

/** The one line that calls the shim; where that is gone, nothing is stopped, and it is said. */
export function hookLine(hook: string, path: string): string {
  const gone = "echo 'collaudo: not installed in this clone: run hook install' >&2";
  return `if [ -x ${path} ]; then ${path} ${hook} "$@" || exit $?; else ${gone}; fi`;
}

/** The path of the shim for a line that must serve in any clone. */
export const ANY_CLONE = '"$(git rev-parse --git-common-dir)/collaudo/hook"';

/** The shim. */
export function shimText(shim: Shim): string {
  const own = OWN_TRIGGERS.map((glob) => `${shim.prefix}${glob}`);
  const patterns = [...own, ...shim.triggers].map(casePattern).join("|");
  const words = hookWordsOf(shim.locale);
  const at = "${prefix}collaudo.yaml";
  const net = shim.live ? "--allow-net" : "--allow-net=127.0.0.1,[::1],localhost";
  return `#!/bin/sh
# Collaudo: may this commit be made? Written by \`hook install\`; install again instead of editing.
deno=${quoted(shim.deno)}
version=${quoted(shim.denoVersion)}
program=${quoted(shim.program)}
called=${quoted(shim.called)}
prefix=${quoted(shim.prefix)}
config=${quoted(shim.config)}
all=${shim.all ? "yes" : "no"}
missing=${shim.onMissing}

hook=$1
[ $# -eq 0 ] || shift
where=$(git rev-parse --path-format=absolute --show-toplevel --git-common-dir --git-dir) || exit 3
{ read -r top; read -r common; read -r gitdir; } <<EOF
$where
EOF
home=$common/collaudo
pending=$home/pending.jsonl
changed=

touched() {
  while IFS= read -r file; do
    # A submodule is a file by the name of its folder.
    case $file in \\"*|${patterns}) return 0 ;; esac
    case $file/ in ${patterns}) return 0 ;; esac
  done
  return 1
}

runtime() {
  lacks=$program
  [ -f "$program" ] || return 1
  lacks=Deno
  [ -x "$deno" ] && return 0
  command -v npx >/dev/null 2>&1 || return 1
  npx --offline --yes "deno@$version" --version >/dev/null 2>&1 </dev/null || return 1
  deno=
}

collaudo() {
  if ! runtime; then
    printf '%s\\n' ${word(words.missing(HOLE), "$lacks")} >&2
    if [ "$missing" = block ]; then
      echo ${quoted(words.missingStops)} >&2
      return 3
    fi
    echo ${quoted(words.missingPasses)} >&2
    return 0
  fi
  cd "$top" || return 3
  # Deno's lists know no way to write a comma: "." says where we stand, and all is the last resort.
  case $common in
    "$top"/*) write=--allow-write=. ;;
    *,*) write=--allow-write ;;
    *) write=--allow-write=.,$common ;;
  esac
  unset INIT_CWD
  alone=
  if [ -n "$called" ]; then
    export COLLAUDO_PROGRAM="$called"
    # The package brings all that it needs: the settings of the owner's own programs are not its.
    alone="--no-config --no-lock --no-remote"
  fi
  # shellcheck disable=SC2086
  set -- run $alone --v8-flags=--min-semi-space-size=64 --no-prompt --cached-only --allow-read \\
    "$write" --allow-env --allow-run=git \\
    ${quoted(net)} "$program" hook run "$@" \\
    --top "$top" --common "$common" --git-dir "$gitdir" --prefix "$prefix" --all "$all" \\
    --config "$changed"
  if [ -n "$deno" ]; then
    DENO_NO_UPDATE_CHECK=1 "$deno" "$@"
  else
    DENO_NO_UPDATE_CHECK=1 npx --offline --yes "deno@$version" "$@"
  fi
  code=$?
  [ $code -ne 101 ] || code=1
  return $code
}

# What the commit is compared with: its parent, also where it replaces the newest one.
compared() {
  head=$(git show -s --no-show-signature --date=raw --format='@%ad' HEAD 2>/dev/null) || head=
  if [ -z "$head" ]; then
    base=$(git hash-object -t tree /dev/null)
  elif [ "$head" = "$GIT_AUTHOR_DATE" ]; then
    base=$(git rev-parse -q --verify 'HEAD^') || base=$(git hash-object -t tree /dev/null)
  else
    base=HEAD
  fi
}

# The index has no project where it was: moved, half removed, removed as a whole, or not there before.
gone() {
  if ! git cat-file -e "$base:\${prefix}collaudo.yaml" 2>/dev/null; then
    [ "$hook" != commit-msg ] || printf '%s\\n' ${word(words.noProject(HOLE), at)} >&2
    return 1
  fi
  git -c core.quotePath=false diff --cached --name-only --diff-filter=A --no-renames --no-ext-diff \\
    "$base" -- collaudo.yaml '*/collaudo.yaml' | while IFS= read -r file; do
    printf '%s\\n' ${word(words.movedAway(HOLE), "$file")} >&2
    exit 2
  done || exit 2
  if [ -n "$(git --literal-pathspecs ls-files -- "\${prefix}scenarios" "\${prefix}gates")" ]; then
    printf '%s\\n' ${word(words.halfRemoved(HOLE), at)} >&2
    exit 2
  fi
  runtime && return 0
  [ "$hook" != pre-commit ] || return 1
  grep -Eqi '^eval-override *: *[^[:space:]]' "$1" && return 1
  printf '%s\\n' ${word(words.removedAll(HOLE), at)} >&2
  exit 2
}

triggered() {
  now=$(git rev-parse -q --verify ":\${prefix}collaudo.yaml") || now=
  if [ -z "$now" ]; then
    gone "$@"
    return
  fi
  if [ "$now" != "$config" ]; then
    changed=$now
    return 0
  fi
  git -c core.quotePath=false diff --cached --name-only --no-renames --no-ext-diff \\
    --ignore-submodules=none "$base" | touched
}

busy() {
  [ -f "$gitdir/MERGE_HEAD" ] || [ -f "$gitdir/CHERRY_PICK_HEAD" ] || [ -f "$gitdir/REVERT_HEAD" ] ||
    [ -d "$gitdir/rebase-merge" ] || [ -d "$gitdir/rebase-apply" ]
}

# Rows of the ledger go into the commit that is being made, where nothing stands in the way.
ledger() {
  [ -s "$pending" ] || return 0
  busy && return 0
  [ "$base" = HEAD ] || return 0
  case \${GIT_INDEX_FILE##*/} in
    ''|index|index.lock) ;;
    *) return 0 ;;
  esac
  file=\${prefix}regressions.md
  if [ -e "$file" ]; then
    git ls-files --error-unmatch -- "$file" >/dev/null 2>&1 || return 0
  fi
  git diff --quiet -- "$file" || return 0
  tree=$(git write-tree) || return 0
  (collaudo ledger --tree "$tree" --base "$base") || return 0
  [ ! -e "$file" ] || git add -- "$file"
}

note() {
  mkdir -p "$home" && printf '{"hook":"%s","commit":"%s"}\\n' "$hook" "$1" >>"$pending"
}

# The newest commits of a range in which scenarios may have been let go.
demotes() {
  git log -1 -m --no-show-signature --format=%H --no-renames --diff-filter=D "$1" -- "\${prefix}scenarios"
  git log -1 -m --no-show-signature --format=%H --no-renames --diff-filter=M \\
    -G${quoted(DEMOTING)} "$1" -- "\${prefix}scenarios"
}

# Only commits that the ledger may have to name are noted.
noteworthy() {
  git show -s --no-show-signature --format=%B "$1" | grep -qi '^eval-' && return 0
  [ -z "$(demotes "$1^!")" ] || return 0
  [ -n "$(git diff-tree --root --no-commit-id --name-only -r "$1" -- "\${prefix}gates" "\${prefix}reports/baselines")" ]
}

case $hook in
  pre-commit)
    compared
    ledger
    triggered || exit 0
    tree=$(git write-tree) || exit 3
    for known in "$home/verdicts/$tree-"*; do [ ! -e "$known" ] || exit 0; done
    collaudo pre-commit --tree "$tree" --base "$base"
    exit $?
    ;;
  commit-msg)
    compared
    triggered "$1" || grep -qi '^eval-blocked' "$1" || exit 0
    tree=$(git write-tree) || exit 3
    collaudo commit-msg --tree "$tree" --base "$base" --message "$1"
    exit $?
    ;;
  post-commit)
    head=$(git rev-parse HEAD) || exit 0
    if noteworthy "$head"; then note "$head"; fi
    ;;
  post-merge)
    range=ORIG_HEAD..HEAD
    [ "$1" = 1 ] && exit 0
    for commit in $(git rev-list --max-count=1 -i -E --grep='^eval-' "$range" 2>/dev/null) \\
      $(git rev-list --max-count=1 "$range" -- "\${prefix}gates" "\${prefix}reports/baselines" 2>/dev/null) \\
      $(demotes "$range" 2>/dev/null); do
      note "$commit"
    done
    ;;
  post-rewrite)
    while read -r old new rest; do
      if noteworthy "$new" || noteworthy "$old"; then note "$new"; fi
    done
    ;;
esac
exit 0
`;
}
