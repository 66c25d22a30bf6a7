import assert from "node:assert/strict";
import { unpackedCommand } from "./claude_shell.ts";

const BEFORE = "source /h/.claude/shell-snapshots/snapshot-bash-17-ab.sh 2>/dev/null || true && " +
  "\\builtin shopt -u extglob 2>/dev/null || true && { \\builtin unalias -- 'which'; } " +
  ">/dev/null 2>&1 || true && eval ";

const pack = (quoted: string, after = " < /dev/null && pwd -P >| /t/claude-1f-cwd") =>
  `${BEFORE}${quoted}${after}`;

const quote = (command: string) => `'${command.replaceAll("'", `'"'"'`)}'`;

Deno.test("unpackedCommand() takes off what Claude Code puts around a command, and nothing else", () => {
  for (const command of ["node --test", "perl -pi -e 's/a/b/' x", "a\nb", "x' && eval 'npm test"]) {
    assert.equal(unpackedCommand(pack(quote(command))), command);
    assert.equal(unpackedCommand(pack(quote(command), " && pwd -P >| /t/claude-2-cwd")), command);
  }
  assert.equal(unpackedCommand(pack("./run.sh")), "./run.sh");
  assert.equal(unpackedCommand(pack("'it'\\''s'")), "it's");
  const others = [
    "npm test",
    "eval 'npm test' < /dev/null && pwd -P >| /t/f",
    pack("'false' || true && eval 'npm test'"),
    pack("'npm test' || true"),
    pack("'npm test'", " ; pwd -P >| /t/f"),
    pack("'npm test'", " && pwd -P >| /t/f; true"),
  ];
  for (const other of others) assert.equal(unpackedCommand(other), other);
});
