/**
 * Where does an agent's program run? In a folder of one run: the scenario's workspace, a home and a
 * folder for temporary files of its own, the files of its entry with their placeholders filled in,
 * and what it is given to read. Everything lies below one new folder outside of any repository.
 */
import {
  fillPlaceholders,
  type FixedPlaceholder,
  type Placeholder,
} from "../model/agent_placeholders.ts";
import type { CommandAgentConfig } from "../model/config.ts";
import { TOOL_SERVER } from "../model/serving.ts";
import { join, type Session } from "./session.ts";

/** The folders of one run, absolute. */
export interface RunFolder {
  readonly root: string;
  readonly work: string;
  readonly home: string;
  readonly tmp: string;
  /** What the program is given to read. */
  readonly given: string;
  /** Where it may leave its last answer. */
  readonly answer: string;
  /** What the sandbox needs for itself. */
  readonly sandbox: string;
  /** Logs and copies of ours. */
  readonly kept: string;
}

/** Addresses and names that are filled in; null where there is no such server. */
export interface Addresses {
  readonly toolsUrl: string;
  readonly modelUrl: string;
  readonly modelName: string;
}

/** The folders of a run around its workspace; all but the workspace are made. */
export async function makeFolders(io: Session["io"], work: string): Promise<RunFolder> {
  const root = join(work, "..");
  const place = (name: string) => join(root, name);
  const folder = {
    root,
    work,
    home: place("home"),
    tmp: place("tmp"),
    given: place("given"),
    answer: place("answer"),
    sandbox: place("sandbox"),
    kept: place("kept"),
  };
  const { home, tmp, given, answer, sandbox, kept } = folder;
  for (const each of [home, tmp, given, answer, sandbox, kept]) await io.trees.make(each);
  return folder;
}

/** What the placeholders of a run stand for, but those of a turn. */
export function placesOf(
  folder: RunFolder,
  { toolsUrl, modelUrl, modelName }: Addresses,
): Readonly<Record<FixedPlaceholder, string>> {
  return {
    workspace: folder.work,
    home: folder.home,
    tmp: folder.tmp,
    response: join(folder.answer, "response.txt"),
    mcp_config: join(folder.given, "mcp.json"),
    mcp_url: toolsUrl,
    model_url: modelUrl,
    model_name: modelName,
  };
}

/** Lays the files of an agent's entry, and the file that names the tool server. */
export async function layAgentFiles(
  { io, project }: Pick<Session, "io" | "project">,
  agent: CommandAgentConfig,
  values: Readonly<Record<FixedPlaceholder, string>>,
): Promise<void> {
  const servers = { [TOOL_SERVER]: { type: "http", url: values.mcp_url } };
  await io.files.writeText(values.mcp_config, JSON.stringify({ mcpServers: servers }, null, 1));
  for (const [place, file] of Object.entries(agent.files ?? {})) {
    const from = join(project.root, file);
    const to = fillPlaceholders(place, values);
    const isFolder = (await io.files.stat(await io.files.realPath(from)))?.kind === "folder";
    if (isFolder) await io.trees.copy(from, to);
    else await layFile(io, { from, to, values });
  }
}

async function layFile(
  io: Session["io"],
  { from, to, values }: {
    readonly from: string;
    readonly to: string;
    readonly values: Readonly<Partial<Record<Placeholder, string>>>;
  },
): Promise<void> {
  const bytes = await io.files.readBytes(from);
  await io.trees.write(to, filledIn(bytes, values), 0o644);
}

/** A text with its placeholders filled in; bytes that are none as they are. */
function filledIn(
  bytes: Uint8Array,
  values: Readonly<Partial<Record<Placeholder, string>>>,
): Uint8Array {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return new TextEncoder().encode(fillPlaceholders(text, values));
  } catch {
    return bytes;
  }
}
