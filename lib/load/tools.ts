/**
 * Which tools does a scenario's world have? Tools files, each read and checked once a load, merged;
 * a tool that two files describe is refused.
 */
import type { Problem } from "../model/problem.ts";
import { isObject, type Json, own } from "../model/json.ts";
import { type ToolSet, toolsFile, type ToolSpec, toolSpec } from "../model/tool.ts";
import { checkTools } from "./check_tools.ts";
import { shapeParsed } from "./issues.ts";
import { isLocated, type ProjectFiles } from "./project_files.ts";
import { type KeyPath, problemAt, type SourceFile } from "./source.ts";

/** The tools of a scenario; `complete` is false where a file could not be read. */
export interface LoadedTools {
  readonly tools: ToolSet;
  readonly files: readonly string[];
  readonly complete: boolean;
  readonly problems: readonly Problem[];
}

interface ToolsOfFile {
  readonly tools: ToolSet | null;
  readonly problems: readonly Problem[];
}

/** Reads tools files, each once. */
export class ToolsReader {
  readonly #files = new Map<string, Promise<ToolsOfFile>>();
  readonly #sets = new Map<string, ToolSet>();

  constructor(
    readonly reader: ProjectFiles,
    /** True for files that need no check. */
    private readonly sound: (file: string) => boolean = () => false,
  ) {}

  /** The named files' tools, or those of the suite's own file where the scenario names none. */
  async tools(
    source: SourceFile,
    suite: string,
    named: readonly string[] | undefined,
  ): Promise<LoadedTools> {
    if (named === undefined) {
      const own = `fixtures/${suite}/tools.yaml`;
      const stat = await this.reader.files.stat(this.reader.absolute(own));
      if (stat === null) return { tools: {}, files: [], complete: true, problems: [] };
      return await this.#merge(source, [[own, []]]);
    }
    return await this.#merge(
      source,
      named.map((name, index): [string, KeyPath] => [name, ["setup", "tools", index]]),
    );
  }

  async #merge(
    source: SourceFile,
    named: readonly (readonly [string, KeyPath])[],
  ): Promise<LoadedTools> {
    const merged = new Map<string, { tool: ToolSpec; file: string }>();
    const problems: Problem[] = [];
    const files: string[] = [];
    let complete = true;
    for (const [name, path] of named) {
      const found = await this.reader.locate(name, "file", { source, path });
      if (!isLocated(found)) {
        problems.push(found);
        complete = false;
        continue;
      }
      if (files.includes(found.file)) problems.push(problemAt(source, path, twice(found.file)));
      const { tools, problems: own } = await this.#file(found.file);
      problems.push(...own);
      if (tools === null) complete = false;
      for (const [tool, spec] of Object.entries(tools ?? {})) {
        const earlier = merged.get(tool);
        if (earlier !== undefined && earlier.file !== found.file) {
          problems.push(problemAt(source, path, duplicateTool(tool, earlier.file, found.file)));
        }
        merged.set(tool, { tool: spec, file: found.file });
      }
      files.push(found.file);
    }
    return { tools: this.#set(files, merged), files, complete, problems };
  }

  /** One object for the same files, so that it is hashed once. */
  #set(files: readonly string[], merged: ReadonlyMap<string, { tool: ToolSpec }>): ToolSet {
    const key = files.join("\n");
    const tools = this.#sets.get(key) ??
      Object.fromEntries([...merged].map(([name, { tool }]) => [name, tool]));
    this.#sets.set(key, tools);
    return tools;
  }

  #file(file: string): Promise<ToolsOfFile> {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const read = this.#read(file);
    this.#files.set(file, read);
    return read;
  }

  async #read(file: string): Promise<ToolsOfFile> {
    const parsed = await this.reader.yaml(file);
    if (parsed.source === null) return { tools: null, problems: parsed.problems };
    const shaped = shapeParsed(parsed, parsed.source, {
      schema: toolsFile,
      noun: "the tools file",
    });
    const problems = [...parsed.problems, ...shaped.problems];
    if (shaped.value === null) {
      const sound = soundTools(parsed.source.value);
      const told = new Set(problems.map(({ line }) => line));
      const more = Object.keys(sound).length === 0 ? [] : checkTools(parsed.source, sound);
      problems.push(...more.filter(({ line }) => !told.has(line)));
      return { tools: null, problems };
    }
    const { tools } = shaped.value;
    if (this.sound(file)) return { tools, problems };
    return { tools, problems: [...problems, ...checkTools(parsed.source, tools)] };
  }
}

/** The tools of a file that have their shape, though others have not. */
function soundTools(value: Json): ToolSet {
  const tools = isObject(value) ? own(value, "tools") ?? null : null;
  const sound: Record<string, ToolSpec> = {};
  for (const [name, tool] of Object.entries(isObject(tools) ? tools : {})) {
    const parsed = toolSpec.safeParse(tool);
    if (parsed.success) sound[name] = parsed.data;
  }
  return sound;
}

function twice(file: string) {
  return {
    code: "duplicate-entry",
    what: `"${file}" is named twice`,
    fix: "keep one of the two",
  };
}

function duplicateTool(tool: string, earlier: string, file: string) {
  return {
    code: "duplicate-tool",
    what: `Tool "${tool}" is described in "${earlier}" and again in "${file}"`,
    fix: "rename one of the two, or name only one of the files",
  };
}
