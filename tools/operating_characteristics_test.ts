import { ok } from "node:assert/strict";
import reference from "../testdata/vectors/operating_characteristics.json" with { type: "json" };
import {
  AGENTS,
  CELLS,
  shipped,
  simulateCell,
  simulateNights,
} from "./operating_characteristics.ts";

const GATES = 150;
const REFERENCE_GATES = 600;

Deno.test("the relative rule has the operating characteristics that it was designed to, within sampling error", () => {
  const table: Readonly<Record<string, Readonly<Record<string, number>>>> = reference;
  for (const cell of CELLS.filter(({ scenarios }) => scenarios < 100)) {
    const expected = table[`N${cell.scenarios}_k${cell.trials}_drop${cell.drop}`] ?? {};
    for (const [verdict, found] of Object.entries(simulateCell(cell, GATES))) {
      const wanted = expected[verdict] ?? NaN;
      const both = (found * GATES + wanted * REFERENCE_GATES + 1) / (GATES + REFERENCE_GATES + 2);
      const error = Math.sqrt(both * (1 - both) * (1 / GATES + 1 / REFERENCE_GATES));
      ok(
        Math.abs(found - wanted) <= 4 * error,
        `${JSON.stringify(cell)} ${verdict}: ${found}, designed ${wanted}`,
      );
    }
  }
});

Deno.test("the shipped gate lets an unchanged build pass at least half of its nights and blocks at most 3 %", async () => {
  const scene = { ...await shipped(), agent: AGENTS[0]!, trials: 3 };
  const unchanged = await simulateNights({ ...scene, nights: 100, drop: 0 });
  ok(unchanged.pass >= 0.5, `pass ${unchanged.pass}`);
  ok(unchanged.block <= 0.03, `block ${unchanged.block}`);
  const fallen = await simulateNights({ ...scene, nights: 20, drop: 0.2 });
  ok(fallen.block >= 0.9, `block ${fallen.block} of a drop of 20 points`);
});
