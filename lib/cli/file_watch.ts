/**
 * When did files change? An agent's own word for it is testimony; this is evidence: each time the
 * program asks its model, what it did before has been done, and the folder is looked at. Out: each
 * file that is other than before, with how many calls the model had asked for until then.
 */
import { diffStates } from "../judge/diff.ts";
import { FILES, type State } from "../model/json.ts";
import type { Io } from "../model/ports.ts";
import { parsePath } from "../model/state_path.ts";
import { treeState, WORKSPACE_FILES_MAX } from "../model/workspace.ts";
import type { SeenChange } from "../run/merge_trace.ts";

const CHANGED = { added: "added", changed: "modified", deleted: "deleted" } as const;

/** Watches one folder; looks are made one after the other. */
export class FileWatch {
  #last: State | null = null;
  #seen: SeenChange[] = [];
  #looking: Promise<void> = Promise.resolve();

  constructor(private readonly io: Pick<Io, "trees">, private readonly folder: string) {}

  /** Looks now; `asked` calls were asked for before. A folder that cannot be read is told by the run's end. */
  look(asked: number): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look(asked)).catch(() => undefined);
    return this.#looking;
  }

  /** What was seen since it was last taken. */
  take(): readonly SeenChange[] {
    const seen = this.#seen;
    this.#seen = [];
    return seen;
  }

  async #look(asked: number): Promise<void> {
    const { files } = treeState(await this.io.trees.read(this.folder, WORKSPACE_FILES_MAX));
    const now = { [FILES]: files };
    const changes = this.#last === null ? [] : diffStates(this.#last, now);
    this.#last = now;
    for (const { path, op } of changes) {
      const file = parsePath(path)[1];
      if (file === undefined) continue;
      const event = { kind: "file" as const, path: file, change: CHANGED[op] };
      this.#seen.push({ event, asked });
    }
  }
}
