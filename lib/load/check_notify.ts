/**
 * Can a message go where it should? Refused: an address that is none, a template that cannot be
 * evaluated or that says nothing of the message, a program name that is an option.
 */
import type { Config } from "../model/config.ts";
import type { Problem } from "../model/problem.ts";
import { problemAt, type SourceFile } from "./source.ts";

/** Problems of `notify`. */
export async function checkNotify(source: SourceFile, { notify }: Config): Promise<Problem[]> {
  const { telegram, webhook, command } = notify;
  const problems: Problem[] = [];
  const root = telegram?.api_root;
  if (typeof root === "string") {
    problems.push(...addressProblems(source, ["notify", "telegram", "api_root"], root));
  }
  if (typeof webhook?.url === "string") {
    problems.push(...addressProblems(source, ["notify", "webhook", "url"], webhook.url));
  }
  if (webhook !== undefined) {
    // Expressions are large, and a hook that decides from what is known needs none.
    const { bodyProblems } = await import("./check_body.ts");
    problems.push(...bodyProblems(source, webhook.body));
  }
  if (command?.argv[0]?.startsWith("-")) {
    problems.push(problemAt(source, ["notify", "command", "argv", 0], {
      code: "bad-program",
      what: `"${command.argv[0]}" is an option, not a program`,
      fix: "write the program first, such as [sendmail, -t]",
    }));
  }
  return problems;
}

function addressProblems(source: SourceFile, path: string[], address: string): Problem[] {
  if (/^https?:\/\/[^/\s]/.test(address) && URL.canParse(address)) return [];
  return [problemAt(source, path, {
    code: "bad-address",
    what: `"${address}" is no address: expected one that begins with https://`,
    fix: "write it as https://host/path",
  })];
}
