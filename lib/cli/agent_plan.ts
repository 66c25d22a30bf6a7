/**
 * Can the agents of a plan that are programs be started, and where may their report lie? In: the
 * chosen agents and the options. Out: why a run cannot begin, with the fix; null where it can.
 */
import { type ChosenAgent, reachModel, type Refusal } from "./agents.ts";
import { needsOf } from "./agent_servers.ts";
import { agentsProgram } from "./reproduce.ts";
import { join, type Session } from "./session.ts";

/** Why programs cannot be started here, or the report not lie where it should; null where they can. */
export async function unfitPrograms(
  session: Session,
  agents: Iterable<ChosenAgent>,
  { out, mode }: { readonly out?: string; readonly mode: "replay" | "live" },
): Promise<Refusal | null> {
  const { io } = session;
  const folder = out === undefined ? null : join(io.cwd, out);
  for (const agent of new Set(agents)) {
    if (agent.config.kind !== "command") continue;
    if (!io.children.mayStart()) return programRefused(io, agent.name);
    const place = folder === null ? null : await wrongFolder(session, agent, folder);
    const live = mode === "live" ? await unfitForLive(session, agent) : null;
    if (place !== null || live !== null) return place ?? live;
  }
  return null;
}

/** Said where a task may start no programs. */
export function programRefused(io: Pick<Session["io"], "env">, name: string): Refusal {
  const { replay } = agentsProgram(io);
  return {
    what: `Agent "${name}" is a program, and this task starts none but git`,
    fix: `run it with \`${replay}\`, which may start any program`,
  };
}

async function wrongFolder(
  { io, project }: Session,
  { name, config }: ChosenAgent,
  folder: string,
): Promise<Refusal | null> {
  if (await io.files.stat(folder) !== null) {
    return {
      what: `Folder "${folder}" exists: expected a new one, as an agent's runs are kept there`,
      fix: "name a new folder with --out",
    };
  }
  const source = (config.kind === "command" ? config.source : undefined) ?? [];
  const inside = source.find((each) => `${folder}/`.startsWith(`${join(project.root, each)}/`));
  if (inside === undefined) return null;
  return {
    what: `Folder "${folder}" lies in "${inside}", which agent "${name}" is evaluated by`,
    fix: "name a folder elsewhere with --out",
  };
}

async function unfitForLive(session: Session, agent: ChosenAgent): Promise<Refusal | null> {
  const { name, config, model } = agent;
  if (config.kind !== "command") return null;
  const { model: asksOurs } = await needsOf(session, config);
  if (!asksOurs) return null;
  if (model === null) {
    return {
      what: `Agent "${name}" asks our model server, and nothing says who answers behind it`,
      fix: "name a model of collaudo.yaml in the agent's `model`",
    };
  }
  const reached = reachModel(session, model);
  return "what" in reached ? reached : null;
}
