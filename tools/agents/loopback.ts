/**
 * How is a program kept on this machine's loopback alone? In a network of its own with nothing but
 * `lo`, where the machine makes one. Out: words that stand before a command line, proved by a program
 * that hears itself and reaches nothing else; null where no way works.
 */
import { run } from "./command.ts";

/** SIOCGIFFLAGS, then SIOCSIFFLAGS with IFF_UP: for machines that have no program for it. */
const BY_PERL = `use Socket; socket(my $s, AF_INET, SOCK_DGRAM, 0) or exit 1; ` +
  `my $r = pack("a16 s x14", "lo", 0); ioctl($s, 0x8913, $r) or exit 1; ` +
  `my ($n, $f) = unpack("a16 s", $r); ` +
  `ioctl($s, 0x8914, pack("a16 s x14", "lo", $f | 1)) or exit 1`;

const UP = `{ ip link set lo up || ifconfig lo up || perl -e '${BY_PERL}'; } 2>/dev/null && ` +
  `exec "$@"`;

const WAYS: readonly (readonly string[])[] = [
  ["unshare", "-rn", "sh", "-c", UP, "sh"],
  ["unshare", "-n", "sh", "-c", UP, "sh"],
  ["bwrap", "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent"],
];

/** An address that leads nowhere by its standard; without a network it cannot even be tried. */
const PROBE = `const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
await Promise.all([Deno.connect({ hostname: "127.0.0.1", port: server.addr.port }), server.accept()]);
const reached = await Deno.connect({ hostname: "192.0.2.1", port: 9 }).then(() => "reached", (error) => String(error));
Deno.exit(/unreachable/i.test(reached) ? 7 : 9);
`;

/** The words before a command line; null where this machine makes no such network. */
export async function onlyLoopback(
  env: Readonly<Record<string, string>>,
): Promise<readonly string[] | null> {
  const probe = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(probe, PROBE);
    const told = ["run", "--no-config", "--no-lock", "--allow-net", probe];
    for (const way of WAYS) {
      const argv = [...way, Deno.execPath(), ...told];
      const ended = await run(argv, { env, limitMs: 60_000 });
      if (ended?.code === 7) return way;
    }
    return null;
  } finally {
    await Deno.remove(probe);
  }
}
