/**
 * Which programs of ours run inside a sandbox? A forwarder that carries connections to our ports
 * through sockets of the file system, and a shell that records each command with its exit code.
 * Both as texts, laid as files beside the sandbox.
 */

/** Where our own things lie inside. */
export const INSIDE = "/run/collaudo";

/**
 * For Deno. Arguments: `inside` or `outside`, a file that is written when it listens, and
 * `<port>=<socket>` for each port. Inside it listens on the port and connects to the socket, outside
 * the other way round, until its standard input ends.
 */
export const FORWARDER = `const [role, ready, ...pairs] = Deno.args;
for (const pair of pairs) {
  const cut = pair.indexOf("=");
  const tcp = { hostname: "127.0.0.1", port: Number(pair.slice(0, cut)) };
  const unix = { transport: "unix", path: pair.slice(cut + 1) };
  carry(Deno.listen(role === "inside" ? tcp : unix), role === "inside" ? unix : tcp);
}
await Deno.writeTextFile(ready, "");
if (role === "outside") {
  const piece = new Uint8Array(1);
  while (await Deno.stdin.read(piece) !== null);
  Deno.exit();
}
async function carry(listener, target) {
  for await (const from of listener) {
    Deno.connect(target).then((to) => join(from, to), () => from.close());
  }
}
async function join(a, b) {
  await Promise.all([copy(a, b), copy(b, a)]);
  for (const end of [a, b]) try { end.close(); } catch {}
}
async function copy(from, to) {
  const bytes = new Uint8Array(65536);
  try {
    for (let n = await from.read(bytes); n !== null; n = await from.read(bytes)) {
      for (let at = 0; at < n;) at += await to.write(bytes.subarray(at, n));
    }
    await to.closeWrite();
  } catch {
    for (const end of [from, to]) try { end.close(); } catch {}
  }
}
`;

/**
 * Stands in for every shell. Only commands (\`-c\`) are recorded, and what they start in turn is not;
 * a command that cannot be recorded is not run: without the record it would be a deed unseen.
 */
export const SHELL_SHIM = `#!${INSIDE}/sh
shell=${INSIDE}/shells/\${0##*/}
[ -x "$shell" ] || shell=${INSIDE}/sh
is_command=
for word in "$@"; do
  case $word in
    --*) ;;
    -*c*) is_command=1; break ;;
    -* | +*) ;;
    *) break ;;
  esac
done
if [ -z "$is_command" ] || [ -n "\${COLLAUDO_RECORDED:-}" ]; then exec "$shell" "$@"; fi
COLLAUDO_RECORDED=1
export COLLAUDO_RECORDED
record=$(PATH=/usr/bin:/bin mktemp ${INSIDE}/log/XXXXXXXXXXXX) &&
  PATH=/usr/bin:/bin date +%s%N >>"$record" &&
  printf '%s\\000' "$@" >>"$record" || { echo "The command cannot be recorded" >&2; exit 126; }
"$shell" "$@"
code=$?
{ PATH=/usr/bin:/bin date +%s%N; echo "$code"; } >>"$record" || exit 126
exit "$code"
`;
