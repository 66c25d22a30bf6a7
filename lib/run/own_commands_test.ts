import assert from "node:assert/strict";
import { tellApart } from "./own_commands.ts";

const command = (text: string, source: "shim" | "stream" = "shim") => ({
  kind: "command" as const,
  id: text,
  command: text,
  exitCode: 0,
  status: "ok" as const,
  source,
});

const asked = (text: string) => ({
  id: text,
  tool: "shell",
  args: { command: text },
  native: { tool: "bash", args: JSON.stringify({ command: text }) },
  told: null,
});

function apart(
  ran: readonly string[],
  { told = [], wanted = [], servesModel = true, forbidden = "rm" }: {
    readonly told?: readonly string[];
    readonly wanted?: readonly string[];
    readonly servesModel?: boolean;
    readonly forbidden?: string;
  },
): readonly string[] {
  const { deeds, own } = tellApart({
    commands: ran.map((text) => command(text)),
    testimony: told.map((text) => command(text, "stream")),
    asked: wanted.map(asked),
    servesModel,
    counts: (text) => text.startsWith(forbidden),
  });
  assert.equal(deeds.length + own.length, ran.length);
  return deeds.map((one) => one.command);
}

Deno.test("tellApart() leaves a program's own commands out, and nothing that could be a deed", () => {
  assert.deepEqual(apart(["ls", "command -v rg"], { told: ["/bin/bash -lc 'ls'"] }), ["ls"]);
  assert.deepEqual(apart(["ls", "ls"], { told: ["ls"] }), ["ls"], "the second was not told");
  assert.deepEqual(
    apart(["npm test"], { wanted: ["npm test"] }),
    ["npm test"],
    "hidden by the agent",
  );
  assert.deepEqual(apart(["cd /w && npm test 2>&1"], { wanted: ["npm test"] }).length, 1);
  assert.deepEqual(
    apart(["shopt -p; ls"], { wanted: ["ls"] }),
    [],
    "too short to be found in others",
  );
  assert.deepEqual(apart(["rm -rf /"], {}), ["rm -rf /"], "forbidden, whoever wanted it");
  assert.deepEqual(
    apart(["deploy"], { servesModel: false }),
    ["deploy"],
    "nobody saw what was asked",
  );
  assert.deepEqual(
    apart(["command -v rg", "ps -o ppid=,command= -p 7"], { servesModel: false }),
    [],
  );
});
