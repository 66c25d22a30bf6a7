/**
 * How do programs name the tools of our server? They put the server's name before it, each in its own
 * way, or beside it. Out: the bare name, and whether the tool is one of ours.
 */
import { TOOL_SERVER } from "../../model/serving.ts";

const PREFIXES = [
  `mcp__${TOOL_SERVER}__`,
  `mcp_${TOOL_SERVER}_`,
  `${TOOL_SERVER}__`,
  `${TOOL_SERVER}_`,
];
const NAMESPACES: ReadonlySet<string> = new Set([`mcp__${TOOL_SERVER}`, TOOL_SERVER]);

/** The bare name of a tool of ours, null for a tool of the program itself. */
export function ourTool(name: string, namespace: string | null): string | null {
  if (namespace !== null) return NAMESPACES.has(namespace) ? withoutPrefix(name) ?? name : null;
  return withoutPrefix(name);
}

function withoutPrefix(name: string): string | null {
  const prefix = PREFIXES.find((one) => name.startsWith(one) && name.length > one.length);
  return prefix === undefined ? null : name.slice(prefix.length);
}

/** The name by which a conversation knows a tool: bare for ours, else the program's own. */
export function bareName(name: string, namespace: string | null): string {
  return ourTool(name, namespace) ?? name;
}
