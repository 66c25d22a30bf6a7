/**
 * Whom do programs talk to, where they cannot be kept on loopback? Looks again and again at the open
 * sockets of every process that has a given text in its environment. Out: the addresses outside of
 * this machine. It sees less than a network of its own prevents: a connection between two looks. A
 * program of its own, as nothing but all permissions lets Deno read what other processes do.
 */
import { fileURLToPath } from "node:url";

const EVERY_MS = 50;

/** What a watch saw: addresses outside of loopback, each once, and how often it looked. */
export interface Watched {
  readonly outside: readonly string[];
  readonly looks: number;
}

/** Watches the processes whose environment holds `mark`, until the returned function is called. */
export function watchSockets(mark: string): () => Promise<Watched> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--no-lock", "-A", fileURLToPath(import.meta.url), mark],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  return async () => {
    await child.stdin.close();
    const { code, stdout } = await child.output();
    if (code !== 0) throw new Error(`The watch of sockets exits ${code}: expected 0`);
    return JSON.parse(new TextDecoder().decode(stdout));
  };
}

async function watchUntilEnd(mark: string): Promise<Watched> {
  const outside = new Set<string>();
  let looks = 0;
  let over = false;
  const end = Deno.stdin.read(new Uint8Array(1)).then(() => over = true);
  while (!over) {
    for (const address of await lookOnce(mark)) outside.add(address);
    looks++;
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, EVERY_MS))]);
  }
  return { outside: [...outside].sort(), looks };
}

async function lookOnce(mark: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const environment = await textOf(`/proc/${name}/environ`);
    if (!environment.includes(mark)) continue;
    const inodes = await socketsOf(name);
    if (inodes.size > 0) found.push(...await remotesOf(name, inodes));
  }
  return found;
}

/** A process may end while it is looked at. */
async function textOf(path: string): Promise<string> {
  return await Deno.readTextFile(path).catch(() => "");
}

async function socketsOf(pid: string): Promise<Set<string>> {
  const inodes = new Set<string>();
  try {
    for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
      const link = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      if (inode !== undefined) inodes.add(inode);
    }
  } catch {
    return inodes;
  }
  return inodes;
}

async function remotesOf(pid: string, inodes: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  for (const kind of ["tcp", "tcp6", "udp", "udp6"]) {
    for (const line of (await textOf(`/proc/${pid}/net/${kind}`)).split("\n").slice(1)) {
      const [, , remote = "", , , , , , , inode = ""] = line.trim().split(/\s+/);
      if (inodes.has(inode) && isOutside(remote)) found.push(`${kind} ${readable(remote)}`);
    }
  }
  return found;
}

const HEX = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/;

/** False for no address, and for those of loopback; bytes stand in the machine's order. */
export function isOutside(remote: string): boolean {
  const address = HEX.exec(remote)?.[1];
  if (address === undefined || /^0+$/.test(address)) return false;
  if (address.length === 8) return !address.endsWith("7F");
  if (address === "00000000000000000000000001000000") return false;
  const mapped = address.startsWith("0000000000000000FFFF0000");
  return !(mapped && address.endsWith("7F"));
}

function readable(remote: string): string {
  const [, address = "", port = "0"] = HEX.exec(remote) ?? [];
  const bytes = address.match(/../g) ?? [];
  const shown = address.length === 8
    ? bytes.reverse().map((byte) => parseInt(byte, 16)).join(".")
    : address;
  return `${shown}:${parseInt(port, 16)}`;
}

if (import.meta.main) console.log(JSON.stringify(await watchUntilEnd(Deno.args[0] ?? "")));
