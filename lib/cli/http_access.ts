/** How is an agent that listens reached? Its address, its headers and its key, from its entry and the environment. */
import type { HttpAgentConfig } from "../model/config.ts";
import type { Io } from "../model/ports.ts";
import { CHAT_PATH } from "../wire/chat.ts";
import type { Refusal } from "./agents.ts";

/** Where and with what an agent is asked, or the variable that is not set. */
export type Access =
  | {
    readonly kind: "access";
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly key: string | null;
  }
  | { readonly kind: "unset"; readonly name: string };

/** Fills in what stands in the environment; a variable that is empty is not set. */
export function accessOf(io: Pick<Io, "env">, config: HttpAgentConfig): Access {
  const { base_url, key, headers = {}, request } = config;
  const unset: string[] = [];
  const given = (value: string | { readonly env: string }): string => {
    if (typeof value === "string") return value;
    const text = io.env(value.env) ?? "";
    if (text === "") unset.push(value.env);
    return text;
  };
  const base = given(base_url);
  const secret = key === undefined ? null : given(key);
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), given(value)]);
  const [name] = unset;
  if (name !== undefined) return { kind: "unset", name };
  return {
    kind: "access",
    url: request === undefined ? base.replace(/\/+$/, "") + CHAT_PATH : base,
    headers: {
      ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
      ...Object.fromEntries(own),
    },
    key: secret,
  };
}

/** Why a live run with the agent cannot begin, null where it can. */
export function unfitListener(
  { io }: { readonly io: Pick<Io, "env"> },
  { name, config }: { readonly name: string; readonly config: HttpAgentConfig },
  hasBudget: boolean,
): Refusal | null {
  const access = accessOf(io, config);
  if (access.kind === "unset") {
    return {
      what: `Agent "${name}" cannot be reached: ${access.name} is not set`,
      fix: `set ${access.name} in the environment`,
    };
  }
  if (!hasBudget) return null;
  return {
    what: `A budget in EUR cannot be kept: what agent "${name}" costs is unknown`,
    fix: "run without --budget-eur, and limit --trials",
  };
}
