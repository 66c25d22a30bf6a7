/**
 * What is to be said of a tree in which the project is not where it was? Moved or half removed, nobody
 * would notice that nothing is judged any more: that stops like bad files do. Removed as a whole it
 * may be, by a person who says why.
 */
import { newReason } from "../gate/input.ts";
import { readConfigText } from "../load/history.ts";
import { EXIT } from "../model/exit.ts";
import type { Io } from "../model/ports.ts";
import { narrow } from "../report/hook_lines.ts";
import { describeReason } from "../report/reasons.ts";
import { terminalVoice } from "../report/voice.ts";
import { hookWordsOf } from "../report/words_hook.ts";
import { gitIn, type Repository, type TreeCall } from "./hook_call.ts";
import type { TreeVerdict } from "./tree_cache.ts";

/** The verdict of a tree without the project; `nothing` is that of one in which it never was. */
export async function judgeGone(
  io: Io,
  { repository, base, tree }: TreeCall,
  nothing: TreeVerdict,
): Promise<TreeVerdict> {
  const { prefix } = repository;
  const file = `${prefix}collaudo.yaml`;
  const before = await gitIn(io, repository, ["cat-file", "blob", `${base}:${file}`]);
  if (before.code !== 0) return nothing;
  const config = readConfigText(before.out);
  const { locale, zone } = { locale: config?.locale ?? "en", zone: config?.zone ?? "UTC" } as const;
  const words = hookWordsOf(locale);
  const stops = (line: string) => ({
    ...nothing,
    locale,
    zone,
    code: EXIT.usage,
    lines: [narrow(line)],
  });
  const there = new Set(await projectsIn(io, repository, base));
  const moved = (await projectsIn(io, repository, tree)).find((each) => !there.has(each));
  if (moved !== undefined) return stops(words.movedAway(`${moved}collaudo.yaml`));
  const args = ["ls-tree", "--name-only", "--full-tree", tree, "--"];
  const left = await gitIn(io, repository, [...args, `${prefix}scenarios`, `${prefix}gates`]);
  if (left.out !== "") return stops(words.halfRemoved(file));
  const reason = newReason("project_removed", "block", {
    expected: "the project",
    actual: file,
    overridable: true,
  });
  const said = describeReason(reason, terminalVoice({ locale, zone }, config?.currency ?? "EUR"));
  return {
    ...nothing,
    locale,
    zone,
    decision: { verdict: "block", evidence: "self_test", exitCode: EXIT.block, reasons: [reason] },
    code: EXIT.block,
    lines: [narrow(`  ${said}`)],
  };
}

/** Where a tree has projects: empty, or ending with `/`. */
export async function projectsIn(
  io: Pick<Io, "git">,
  repository: Repository,
  tree: string,
): Promise<string[]> {
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree];
  const { out } = await gitIn(io, repository, args);
  const files = out.split("\0").filter((path) => /(?:^|\/)collaudo\.yaml$/.test(path));
  return files.map((path) => path.slice(0, -"collaudo.yaml".length));
}
