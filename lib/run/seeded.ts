/** Which of many? The same choice for the same seed, on every machine. */
import { hashText } from "../model/hash.ts";

/** A source of numbers in [0,1) that a text decides. */
export function seededNumbers(seed: string): () => number {
  let state = parseInt(hashText(seed).slice("sha256:".length, "sha256:".length + 8), 16);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  };
}

/** At most `most` of the items, chosen by the numbers, in the items' own order. */
export function chosen<Item>(
  items: readonly Item[],
  most: number,
  numbers: () => number,
): readonly Item[] {
  if (items.length <= most) return items;
  const ranked = items.map((item, at) => ({ item, at, rank: numbers() }));
  return ranked.sort((a, b) => a.rank - b.rank).slice(0, most)
    .sort((a, b) => a.at - b.at).map(({ item }) => item);
}
