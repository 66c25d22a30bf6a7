/**
 * Which hosts does a command name, and may it? For commands that reach a system of the team's own:
 * only hosts that the configuration allows, and no word of production anywhere.
 */
import type { Config } from "./config.ts";

const URL_HOST =
  /[a-z][a-z0-9+.-]*:\/\/(?:[^\s\/?#@]*@)?(\[[^\]\s]+\]|[^\s\/?#:@"']+)(?::(\d+))?/gi;
const BARE_HOST =
  /(?:^|[\s=@,"'])((?:[a-z0-9-]+\.)+[a-z]{2,}|localhost|\d{1,3}(?:\.\d{1,3}){3})(?::(\d+))?(?=$|[\s\/,"'?#])/gi;

/** Ends of words with a dot that are files, not hosts. */
const FILE = /\.(?:ts|js|mjs|cjs|py|sh|rb|json|ya?ml|sqlite3?|db|txt|md|toml|sql|csv)$/i;

/** Why a text may not be handed to such a command; null where it may. */
export function refusedHost(text: string, { allow, production }: Config["world"]): string | null {
  const lower = text.toLowerCase();
  const word = production.find((each) => lower.includes(each.toLowerCase()));
  if (word !== undefined) return `it names "${word}", which is production`;
  const allowed = new Set(allow.map((host) => host.toLowerCase()));
  for (const host of hostsIn(text)) {
    if (allowed.has(host) || allowed.has(host.replace(/:\d+$/, ""))) continue;
    const known = allow.map((each) => `"${each}"`).join(", ") || "none";
    return `it names "${host}", and \`world.allow\` has ${known}`;
  }
  return null;
}

/** Hosts in a text, in lower case, with the port where one is given. */
export function hostsIn(text: string): string[] {
  const found = [...text.matchAll(URL_HOST), ...text.matchAll(BARE_HOST)];
  return found.flatMap(([, host = "", port]) => {
    if (port === undefined && FILE.test(host)) return [];
    return [`${host.toLowerCase()}${port === undefined ? "" : `:${port}`}`];
  });
}
