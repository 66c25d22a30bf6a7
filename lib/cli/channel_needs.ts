/**
 * What may a task do that sends messages? The channels of `collaudo.yaml` in; the hosts that it must
 * reach and whether it starts programs out: a job gets that much and no more.
 */
import type { Session } from "./session.ts";

/** Telegram's own server of the Bot API. */
export const API_ROOT = "https://api.telegram.org";

/** What the channels of the configuration need of the task that sends a message. */
export interface ChannelNeeds {
  /** Hosts, with a port where one is named; null where one of them is not known. */
  readonly hosts: readonly string[] | null;
  /** Some program is started. */
  readonly programs: boolean;
}

/** What the configured channels need, for the permissions of a job. */
export function channelNeeds({ io, project }: Session): ChannelNeeds {
  const { telegram, webhook, command } = project.config.notify;
  const url = typeof webhook?.url === "object" ? io.env(webhook.url.env) ?? "" : webhook?.url;
  const addresses = [
    ...(telegram === undefined ? [] : [telegram.api_root ?? API_ROOT]),
    ...(url === undefined || url === "" ? [] : [url]),
  ];
  const hosts = addresses.map(hostOf);
  const known = hosts.filter((host) => host !== null);
  return {
    hosts: known.length === hosts.length ? known : null,
    programs: command !== undefined,
  };
}

function hostOf(address: string): string | null {
  try {
    const { host } = new URL(address);
    return host === "" || host.includes(",") ? null : host;
  } catch {
    return null;
  }
}
