/**
 * Which tools have recordings in scenarios with a `workspace`, besides the scenario's own? A shell,
 * which would need a real process, and a writer of text files.
 */
import type { ToolSet } from "./tool.ts";

/** The built-in tool that would need a real process. */
export const SHELL = "shell";

/** The built-in tools by name. */
export const WORKSPACE_TOOLS: ToolSet = {
  write_file: {
    description: "Writes a text file of the workspace",
    effect: "write",
    approval: "none",
    input: {
      type: "object",
      required: ["path", "text"],
      properties: { path: { type: "string", minLength: 1 }, text: { type: "string" } },
    },
    let: { place: "$replace($args.path, /^(\\.\\/+)+/, '')" },
    set: { "files/<place>": "<text>" },
  },
  [SHELL]: {
    description: "Runs a command in the workspace",
    effect: "write",
    approval: "none",
    input: {
      type: "object",
      required: ["command"],
      properties: { command: { type: "string", minLength: 1 } },
    },
  },
};
