import assert from "node:assert/strict";
import { createIo } from "../io/real.ts";
import { loadScenarios } from "../load/scenarios.ts";
import { type Config, configFile } from "../model/config.ts";
import { hostsIn, refusedHost } from "../model/hosts.ts";
import { openWorld, readWorld } from "./real_world.ts";
import { runProofs } from "./proofs.ts";
import { play } from "./play.ts";
import { openSession } from "./session.ts";

/** A project on the disk whose scenarios are given. */
async function project(files: Readonly<Record<string, string>>, world = "") {
  const root = await Deno.makeTempDir();
  const io = { ...createIo(undefined), cwd: root };
  const all = { "collaudo.yaml": `locale: en\n${world}`, ...files };
  for (const [path, text] of Object.entries(all)) {
    await io.trees.write(`${root}/${path}`, new TextEncoder().encode(text), 0o755);
  }
  return { root, io };
}

const READ = "#!/bin/sh\ncat staging.json\n";
const CONFIG = (world: object): Config => configFile.parse({ world });

Deno.test("openWorld() puts the world back and reads it; whatever goes wrong is no state", async () => {
  const { root, io } = await project({
    "staging.json": '{"orders": {"O-1": {"state": "changed"}}}',
    "reset.sh": '#!/bin/sh\necho \'{"orders": {"O-1": {"state": "open"}}}\' > staging.json\n',
    "read.sh": READ,
    "env.sh":
      '#!/bin/sh\nprintf \'{"env": {"1": {"token": "%s", "home": "%s"}}}\' "$TOKEN" "$SECRET"\n',
    "noise.sh": "#!/bin/sh\necho starting\ncat staging.json\n",
    "list.sh": "#!/bin/sh\necho '{\"orders\": []}'\n",
    "fails.sh": "#!/bin/sh\necho 'no such tenant' >&2\nexit 4\n",
    "slow.sh": "#!/bin/sh\nsleep 30\n",
  });
  try {
    const session = (world: object = {}) => ({ io, project: { root, config: CONFIG(world) } });
    const read = await readWorld(session(), { read: ["./read.sh"] });
    assert.deepEqual(read, { kind: "read", state: { orders: { "O-1": { state: "changed" } } } });
    const opened = await openWorld(session(), { reset: ["./reset.sh"], read: ["./read.sh"] });
    assert.deepEqual(opened, { kind: "read", state: { orders: { "O-1": { state: "open" } } } });
    const given = await readWorld(session({ env: { TOKEN: "t-1" } }), { read: ["./env.sh"] });
    assert.deepEqual(given, { kind: "read", state: { env: { "1": { token: "t-1", home: "" } } } });
    const wrong: readonly (readonly [string, object, RegExp])[] = [
      ["./noise.sh", {}, /did not print one JSON object/],
      ["./list.sh", {}, /"orders" in what it printed is not records by their id/],
      ["./fails.sh", {}, /exit code 4: no such tenant/],
      ["./slow.sh", { timeout_s: 0.2 }, /timeout/],
      ["./absent.sh", {}, /not started/],
      [
        "./read.sh",
        { env: { T: { env: "COLLAUDO_TEST_UNSET" } } },
        /COLLAUDO_TEST_UNSET is not set/,
      ],
      [
        "./read.sh",
        { env: { URL: "https://erp.example.test/api" }, production: ["erp.example"] },
        /URL may not be handed on: it names "erp.example", which is production/,
      ],
      ["./read.sh", { env: { URL: "https://other.example.test" } }, /"other.example.test"/],
    ];
    for (const [program, world, why] of wrong) {
      const found = await readWorld(session(world), { read: [program] });
      assert.equal(found.kind, "broken", program);
      assert.match(found.kind === "broken" ? found.why : "", why);
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("refusedHost() lets only allowed hosts through, and production by no name", () => {
  const world = {
    allow: ["staging.example.test", "localhost:8069"],
    production: ["PROD"],
    env: {},
    timeout_s: 1,
  };
  const rows: readonly (readonly [string, boolean])[] = [
    ["--json", true],
    ["tools/read_world.py", true],
    ["read_world.mjs", true],
    ["https://staging.example.test/api?x=1", true],
    ["postgres://u:p@staging.example.test:5432/crm", true],
    ["http://localhost:8069/jsonrpc", true],
    ["http://localhost:8070/", false],
    ["--host=erp.example.test", false],
    ["https://staging.example.test.evil.test/", false],
    ["https://u@erp.example.test/", false],
    ["10.0.0.7:5432", false],
    ["https://[::1]:80/", false],
    ["crm-prod-db", false],
  ];
  for (const [text, passes] of rows) {
    assert.equal(refusedHost(text, world) === null, passes, text);
  }
  assert.deepEqual(hostsIn("ssh db.example.test, then http://b.test:81/x"), [
    "b.test:81",
    "db.example.test",
  ]);
});

const SCENARIO = `id: order
description: The order is closed in the team's own system
category: happy_path
setup:
  world: {read: [./read.sh, "https://erp.example.test"]}
conversation: [{user: "Close order O-1"}]
expected: {state: {changes: {orders/O-1/state: closed}}}
`;

Deno.test("a world is checked at load, and simulated tools do not stand for it", async () => {
  const bad = await project({ "scenarios/erp/order.yaml": SCENARIO, "read.sh": READ });
  const session = await openSession(bad.io);
  assert.ok(typeof session !== "number");
  const load = async () =>
    await loadScenarios(bad.io.files, session.project, { paths: [], only: [] });
  try {
    const codes = (await load()).problems.filter(({ severity }) => severity === "error");
    assert.deepEqual(codes.map(({ code }) => code), ["world-not-allowed"]);
    const mended = SCENARIO.replace(', "https://erp.example.test"', "");
    await Deno.writeTextFile(`${bad.root}/scenarios/erp/order.yaml`, mended);
    const [loaded] = (await load()).scenarios;
    assert.ok(loaded !== undefined);
    const config = { kind: "loop" as const, model: "", calls_max: 9, timeout_s: 9 };
    const agent = { name: "loop", config, system: null, modelName: null, model: null };
    const run = await play({ session, loaded, agent, mode: "replay", recording: null, trial: 1 });
    assert.equal(run.ended.kind, "environment_error");
    assert.match(run.ended.detail ?? "", /choose an agent of kind command or http/);
  } finally {
    await Deno.remove(bad.root, { recursive: true });
  }
});

Deno.test("runProofs() runs hidden tests on a copy, and a proof that cannot be run does not hold", async () => {
  const { root, io } = await project({
    "scenarios/code/fix.yaml": `id: fix
description: A file says right
category: happy_path
setup: {workspace: work}
conversation: [{user: "Write right into answer.txt"}]
expected:
  state: {changes: {files/answer.txt: right}}
  proof:
    - {id: holds, lay: hidden, at: checks, run: [sh, checks/check.sh]}
    - {id: other-code, run: [sh, -c, "exit 3"], exit: 3}
    - {id: absent, run: [no-such-program]}
`,
    "work/answer.txt": "wrong",
    "work/checks/check.sh": "exit 0",
    "hidden/check.sh":
      'echo "answer: $(cat answer.txt)"; touch left; [ "$(cat answer.txt)" = right ]',
  });
  const folder = `${root}/agents`;
  const opened = { root, config: CONFIG({}) };
  try {
    const { scenarios } = await loadScenarios(io.files, opened, { paths: [], only: [] });
    const [loaded] = scenarios;
    assert.ok(loaded !== undefined);
    await io.trees.copy(`${root}/work`, folder);
    const session = { io, project: opened };
    const [wrong, other, absent] = await runProofs(session, loaded, folder);
    assert.deepEqual(wrong, { id: "holds", exitCode: 1, output: "answer: wrong\n" });
    assert.deepEqual(other, { id: "other-code", exitCode: 3 });
    assert.equal(absent?.exitCode, null);
    assert.match(absent?.why ?? "", /"no-such-program" did not start/);
    await Deno.writeTextFile(`${folder}/answer.txt`, "right");
    const [right] = await runProofs(session, loaded, folder);
    assert.equal(right?.exitCode, 0);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assert.deepEqual(names, ["answer.txt", "checks"]);
    assert.equal(await Deno.readTextFile(`${folder}/checks/check.sh`), "exit 0");
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
