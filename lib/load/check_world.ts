/**
 * May the harness read this world? A world of the team's own is read by a command: it may name only
 * hosts that `collaudo.yaml` allows, never production, and there is no second world beside it.
 */
import { refusedHost } from "../model/hosts.ts";
import type { CheckInput } from "./check_input.ts";
import type { Checker } from "./checker.ts";

/** Checks `setup.world`. */
export function checkWorld(checker: Checker, { written, config }: CheckInput): void {
  const { setup } = written;
  if (setup?.world === undefined) return;
  if (setup.state !== undefined) {
    checker.say(["setup", "state"], {
      code: "two-worlds",
      aim: "key",
      what: "`state` is a world of files, `world` is read by a command: there can be only one",
      fix: "remove one of the two",
    });
  }
  for (const key of ["reset", "read"] as const) {
    for (const [index, word] of (setup.world[key] ?? []).entries()) {
      const why = refusedHost(word, config.world);
      if (why === null) continue;
      checker.say(["setup", "world", key, index], {
        code: "world-not-allowed",
        what: `"${word}" may not be reached: ${why}`,
        fix: why.endsWith("production")
          ? "name the staging system: production is never read by a scenario"
          : "name an allowed host, or add this one to `world.allow` of collaudo.yaml",
      });
    }
  }
}
