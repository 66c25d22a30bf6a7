/**
 * Where does a key belong that is not known where it stands? In: a file's schema, the place, the
 * key. Out: the nearest groups of the file in which the key is allowed, none where it is unknown or
 * too far away to be meant.
 */
import { type Schema, shapeKeys, unwrap } from "./schema_walk.ts";
import type { KeyPath } from "./source.ts";

/** A group of the file by the keys that lead to it; empty: the top of the file. */
export type Group = readonly string[];

/** Steps up and down beyond which another group is not what was meant. */
const STEPS_MAX = 3;

/** The groups nearest to `path` that have the key, in the order of the schema. */
export function homesOf(schema: Schema, path: KeyPath, key: string): Group[] {
  const homes = groupsWith(schema, key, [])
    .map((group) => ({ group, steps: stepsBetween(path, group) }))
    .filter(({ steps }) => steps > 0 && steps <= STEPS_MAX);
  const least = Math.min(...homes.map(({ steps }) => steps));
  return homes.filter(({ steps }) => steps === least).map(({ group }) => group);
}

/** What to do with a key that belongs into one of the groups. */
export function moveWords(homes: readonly Group[]): string {
  const places = homes.map((group) =>
    group.length === 0 ? "to the top of the file" : `under \`${group.join(".")}\``
  );
  return `move it ${places.join(" or ")}`;
}

function groupsWith(schema: Schema, key: string, at: Group): Group[] {
  const found: Group[] = shapeKeys(schema).includes(key) ? [at] : [];
  const { shape } = unwrap(schema)._zod.def as { shape?: Record<string, Schema> };
  for (const [name, field] of Object.entries(shape ?? {})) {
    found.push(...groupsWith(field, key, [...at, name]));
  }
  return found;
}

/** Steps out of a place into a group; an entry of a list is one step with its list. */
function stepsBetween(path: KeyPath, group: Group): number {
  let shared = 0;
  while (shared < group.length && path[shared] === group[shared]) shared++;
  const up = path.slice(shared).filter((part) => typeof part === "string").length;
  return up + group.length - shared;
}
