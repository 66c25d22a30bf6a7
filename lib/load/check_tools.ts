/** Do the tools of a file hold together? */
import type { Problem } from "../model/problem.ts";
import type { ToolSet } from "../model/tool.ts";
import type { SourceFile } from "./source.ts";

/** Problems of a tools file beyond its shape. */
export function checkTools(_source: SourceFile, _tools: ToolSet): Problem[] {
  return [];
}
