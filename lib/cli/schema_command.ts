/** `schema`: what may stand in each file? Writes `schemas/*.json` from the zod schemas, or checks them. */
import { z } from "zod";
import { baselineFile } from "../model/baseline.ts";
import { configFile } from "../model/config.ts";
import { EXIT } from "../model/exit.ts";
import { gateFile } from "../model/gate.ts";
import { ledgerRow } from "../model/ledger.ts";
import { recordingFile } from "../model/recording.ts";
import { reportFile } from "../model/report.ts";
import { runFile, stateFile } from "../model/run.ts";
import { scenarioFile } from "../model/scenario.ts";
import { toolsFile } from "../model/tool.ts";
import { join, openSession, type Session } from "./session.ts";

const SCHEMAS = {
  baseline: baselineFile,
  collaudo: configFile,
  gate: gateFile,
  "ledger-row": ledgerRow,
  recording: recordingFile,
  report: reportFile,
  run: runFile,
  scenario: scenarioFile,
  state: stateFile,
  tools: toolsFile,
} as const;

/** Runs the command; with `check` nothing is written and a stale file gives exit code 2. */
export async function schemaCommand(
  io: Session["io"],
  options: { readonly check?: boolean },
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const stale: string[] = [];
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const path = join(session.project.root, `schemas/${name}.json`);
    const text = schemaText(name, schema);
    const written = await io.files.stat(path) === null ? null : await io.files.readText(path);
    if (written === text) continue;
    stale.push(`schemas/${name}.json`);
    if (options.check !== true) await io.files.writeText(path, text);
  }
  if (options.check === true && stale.length > 0) {
    io.terminal.err(`error: Stale: ${stale.join(", ")}\n  fix: deno task eval schema\n`);
    return EXIT.usage;
  }
  io.terminal.out(stale.length === 0 ? "schemas are fresh\n" : `written: ${stale.join(", ")}\n`);
  return EXIT.ok;
}

function schemaText(name: string, schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" });
  return `${JSON.stringify({ ...json, title: `Collaudo ${name}` }, null, 2)}\n`;
}
