/** What is an agent told before the conversation? Its own system text and the scenario's setup as it is. */
import type { Scenario } from "../model/scenario.ts";

const TOLD = ["clock", "autonomy", "channel", "workspace_state", "policy_preset"] as const;

/** The agent's system text, then one line `name: value` for each of the setup's facts that is given. */
export function systemPrompt(system: string | null, scenario: Scenario): string {
  const lines = TOLD.flatMap((name) => {
    const value = scenario.setup[name];
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  return [...(system === null ? [] : [system.trimEnd(), ""]), ...lines].join("\n");
}
