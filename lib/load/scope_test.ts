import assert from "node:assert/strict";
import { configFile } from "../model/config.ts";
import { memoryFiles } from "./memory_files.ts";
import { scopeOf } from "./scope.ts";

const files = memoryFiles({
  "/p/scenarios/crm/a.yaml": "id: a\nrisk: critical\nsetup: {state: fixtures/crm/a.json}\n",
  "/p/scenarios/crm/b.yaml":
    'id: b\nrisk: high\nagent: writer\nsetup: {workspace: "fixtures/work/one"}\n',
  "/p/scenarios/home/c.yaml": "id: c\nsetup:\n  tools: [fixtures/shared/tools.yaml]\n",
  "/p/scenarios/home/d.yaml": "id: d\nsetup: {state: ./fixtures/home/d.json}\n",
});
const config = configFile.parse({
  agent: "house",
  models: { m: { api: "chat", base_url: "http://127.0.0.1", name: "m" } },
  agents: {
    house: { kind: "loop", model: "m", system: "fixtures/prompts/house.md" },
    writer: { kind: "command", argv: ["deno", "run", "agents/writer.ts"], stream: "none" },
  },
});

Deno.test("scopeOf() finds what a change can concern, and all where nothing says", async () => {
  const [a, b, c, d] = [
    "scenarios/crm/a.yaml",
    "scenarios/crm/b.yaml",
    "scenarios/home/c.yaml",
    "scenarios/home/d.yaml",
  ] as const;
  const cases: readonly (readonly [readonly (string | null)[], readonly string[]])[] = [
    [[a], [a]],
    [["fixtures/recordings/c/pass.yaml"], [c, d]],
    [["fixtures/crm/tools.yaml"], [a, b, d]],
    [["fixtures/crm/a.json"], [a, d]],
    [["fixtures/work/one/src/x.ts"], [b, d]],
    [["fixtures/shared/tools.yaml"], [c, d]],
    [["fixtures/prompts/house.md"], [a, c, d]],
    [["agents/writer.ts"], [b]],
    [["agents/other.ts"], [a, b, c, d]],
    [["gates/release.yaml"], [a, b, c, d]],
    [[null], [a, b, c, d]],
    [[b, a], [a, b]],
  ];
  for (const [changed, touched] of cases) {
    const scope = await scopeOf(files, { root: "/p", config }, changed);
    assert.deepEqual(scope.touched, touched, String(changed));
    assert.deepEqual(scope.critical, touched.includes(a) ? [] : [a], String(changed));
    assert.equal(scope.of, 4);
  }
});

Deno.test("scopeOf() knows critical scenarios and named files however they are written", async () => {
  const texts = [
    "risk: critical\n",
    "'risk': \"critical\"\n",
    "{id: x, risk: critical}\n",
    "risk: # grave\n  critical\n",
    '"r\\u0069sk": critical\n',
    '"ri\\\nsk": critical\n',
  ];
  for (const text of texts) {
    const one = memoryFiles({ "/p/scenarios/crm/x.yaml": text });
    const { critical } = await scopeOf(one, { root: "/p", config }, []);
    assert.deepEqual(critical, ["scenarios/crm/x.yaml"], text);
  }
  for (const path of ['"fixtures\\/crm\\/x.json"', '"fixtures/cr\\\n  m/x.json"']) {
    const two = memoryFiles({
      "/p/scenarios/crm/x.yaml": `setup: {state: ${path}}\n`,
      "/p/scenarios/crm/y.yaml": "setup: {state: fixtures/crm/x.json}\n",
    });
    const { touched } = await scopeOf(two, { root: "/p", config }, ["fixtures/crm/x.json"]);
    assert.deepEqual(touched, ["scenarios/crm/x.yaml", "scenarios/crm/y.yaml"], path);
  }
});
