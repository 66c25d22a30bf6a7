/**
 * What does the team's own world hold? Runs the commands of `setup.world`: one puts it back, one
 * prints it as JSON. In: a scenario. Out: the state, or why there is none; nothing half-read counts.
 */
import { isObject, type Json, type State } from "../model/json.ts";
import { refusedHost } from "../model/hosts.ts";
import type { RealWorld } from "../model/scenario.ts";
import { bareEnvironment } from "./proofs.ts";
import type { Session } from "./session.ts";
import { discard } from "./workspace.ts";

/** A world that was read, or why it was not. */
export type ReadWorld =
  | { readonly kind: "read"; readonly state: State }
  | { readonly kind: "broken"; readonly why: string };

const OUTPUT_MAX = 64 * 1024 * 1024;
const WORDS_MAX = 300;

/** Puts the world back where the scenario says how, then reads it. */
export async function openWorld(
  session: Pick<Session, "io" | "project">,
  world: RealWorld,
): Promise<ReadWorld> {
  if (world.reset !== undefined) {
    const done = await command(session, world.reset);
    if (done.kind === "broken") return done;
  }
  return await readWorld(session, world);
}

/** Reads the world as it is now. */
export async function readWorld(
  session: Pick<Session, "io" | "project">,
  { read }: RealWorld,
): Promise<ReadWorld> {
  const done = await command(session, read);
  if (done.kind === "broken") return done;
  const state = parsed(done.out);
  if (state === null) return broken(read, "it did not print one JSON object of collections");
  const odd = Object.entries(state).find(([name, records]) =>
    name === "outbox" ? !Array.isArray(records) || !records.every(isObject) : !isObject(records)
  );
  if (odd === undefined) return { kind: "read", state };
  const wanted = odd[0] === "outbox" ? "a list of messages" : "records by their id";
  return broken(read, `"${odd[0]}" in what it printed is not ${wanted}`);
}

function parsed(text: string): State | null {
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function broken(argv: readonly string[], why: string): ReadWorld & { readonly kind: "broken" } {
  return { kind: "broken", why: `The world's command ${JSON.stringify(argv)}: ${why}` };
}

async function command(
  session: Pick<Session, "io" | "project">,
  argv: readonly string[],
): Promise<{ readonly kind: "done"; readonly out: string } | ReadWorld & { kind: "broken" }> {
  const { io, project: { config: { world }, root } } = session;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(world.env)) {
    const text = typeof value === "string" ? value : io.env(value.env);
    if (text === undefined) {
      const wanted = typeof value === "string" ? name : value.env;
      return broken(argv, `${wanted} is not set in the environment`);
    }
    const why = refusedHost(text, world);
    if (why !== null) return broken(argv, `its variable ${name} may not be handed on: ${why}`);
    env[name] = text;
  }
  const home = await io.trees.temporaryFolder();
  const said = { out: "", err: "" };
  try {
    const [program = "", ...args] = argv;
    const end = await io.children.start({
      program,
      args,
      cwd: root,
      env: { ...bareEnvironment(session, home), ...env },
      bare: true,
      input: "",
      limitMs: world.timeout_s * 1000,
      signal: io.interrupted,
      said: (stream, text) => {
        if (said[stream].length <= OUTPUT_MAX) said[stream] += text;
      },
    });
    if (end.kind === "exited" && end.code === 0) {
      if (said.out.length <= OUTPUT_MAX) return { kind: "done", out: said.out };
      return broken(argv, "it printed more than 64 MiB");
    }
    const words = said.err.trim().slice(-WORDS_MAX);
    const how = end.kind === "exited" ? `exit code ${end.code}` : end.kind.replace("_", " ");
    return broken(argv, `${how}${words === "" ? "" : `: ${words}`}`);
  } finally {
    await discard(io, home);
  }
}
