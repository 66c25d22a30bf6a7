/** Which effects of tools change something? Words alone: schemas stand in `tool.ts`. */

/** The effects that change the world or reach a person outside: `$writes()` lists their attempts. */
export const WRITING_EFFECTS: ReadonlySet<string> = new Set(["write", "irreversible", "message"]);
