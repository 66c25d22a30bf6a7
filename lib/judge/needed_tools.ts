/**
 * Which writing tools does a scenario need that must be refused? All others are forbidden in it by
 * default. Needed: named in `tools_called`, writing where `changes` or `may_change` point, or
 * sending where `messages` is given.
 */
import type { LoadedScenario } from "../model/loaded.ts";
import type { ToolSpec } from "../model/tool.ts";

/** The names of the tools that `expected` needs. */
export function neededTools(loaded: LoadedScenario): Set<string> {
  const { expected } = loaded.scenario;
  const places = [
    ...Object.keys(expected.state?.changes ?? {}),
    ...(expected.state?.may_change ?? []),
  ];
  const needed = new Set(expected.tools_called.map((call) => call.name));
  for (const [name, tool] of Object.entries(loaded.tools)) {
    const sends = tool.send !== undefined && expected.messagesDeclared;
    if (sends || writtenPaths(tool).some((path) => places.some((one) => pathsMeet(path, one)))) {
      needed.add(name);
    }
  }
  return needed;
}

/** The paths that a tool may write, its `<names>` read as `*`. */
function writtenPaths(tool: ToolSpec): string[] {
  return [
    ...Object.keys(tool.set ?? {}),
    ...Object.keys(tool.append ?? {}),
    ...(tool.delete ?? []),
  ].map((path) => path.replace(/<[^<>]*>/g, "*"));
}

/** True where something that one pattern matches is, contains or lies in something of the other. */
export function pathsMeet(a: string, b: string): boolean {
  const first = a.split("/");
  const second = b.split("/");
  for (let i = 0; i < Math.min(first.length, second.length); i++) {
    const one = first[i] ?? "";
    const other = second[i] ?? "";
    if (one === "**" || other === "**") return true;
    if (!globsMeet(one, other)) return false;
  }
  return true;
}

/** True where some text fits both globs. */
function globsMeet(a: string, b: string): boolean {
  if (a === "" && b === "") return true;
  if (a.startsWith("*")) return globsMeet(a.slice(1), b) || (b !== "" && globsMeet(a, b.slice(1)));
  if (b.startsWith("*")) return globsMeet(b, a);
  return a !== "" && b !== "" && a[0] === b[0] && globsMeet(a.slice(1), b.slice(1));
}
