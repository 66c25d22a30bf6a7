/** Which formats have a schema for editors? Every one of the contract, by the name of its file. */
import { z } from "zod";
import { baselineFile } from "./baseline.ts";
import { configFile } from "./config.ts";
import { gateFile } from "./gate.ts";
import { trendFile } from "./history.ts";
import { ledgerRow } from "./ledger.ts";
import { recordingFile } from "./recording.ts";
import { reportFile } from "./report.ts";
import { runFile, stateFile } from "./run.ts";
import { scenarioFile } from "./scenario.ts";
import { toolsFile } from "./tool.ts";

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
  trend: trendFile,
} as const;

/** The names of the formats, as `schemas/<name>.json` carries them. */
export const SCHEMA_NAMES = Object.keys(SCHEMAS) as readonly (keyof typeof SCHEMAS)[];

/** The JSON Schema of a format as text, ending with a line feed. */
export function schemaText(name: keyof typeof SCHEMAS): string {
  const json = z.toJSONSchema(SCHEMAS[name], {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
  });
  return `${JSON.stringify({ ...json, title: `Collaudo ${name}` }, null, 2)}\n`;
}
