/**
 * Who reads an agent's output? One reader for each format, chosen by name and never guessed. In: the
 * lines of one process as they come. Out: its record, which is testimony.
 */
import { match } from "ts-pattern";
import type { StreamKind, StreamReader } from "../../model/stream.ts";
import { TEXT_MAX } from "./bounds.ts";
import { claudeFormat } from "./claude.ts";
import { codexFormat } from "./codex.ts";
import { geminiFormat } from "./gemini.ts";
import { JsonLines } from "./lines.ts";
import { openclawReader } from "./openclaw.ts";
import { opencodeFormat } from "./opencode.ts";
import { piFormat } from "./pi.ts";
import { StreamTrace } from "./trace.ts";

/** A reader for the output of one process; `workspace` is taken off the paths of changed files. */
export function streamReader(
  kind: StreamKind,
  about: { readonly workspace: string },
): StreamReader {
  const trace = new StreamTrace(about);
  return match(kind)
    .with("codex", () => new JsonLines(trace, codexFormat(trace)))
    .with(
      "claude",
      "qwen",
      (dialect) => new JsonLines(trace, claudeFormat(trace, dialect), { document: true }),
    )
    .with("opencode", () => new JsonLines(trace, opencodeFormat(trace)))
    .with("gemini", () => new JsonLines(trace, geminiFormat(trace)))
    .with("pi", () => new JsonLines(trace, piFormat(trace)))
    .with("openclaw", () => openclawReader(about))
    .with("none", () => plainReader(trace))
    .exhaustive();
}

/** Reads no format: the whole output is what the agent said, and only its exit code tells how it ended. */
function plainReader(trace: StreamTrace): StreamReader {
  const lines: string[] = [];
  let size = 0;
  return {
    line(text) {
      size += text.length + 1;
      if (size <= TEXT_MAX / 2) lines.push(text);
    },
    end() {
      if (size > TEXT_MAX / 2) trace.break("it is longer than what is kept");
      trace.say(lines.join("\n").trim());
      const nothing = { terminal: null, session: null, model: null, usage: null };
      return trace.record({ end: { kind: "completed" }, ...nothing }, {
        noiseLines: 0,
        truncated: false,
      });
    },
  };
}

/** True where a process tells the usage of the whole thread so far: over resumes the last counts. */
export function tellsTotalUsage(kind: StreamKind): boolean {
  return kind === "codex";
}
