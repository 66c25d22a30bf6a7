/** `schema`: what may stand in each file? Writes `schemas/*.json` from the model, or checks them. */
import { EXIT } from "../model/exit.ts";
import { SCHEMA_NAMES, schemaText } from "../model/schemas.ts";
import { join, openSession, type Session } from "./session.ts";

/** Runs the command; with `check` nothing is written and a stale file gives exit code 2. */
export async function schemaCommand(
  io: Session["io"],
  options: { readonly check?: boolean },
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const stale: string[] = [];
  for (const name of SCHEMA_NAMES) {
    const path = join(session.project.root, `schemas/${name}.json`);
    const text = schemaText(name);
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
